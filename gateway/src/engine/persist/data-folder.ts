import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { makeFolder } from "../../util/make-folder.js";
import { FolderLock } from "./folder-lock.js";

/** A folder where the gateway's own Redis keeps its data, locked against use by other gateways. */
export interface DataFolder {
  readonly path: string;
  /** Lets others have it. */
  release(): void;
}

/**
 * Opens a folder of data, and makes it where it is missing.
 * @throws {Error} when it can't be used, or another gateway uses it; the message begins with `persist: `
 */
export function openDataFolder(given: string): DataFolder {
  const path = resolve(given);
  try {
    makeFolder(path);
    if (!statSync(path).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what =
      code === "EEXIST" || code === "ENOTDIR" ? "is not a folder" : `cannot be written to (${code})`;
    throw new Error(`persist: ${path} ${what}`);
  }
  return { path, release: new FolderLock(path).release };
}
