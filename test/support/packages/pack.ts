import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "./run.js";

const root = resolve(import.meta.dirname, "../../..");

/** The published packages, and the folders that they are packed from. */
const FOLDERS = {
  warmline: "",
  "warmline-gateway": "gateway",
  "warmline-upstash": "compat",
  "warmline-adapters": "adapters",
};

/** Packed packages by name: paths of files that npm installs. */
export type Tarballs = Record<keyof typeof FOLDERS, string>;

/** Packs every package as it is built now into a separate folder, which `remove()` removes. */
export async function packAll(): Promise<{ tarballs: Tarballs; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "warmline-tarballs-"));
  const tarballs: Record<string, string> = {};
  for (const [name, path] of Object.entries(FOLDERS)) {
    const args = ["pack", "--json", "--pack-destination", folder];
    const [packed] = Object.values(JSON.parse(await run("npm", args, join(root, path))));
    tarballs[name] = join(folder, (packed as { filename: string }).filename);
  }
  return {
    tarballs: tarballs as Tarballs,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
