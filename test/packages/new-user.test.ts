import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, inject, test } from "vitest";
import { newFolder } from "../support/new-folder.js";
import { run } from "../support/packages/run.js";

// A new user: an empty folder, Node, npm, and the steps of the README.

const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");
const folder = newFolder("new-user");

test("README's first lines work within two minutes", { timeout: 120_000 }, async () => {
  // In the order in which they are pasted.
  const [, snippet, command] =
    /```js\n(.*\/\/ app\.mjs\n[\s\S]*?)```\n\n```sh\nnpm install warmline\nnpx warmline-gateway -- (.*?) +#/.exec(
      readme,
    )!;
  writeFileSync(join(folder, "app.mjs"), snippet!);
  const { warmline, "warmline-gateway": gateway } = inject("tarballs");
  await run("npm", ["install", "--no-audit", "--no-fund", warmline], folder);
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/warmline"]);
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", gateway], folder);

  // Only what a new user has set: nothing that points at another Redis.
  const unset = { WARMLINE_URL: undefined, WARMLINE_TOKEN: undefined };
  const printed = await run("npx", ["warmline-gateway", "--", ...command!.split(" ")], folder, unset);
  expect(printed.trim().split("\n").at(-1)).toBe("[ 1, 1 ]");
});
