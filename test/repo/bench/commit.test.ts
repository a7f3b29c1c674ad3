import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCommit } from "../../../bench/src/results/commit.js";
import { newFolder } from "../../support/new-folder.js";

const folder = newFolder("commit");

/** Settings in place of the user's. */
const CONFIG = [
  "user.name=t",
  "user.email=t@localhost",
  "commit.gpgsign=false",
  "core.hooksPath=/dev/null",
].flatMap((setting) => ["-c", setting]);
const git = (...args: string[]) =>
  execFileSync("git", ["-C", folder, ...CONFIG, ...args], { encoding: "utf8" }).trim();

test("the commit of a clone is marked if files differ from it, results, Markdown and untracked files excepted", () => {
  expect(readCommit(folder)).toBeUndefined();
  git("init", "-q");
  for (const name of ["bench/results", "docs"]) mkdirSync(join(folder, name), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("bench/code.ts", "1");
  write("bench/results/idle.json", "1");
  write("docs/caching.md", "1");
  git("add", ".");
  git("commit", "-qm", "first");
  const commit = git("rev-parse", "HEAD");
  expect(readCommit(folder)).toBe(commit);
  write("bench/results/idle.json", "2");
  write("docs/caching.md", "2");
  write("out.json", "2");
  expect(readCommit(folder)).toBe(commit);
  // A commit of results alone keeps them valid.
  git("commit", "-qam", "second");
  expect(git("rev-parse", "HEAD")).not.toBe(commit);
  expect(readCommit(folder)).toBe(commit);
  write("bench/code.ts", "2");
  expect(readCommit(folder)).toBe(`${commit}-dirty`);
  // A package below another project's clone.
  expect(readCommit(join(folder, "bench"))).toBeUndefined();
});
