import { resolve } from "node:path";
import { packAll } from "../../support/packages/pack.js";
import { run } from "../../support/packages/run.js";

const folder = resolve(import.meta.dirname, "..");

/** Before the suite: the runtimes at their locked versions, and the packed client beside them. */
export default async function setup(): Promise<void> {
  const { warmline } = await packAll();
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", warmline], folder, {}, 300_000);
}
