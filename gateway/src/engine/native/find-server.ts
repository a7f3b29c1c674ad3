import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** Servers that `auto` searches for. The first one found is used. */
const NAMES = ["redis-server", "valkey-server"];

/** The `redis-server` or `valkey-server` on PATH, if there is one that can be run. */
export function findServer(path: string = process.env.PATH ?? ""): string | undefined {
  // Private servers need UNIX sockets and a POSIX shell.
  if (process.platform === "win32") return undefined;
  return NAMES.map((name) => onPath(name, path)).find((found) => found !== undefined);
}

/**
 * Returns the path of a server given by the user as a path, or as a bare name that is searched on PATH.
 * @throws {Error} when there is no such program, with a readable message.
 */
export function resolveServer(given: string, path: string = process.env.PATH ?? ""): string {
  const found = /[\\/]/.test(given) ? resolve(given) : onPath(given, path);
  if (found === undefined) throw new Error(`there is no ${given} on PATH`);
  if (!canRun(found)) throw new Error(`${given} is not a program that can be run`);
  return found;
}

function onPath(name: string, path: string): string | undefined {
  // A relative folder on PATH would run whatever the current folder holds.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(canRun);
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
