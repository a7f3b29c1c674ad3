import { expect, test } from "vitest";
import { Lanes } from "../../gateway/src/numbers/lanes.js";
import { withMutation } from "../support/model/mutation.js";
import { runNumbersModel, type Shape } from "../support/numbers-model.js";
import { SEED, scaled } from "../support/random-tests.js";

// The client's deliveries and numbers and the gateway's lanes, over a network that is made up. TEST_RUNS=10 runs it for minutes.

const SHAPES: Shape[] = [
  { gateways: 1, path: "l4", clones: false },
  { gateways: 1, path: "l4", clones: true },
  { gateways: 1, path: "l7", clones: false },
  { gateways: 2, path: "l4", clones: true },
  { gateways: 2, path: "l7", clones: false },
];

test.each(SHAPES)("no increment is doubled: %o", { tags: "random", timeout: 1_200_000 }, async (shape) => {
  const tally = await runNumbersModel({ ...shape, seed: SEED, calls: scaled(10_000), Lanes });
  const { violations, histories, ...counts } = tally;
  process.stdout.write(`${JSON.stringify({ ...shape, ...counts, violations: violations.length })}\n`);
  expect(violations, histories.join("\n")).toEqual([]);
});

// The model finds rules that are wrong.
test.each([
  {
    mistake: "a forgotten lane counts as new",
    shape: { gateways: 1, path: "l4", clones: false },
    from: "const isNew = Number.parseInt(time, 36) > (known?.horizon ?? this.#horizon);",
    to: "const isNew = true;",
  },
  {
    mistake: "another process says unsent to a proxy that may have repeated the request",
    shape: { gateways: 2, path: "l7", clones: false },
    from: 'copy.refuseNumber("is for another process of the gateway", proxied ? "unknown" : "unsent", alone);',
    to: 'copy.refuseNumber("is for another process of the gateway", "unsent", alone);',
  },
] as const)("$mistake: runs twice", { tags: "full-run", timeout: 1_200_000 }, async ({ shape, from, to }) => {
  const file = "gateway/src/numbers/lanes.ts";
  await withMutation({ entry: file, file, from, to }, async (url) => {
    const { Lanes: wrong } = (await import(url)) as { Lanes: typeof Lanes };
    const { violations } = await runNumbersModel({ ...shape, seed: SEED, calls: 4_000, Lanes: wrong });
    process.stdout.write(`${violations.length} violations with a wrong rule\n`);
    expect(violations.length).toBeGreaterThan(0);
  });
});
