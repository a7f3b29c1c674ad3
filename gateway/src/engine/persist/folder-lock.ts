import { linkSync, readFileSync, renameSync, rmSync, statSync, utimes, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** Interval in ms between updates of the lock by its holder. */
const BEAT_EVERY = 2_000;
/** A lock that was not renewed for this long, in ms, is stale, unless its process is known to be alive. */
const SILENT_AFTER = 15_000;

/** The process that holds a folder. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The start time of the process in the system's own unit, or null if the system does not provide it. */
  readonly started: string | null;
}

/**
 * Keeps other gateways out of a folder.
 * @param folder an absolute path
 * @returns a function that unlocks it
 * @throws {Error} when another process that is alive holds it
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, "gateway.lock");
  take(file, folder);
  const renew = () => {
    const now = new Date();
    // If somebody has removed the file, data is still written.
    utimes(file, now, now, () => {});
  };
  const beat = setInterval(renew, BEAT_EVERY).unref();
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    clearInterval(beat);
    process.off("exit", release);
    rmSync(file, { force: true });
  };
  process.once("exit", release);
  return release;
}

function take(file: string, folder: string): void {
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(holderOf(process.pid)), { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const text = readIfThere(file);
    if (text === null) continue;
    const holder = parsed(text);
    if (isHeld(file, holder)) {
      const isOwnHost = holder?.host === hostname();
      const who = holder && (isOwnHost ? ` (process ${holder.pid})` : ` (on ${holder.host})`);
      throw new Error(
        `persist: another gateway uses ${folder}${who ?? ""}; each gateway needs a separate folder`,
      );
    }
    removeStale(file, text);
  }
}

function isHeld(file: string, holder: Holder | null): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  const isRenewed = !stat || Date.now() - stat.mtimeMs <= SILENT_AFTER;
  if (holder?.host !== hostname()) return isRenewed;
  if (!isAlive(holder.pid)) return false;
  // Another process may have this id by now: ids are used again, and a container always starts with the same ones. Its start time
  // tells, or without one, as on macOS and Windows, that it does not renew the lock.
  return holder.started === null ? isRenewed : holderOf(holder.pid).started === holder.started;
}

/** Removes a stale lock, unless another process has replaced it meanwhile. */
function removeStale(file: string, text: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readIfThere(aside) !== text) linkSync(aside, file);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function holderOf(pid: number): Holder {
  // Field 22, counted from behind the name, which may contain any character.
  const stat = readIfThere(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { pid, host: hostname(), started: fields?.[19] ?? null };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function parsed(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Holder;
    return Number.isInteger(holder.pid) && typeof holder.host === "string" ? holder : null;
  } catch {
    return null;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
