import { resolve } from "node:path";
import { run } from "../../support/packages/run.js";

/** Before the suite: builds the site and the API reference. SITE_BUILT=1 takes those of the last build. */
export default async function setup(): Promise<void> {
  if (process.env.SITE_BUILT === "1") return;
  const root = resolve(import.meta.dirname, "../../..");
  await run("node", ["scripts/site.mjs"], root, {}, 400_000);
}
