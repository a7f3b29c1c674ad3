import { resolve } from "node:path";
import { run } from "../../support/packages/run.js";

/** Before the suite: the platforms that the examples run on, at their locked versions. */
export default async function setup(): Promise<void> {
  const folder = resolve(import.meta.dirname, "..");
  await run("npm", ["ci", "--no-audit", "--no-fund"], folder, {}, 300_000);
}
