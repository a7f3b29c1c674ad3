import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { built } from "../client/bench-client.js";

/** The folder of the repository that this package is in. */
const ROOT = resolve(built(""), "../..");

/** What measures nothing: pages, results and tests. */
const UNMEASURED = ["*.md", "bench/results", "docs", "scripts/results*", "test", "site", "examples"];

/**
 * Returns the commit of the last change to what is measured, with `-dirty` if files differ from it, so that a commit of results, pages
 * or tests keeps results valid. Undefined if the folder is not the top of a clone.
 */
export function readCommit(root: string = ROOT): string | undefined {
  const paths = [".", ...UNMEASURED.map((path) => `:!${path}`)];
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  try {
    if (realpathSync(git("rev-parse", "--show-toplevel")) !== realpathSync(root)) return undefined;
    const commit = git("log", "-1", "--format=%H", "--", ...paths);
    const changes = git("status", "--porcelain", "--untracked-files=no", "--", ...paths);
    return changes === "" ? commit : `${commit}-dirty`;
  } catch {
    return undefined;
  }
}
