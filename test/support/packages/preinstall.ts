import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { run } from "./run.js";

/**
 * Puts packages of npm into the node_modules of a folder, which has none yet. They are installed once in a run of tests, whose temporary
 * folder is its own, and linked into each further folder: Next.js alone has hundreds of megabytes.
 * @param packages such as `next@16.4.6`
 */
export async function preinstall(folder: string, packages: readonly string[]): Promise<void> {
  const place = join(tmpdir(), `installed-${packages.join("-").replaceAll("/", "-")}`);
  const done = join(place, "done");
  if (claim(place)) {
    writeFileSync(join(place, "package.json"), '{"private":true}');
    await run("npm", ["install", "--no-audit", "--no-fund", ...packages], place, {}, 300_000);
    writeFileSync(done, "");
  }
  for (let waited = 0; !existsSync(done); waited += 100) {
    if (waited > 300_000) throw new Error(`${packages} were not installed by the test that began to`);
    await pause(100);
  }
  await run("cp", ["-al", join(place, "node_modules"), join(folder, "node_modules")], folder);
}

/** Makes a folder. Returns whether it was not there before. */
function claim(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch {
    return false;
  }
}
