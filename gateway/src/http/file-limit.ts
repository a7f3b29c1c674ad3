import { readFileSync } from "node:fs";

/** The assumed limit if the system does not report one. */
const USUAL = 8_192;
/** More than this many connections are nothing that one process serves well. */
const MOST = 50_000;
/** Files that are not client connections: those to Redis, refused clients on their way out, logs. */
const RESERVED = 512;

/** How many client connections this process may hold, by its limit of open files. */
export function connectionsByFileLimit(): number {
  const files = openFilesLimit();
  return Math.max(Math.floor(files / 2), Math.min(MOST, files - RESERVED));
}

function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? USUAL : Number(soft);
  } catch {
    return USUAL;
  }
}
