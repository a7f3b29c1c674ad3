import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder for this user alone, and those above it. Where one can't be made the error is thrown. Node's own recursive
 * `mkdirSync` tries forever in file systems such as `/proc`, which say of a new folder that the one above it is missing.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || parent === path || isThere(parent)) throw error;
    makeFolder(parent);
    mkdirSync(path, { mode: 0o700 });
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
