// A reporter of mocha that writes each test's result as a line of JSON.
const { appendFileSync } = require("node:fs");
const { relative } = require("node:path");

const { SUITE_CHECKOUT, SUITE_RESULTS } = process.env;

module.exports = class {
  constructor(runner) {
    let usesBefore = 0;
    const write = (test, state, error) => {
      const result = {
        file: relative(SUITE_CHECKOUT, test.file ?? ""),
        title: test.fullTitle(),
        state,
        uses: (globalThis.connectorUses ?? 0) - usesBefore,
        error: error && String(error.message ?? error).slice(0, 400),
      };
      appendFileSync(SUITE_RESULTS, `${JSON.stringify(result)}\n`);
    };
    runner.on("test", () => {
      usesBefore = globalThis.connectorUses ?? 0;
    });
    runner.on("pass", (test) => write(test, "passed"));
    runner.on("fail", (test, error) => write(test, "failed", error));
    runner.on("pending", (test) => write(test, "skipped"));
  }
};
