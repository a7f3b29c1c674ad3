import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { RedisServerState } from "js-redis-server/core";
import { adopt } from "./collections/adopt.js";
import { entriesOf, liveEntries } from "./keyspace.js";
import type { Entry } from "./stored-value.js";

/** The first bytes of every snapshot: the name of the format and its version. */
const MAGIC = Buffer.from("warmline-snapshot 1\n");
/** Bytes that are collected for one write. */
const CHUNK = 1024 * 1024;

/**
 * A record of a snapshot. Each is written as its length in 32 bits and the output of `v8.serialize`. The last record holds
 * the number of records before it, so that a truncated file is detected.
 */
type Record =
  | { readonly kind: "entry"; readonly database: number; readonly entry: Entry }
  | { readonly kind: "functions"; readonly dump: Uint8Array }
  | { readonly kind: "end"; readonly records: number };

/** A snapshot can't be read. */
export class SnapshotError extends Error {}

/**
 * Writes all data to a file, which is there as a whole or not at all: to a temporary file, which is synchronized and then
 * renamed. Nothing else runs in this thread meanwhile.
 * @param beat called repeatedly, to show progress
 * @throws {Error} of the file system; the file is then as it was
 */
export function writeSnapshot(state: RedisServerState, file: string, beat: () => void): void {
  const temporary = `${file}.tmp`;
  const descriptor = openSync(temporary, "w", 0o600);
  try {
    let chunks: Buffer[] = [MAGIC];
    let size = MAGIC.length;
    let records = 0;
    const flush = () => {
      writeFileSync(descriptor, Buffer.concat(chunks));
      chunks = [];
      size = 0;
      beat();
    };
    const write = (record: Record) => {
      const bytes = serialize(record);
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32BE(bytes.length);
      chunks.push(length, bytes);
      size += 4 + bytes.length;
      records++;
      if (size >= CHUNK) flush();
    };
    write({ kind: "functions", dump: state.functionRegistry.dump() });
    for (const database of state.databases) {
      for (const entry of liveEntries(database))
        write({ kind: "entry", database: database.id, entry: withPlainList(entry) });
    }
    write({ kind: "end", records });
    flush();
    fsyncSync(descriptor);
  } catch (error) {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(descriptor);
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** The entry with an array for the elements of a list. The other collections are maps, which are written as such. */
function withPlainList(entry: Entry): Entry {
  const { value } = entry;
  return value.type === "list" ? { ...entry, value: { ...value, values: [...value.values] } } : entry;
}

/**
 * Reads a snapshot into an empty state. If the file does not exist, the state stays empty.
 * @param beat called repeatedly, to show progress
 * @throws {SnapshotError} when it is damaged, or of another version
 */
export function readSnapshot(state: RedisServerState, file: string, beat: () => void): void {
  rmSync(`${file}.tmp`, { force: true });
  if (!existsSync(file)) return;
  const bytes = readFileSync(file);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged(file, "it is not a snapshot");
  let records = 0;
  for (let at = MAGIC.length; ; records++) {
    beat();
    if (at + 4 > bytes.length) throw damaged(file, "it is truncated");
    const from = at + 4;
    at = from + bytes.readUInt32BE(at);
    if (at > bytes.length) throw damaged(file, "it is truncated");
    // A copy: values are parts of it, and must not keep the whole file in memory.
    const record = recordIn(Buffer.from(bytes.subarray(from, at)), file);
    if (record.kind === "end") {
      if (record.records !== records || at !== bytes.length) throw damaged(file, "records are missing");
      return;
    }
    if (record.kind === "functions") state.functionRegistry.restore(Buffer.from(record.dump), "flush");
    else {
      adopt(record.entry.value);
      entriesOf(state.getDatabase(record.database)).set(record.entry.key.toString("hex"), record.entry);
    }
  }
}

function recordIn(bytes: Buffer, file: string): Record {
  try {
    return deserialize(bytes) as Record;
  } catch {
    throw damaged(file, "it was written by a newer Node, or modified");
  }
}

function damaged(file: string, why: string): SnapshotError {
  return new SnapshotError(
    `persist: ${file} can't be read: ${why}; put a good copy in its place, or move it away to start empty`,
  );
}

/** Makes a rename durable. Systems where folders can't be synchronized do that themselves. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Windows.
  }
}
