import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and the missing ones above it, with access only for this user, also while other processes do the same. Throws if
 * one can't be made. Node's recursive `mkdirSync` tries forever in file systems such as `/proc`, which report that an existing parent
 * folder is missing.
 */
export function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}
