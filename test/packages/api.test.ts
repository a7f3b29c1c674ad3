import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

async function check(entry: string): Promise<string[]> {
  const args = [join(root, "scripts/api.mjs"), "--check", entry];
  const failed = await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error) => error);
  return failed.code ? failed.stderr.trim().split("\n") : [];
}

// That every export has one, the site's build checks.

test("an export without a docstring is reported by name", { timeout: 120_000 }, async () => {
  // Inside the project, or the compiler would not look at it, but not where lint and type checks do.
  mkdirSync(join(root, "build"), { recursive: true });
  const folder = mkdtempSync(join(root, "build/api-check-"));
  try {
    const file = join(folder, "entry.ts");
    writeFileSync(
      file,
      `/** Has one. */
export interface Documented {
  /** Has one. */
  yes: string;
  no: string;
}
export type Bare = { inside: string } | string;
/** Sees {@link Nothing}. */
export function linked(): void {}
`,
    );
    const said = (await check(file)).join("\n");
    expect(said).toMatch(/entry\.ts:5: .*Documented\.no has no docstring/);
    expect(said).toMatch(/entry\.ts:7: .*Bare has no docstring/);
    expect(said).toMatch(/Failed to resolve link to "Nothing"/);
    expect(said.match(/has no docstring/g)).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
