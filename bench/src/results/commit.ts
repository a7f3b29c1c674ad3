import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { built } from "../client/bench-client.js";

/** The folder of the repository that this package is in. */
const ROOT = resolve(built(""), "../..");

/**
 * Returns the commit of a repository, with `-dirty` if files that it has differ from it. Two kinds do not count: Markdown, since
 * nothing measured reads it, and results, since a run of several scenarios writes them. Undefined if the folder is not the top of
 * a clone.
 * @param root the folder. Default: the repository of this package
 */
export function readCommit(root: string = ROOT): string | undefined {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [top, commit] = git("rev-parse", "--show-toplevel", "HEAD").split("\n");
    if (realpathSync(top!) !== realpathSync(root)) return undefined;
    const changes = git(
      "status",
      "--porcelain",
      "--untracked-files=no",
      "--",
      ".",
      ":!*.md",
      ":!bench/results",
    );
    return changes === "" ? commit : `${commit}-dirty`;
  } catch {
    return undefined;
  }
}

/** Returns the first digits of a commit, with its mark. */
export const shortCommit = (commit: string): string => commit.replace(/^(.{9})[^-]*/, "$1");
