import { readFileSync } from "node:fs";

/** The assumed limit if the system does not report one. */
const DEFAULT_FILES = 8_192;
/** Maximum number of connections that one process serves well. */
const MAX_CONNECTIONS = 50_000;
/** Files that are not client connections: those to Redis, refused clients on their way out, logs. */
const RESERVED_FILES = 512;

/** Returns the maximum number of client connections for a limit of open files. Default: that of this process. */
export function connectionsByFileLimit(files = openFilesLimit()): number {
  return Math.min(MAX_CONNECTIONS, Math.max(Math.floor(files / 2), files - RESERVED_FILES));
}

function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? DEFAULT_FILES : Number(soft);
  } catch {
    return DEFAULT_FILES;
  }
}
