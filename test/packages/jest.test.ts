import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, inject, test } from "vitest";
import { newFolder } from "../support/new-folder.js";

// The testing helper under jest, from the packed tarballs.

const folder = newFolder("jest");
const run = promisify(execFile);

beforeAll(async () => {
  cpSync(join(import.meta.dirname, "jest"), folder, { recursive: true });
  await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
  const { warmline, "warmline-gateway": gateway } = inject("tarballs");
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", warmline, gateway], { cwd: folder });
}, 180_000);

test("useGateway works under jest, which exits without open handles", async () => {
  const { stderr } = await run("npx", ["jest", "--ci", "--detectOpenHandles"], {
    cwd: folder,
    timeout: 90_000,
  });
  expect(stderr).toMatch(/^Tests: +4 passed, 4 total$/m);
  expect(stderr).not.toContain("open handle");
}, 120_000);
