// node scripts/second-run.mjs FOLDER: writes bench/second-run.json, which a test compares with bench/results. FOLDER has the files
// that `--json` wrote in a full run with another seed. Of each result only its origin and its checks are kept: a hundredth of the size.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node scripts/second-run.mjs FOLDER");
  process.exit(2);
}

const results = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .flatMap((name) => {
    const parsed = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return parsed.results ?? [parsed];
  })
  .map(({ format, scenario, seed, commit, startedAt, machine, settings: { quick }, checks }) => ({
    ...{ format, scenario, seed, commit, startedAt, machine, settings: { quick } },
    checks: checks.map(({ expectation, verdict, actual }) => ({ expectation, verdict, actual })),
  }));

const quick = results.find(({ settings }) => settings.quick);
if (results.length === 0 || quick) {
  console.error(
    `${folder} has ${quick ? `a quick run of ${quick.scenario}, which has no verdicts` : "no results"}`,
  );
  process.exit(2);
}

const file = resolve(import.meta.dirname, "../bench/second-run.json");
writeFileSync(file, `${JSON.stringify({ results }, null, 2)}\n`);
