import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

// The testing helper under jest, from the packed tarballs.

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "warmline-jest-"));
const run = promisify(execFile);

async function pack(path: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: path });
  const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
  return join(folder, filename);
}

beforeAll(async () => {
  cpSync(join(import.meta.dirname, "jest"), folder, { recursive: true });
  await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
  const tarballs = [await pack(root), await pack(join(root, "gateway"))];
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", ...tarballs], { cwd: folder });
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("useGateway works under jest, which exits without open handles", async () => {
  const { stderr } = await run("npx", ["jest", "--ci", "--detectOpenHandles"], {
    cwd: folder,
    timeout: 90_000,
  });
  expect(stderr).toMatch(/^Tests: +4 passed, 4 total$/m);
  expect(stderr).not.toContain("open handle");
}, 120_000);
