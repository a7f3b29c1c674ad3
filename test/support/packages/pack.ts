import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** The packages are packed once in a run of tests: its temporary folder is its own and is removed at its end. */
const folder = join(tmpdir(), "tarballs");

/** Packs every package as it is built now, unless another suite of this run has. */
export async function packAll(): Promise<Tarballs> {
  const list = join(folder, "tarballs.json");
  if (existsSync(list)) return JSON.parse(readFileSync(list, "utf8"));
  mkdirSync(folder);
  const tarballs: Record<string, string> = {};
  for (const [name, path] of Object.entries(FOLDERS)) {
    const args = ["pack", "--json", "--pack-destination", folder];
    const [packed] = Object.values(JSON.parse(await run("npm", args, join(root, path))));
    tarballs[name] = join(folder, (packed as { filename: string }).filename);
  }
  writeFileSync(list, JSON.stringify(tarballs));
  return tarballs as Tarballs;
}
