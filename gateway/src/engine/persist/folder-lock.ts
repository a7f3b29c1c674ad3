import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** Interval in ms between updates of the lock by its holder. */
const BEAT_EVERY = 2_000;
/** A lock of another machine or container that was not renewed for this long, in ms, is stale. */
const SILENT_AFTER = 15_000;

/** The process that holds a folder. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The start time of the process in the system's own unit, or null if the system does not provide it. */
  readonly started: string | null;
}

/** Locks that this process holds. */
const ownLocks = new Set<string>();

/** Keeps other gateways out of a folder until it is released. */
export class FolderLock {
  readonly #file: string;
  readonly #beat: NodeJS.Timeout;

  /**
   * @param folder an absolute path
   * @throws {Error} when another process that is alive holds it
   */
  constructor(folder: string) {
    this.#file = join(folder, "gateway.lock");
    this.#take(folder);
    ownLocks.add(this.#file);
    process.once("exit", this.release);
    this.#beat = setInterval(() => this.#renew(), BEAT_EVERY).unref();
  }

  /** Unlocks the folder for other gateways. */
  readonly release = (): void => {
    if (!ownLocks.delete(this.#file)) return;
    clearInterval(this.#beat);
    process.off("exit", this.release);
    rmSync(this.#file, { force: true });
  };

  #take(folder: string): void {
    const own = JSON.stringify(holderOf(process.pid));
    for (;;) {
      try {
        writeFileSync(this.#file, own, { flag: "wx", mode: 0o600 });
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const text = readIfThere(this.#file);
      if (text === null) continue;
      if (this.#isHeld(text)) {
        throw new Error(
          `persist: another gateway uses ${folder}${holderText(text)}; each gateway needs a separate folder`,
        );
      }
      this.#remove(text);
    }
  }

  #isHeld(text: string): boolean {
    if (ownLocks.has(this.#file)) return true;
    const holder = parsed(text);
    if (holder === null || holder.host !== hostname()) return !isOlderThan(this.#file, SILENT_AFTER);
    // Process ids are used again, and a container always starts with the same ones.
    return isAlive(holder.pid) && holderOf(holder.pid).started === holder.started;
  }

  /** Removes a stale lock, unless another process has replaced it meanwhile. */
  #remove(text: string): void {
    const aside = `${this.#file}.${process.pid}`;
    try {
      renameSync(this.#file, aside);
      if (readIfThere(aside) !== text) linkSync(aside, this.#file);
    } catch (error) {
      if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    } finally {
      rmSync(aside, { force: true });
    }
  }

  #renew(): void {
    const now = new Date();
    try {
      utimesSync(this.#file, now, now);
    } catch {
      // Somebody removed the file. Data is still written.
    }
  }
}

function holderOf(pid: number): Holder {
  // Behind the name, which may hold anything: field 22.
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

function holderText(text: string): string {
  const holder = parsed(text);
  if (holder === null) return "";
  return holder.host === hostname() ? ` (process ${holder.pid})` : ` (on ${holder.host})`;
}

function isOlderThan(file: string, ms: number): boolean {
  try {
    return Date.now() - statSync(file).mtimeMs > ms;
  } catch {
    return false;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
