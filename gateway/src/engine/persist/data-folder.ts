import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeFolder } from "../../util/make-folder.js";
import { lockFolder } from "./folder-lock.js";

/** The embedded engine's file in a folder of data. */
const SNAPSHOT = "embedded.snapshot";

/** The engine that wrote a folder's data; null for an empty folder. */
export type Writer = "embedded" | "server" | null;

/** A folder where the gateway's own Redis keeps its data, locked against use by other gateways. */
export interface DataFolder {
  readonly path: string;
  /** The embedded engine's file in it. */
  readonly snapshot: string;
  readonly writtenBy: Writer;
  /** Unlocks it for other gateways. */
  release(): void;
}

/**
 * Opens a folder of data, which is created if it does not exist.
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
    const problem =
      code === "EEXIST" || code === "ENOTDIR" ? "is not a folder" : `cannot be written to (${code})`;
    throw new Error(`persist: ${path} ${problem}`);
  }
  const release = lockFolder(path);
  const snapshot = join(path, SNAPSHOT);
  return { path, snapshot, writtenBy: dataIn(path, snapshot), release };
}

function dataIn(path: string, snapshot: string): Writer {
  if (existsSync(snapshot)) return "embedded";
  // Redis and Valkey write a folder from version 7 on, one file before that.
  return readdirSync(path).some((name) => /^appendonly(dir$|\.aof)/.test(name)) ? "server" : null;
}
