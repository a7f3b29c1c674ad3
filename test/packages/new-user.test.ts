import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { transform } from "esbuild";
import { afterAll, expect, inject, test } from "vitest";
import { run } from "../support/packages/run.js";

// A new user: an empty folder, Node, npm, and the steps of the README.

const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "warmline-new-user-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("README's first lines work within two minutes", { timeout: 120_000 }, async () => {
  expect(readme).toContain("npm install warmline\n");
  expect(readme).toContain("npx warmline-gateway -- ");
  const [, snippet] = /```ts\n(import[\s\S]*?)```/.exec(readme)!;
  // Node from 22.18 on takes the types as they are.
  const { code } = await transform(snippet!, { loader: "ts" });
  writeFileSync(join(folder, "handler.mjs"), code);
  writeFileSync(
    join(folder, "dev.mjs"),
    `import { handler } from "./handler.mjs";
     await handler({ userId: "ada" });
     console.log(JSON.stringify(await handler({ userId: "ada" })));`,
  );
  const { warmline, "warmline-gateway": gateway } = inject("tarballs");
  await run("npm", ["install", "--no-audit", "--no-fund", warmline], folder);
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/warmline"]);
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", gateway], folder);

  // Only what a new user has set: nothing that points at another Redis.
  const unset = { WARMLINE_URL: undefined, WARMLINE_TOKEN: undefined };
  const printed = await run(
    "npx",
    ["warmline-gateway", "--port", "0", "--", "node", "dev.mjs"],
    folder,
    unset,
  );
  expect(JSON.parse(printed.trim().split("\n").at(-1)!)).toEqual({ visits: 2, stock: -2, queued: 2 });
});
