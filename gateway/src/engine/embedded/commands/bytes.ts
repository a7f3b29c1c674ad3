import { type RedisDatabase, WrongTypeRedisError } from "js-redis-server/core";
import { EMPTY } from "../../../util/bytes.js";
import { peek, replaceValue } from "../keyspace.js";
import { bulk, type CommandTable, integer, MAX_INT64, withDatabase } from "./define.js";

/** The memory of strings that have grown, by the part in use. The rest is zeros, which no other value uses. */
const allocations = new WeakMap<Buffer, Buffer>();

/** The bytes of a string, empty if there is no key: read them, never change them, and copy what is returned to a client. */
export function bytesAt(database: RedisDatabase, key: Buffer): Buffer {
  const value = peek(database, key);
  if (value && value.type !== "string") throw new WrongTypeRedisError();
  return value?.value ?? EMPTY;
}

/**
 * Changes the bytes of a string in place. It may grow by zeros first: its memory then doubles, so that a string that grows by
 * small parts is seldom copied.
 * @param size the least size in bytes; a longer string keeps its size
 */
function change(database: RedisDatabase, key: Buffer, size: number, write: (bytes: Buffer) => void): Buffer {
  const old = bytesAt(database, key);
  let bytes = old;
  if (size > old.length) {
    let memory = allocations.get(old);
    if (!memory || memory.length < size) {
      memory = Buffer.alloc(old.length === 0 ? size : 2 * size);
      old.copy(memory);
    }
    bytes = memory.subarray(0, size);
    allocations.set(bytes, memory);
  }
  write(bytes);
  replaceValue(database, key, { type: "string", value: bytes });
  return bytes;
}

/** A part of BITFIELD. GET has no operand. */
interface FieldOperation {
  readonly kind: "GET" | "SET" | "INCRBY";
  readonly offset: number;
  readonly type: { readonly bits: number; readonly signed: boolean };
  readonly operand?: bigint;
  readonly overflow: "WRAP" | "SAT" | "FAIL";
}

/** Redis takes a negative number for an unsigned field as a number of 64 bits, which is too large. */
function operandOf({ kind, type, operand, overflow }: FieldOperation): bigint | undefined {
  const isUnsigned = kind === "SET" && overflow === "SAT" && !type.signed;
  return isUnsigned && operand! < 0n ? MAX_INT64 : operand;
}

type KeyValue = { key: Buffer; value: Buffer };
type KeyOffset = { key: Buffer; offset: number };

/** Replaces the commands that read or write a part of a string, which the library copies as a whole. */
export function addByteCommands(table: CommandTable): void {
  // The library is given, and copies, only the bytes of these fields.
  table.override<{ key: Buffer; ops: FieldOperation[] }>("bitfield bitfield_ro", (args, ctx, run) => {
    const { key, ops } = args;
    if (ops.length === 0) return run(args);
    const from = Math.min(...ops.map(({ offset }) => Math.floor(offset / 8)));
    const to = Math.max(...ops.map(({ offset, type }) => Math.ceil((offset + type.bits) / 8)));
    const shifted = ops.map((op) => ({ ...op, offset: op.offset - 8 * from, operand: operandOf(op) }));
    const part = withDatabase(ctx, {
      getString: () => bytesAt(ctx.db, key).subarray(from, to),
      setString: (_key, bytes) => {
        change(ctx.db, key, from + bytes.length, (whole) => bytes.copy(whole, from));
      },
    });
    return run({ key, ops: shifted }, part);
  });
  table.override<KeyValue>("append", ({ key, value }, ctx) => {
    const at = bytesAt(ctx.db, key).length;
    return integer(change(ctx.db, key, at + value.length, (bytes) => value.copy(bytes, at)).length);
  });
  table.override<KeyValue & KeyOffset>("setrange", ({ key, offset, value }, ctx) => {
    if (value.length === 0) return integer(bytesAt(ctx.db, key).length);
    return integer(change(ctx.db, key, offset + value.length, (bytes) => value.copy(bytes, offset)).length);
  });
  table.override<KeyOffset & { value: 0 | 1 }>("setbit", ({ key, offset, value }, ctx) => {
    const at = Math.floor(offset / 8);
    const mask = 128 >> (offset % 8);
    const bytes = bytesAt(ctx.db, key);
    const old = bytes[at] ?? 0;
    const byte = value === 1 ? old | mask : old & ~mask;
    // To clients that watch the key, a bit that stays as it is is no change.
    if (byte !== old || at >= bytes.length) change(ctx.db, key, at + 1, (grown) => (grown[at] = byte));
    return integer(old & mask ? 1 : 0);
  });
  table.override<KeyOffset>("getbit", ({ key, offset }, ctx) => {
    const byte = bytesAt(ctx.db, key)[Math.floor(offset / 8)] ?? 0;
    return integer(byte & (128 >> (offset % 8)) ? 1 : 0);
  });
  table.override<{ key: Buffer; start: number; end: number }>("getrange substr", (args, ctx) => {
    const value = bytesAt(ctx.db, args.key);
    if (args.start < 0 && args.end < 0 && args.start > args.end) return bulk("");
    const placeOf = (index: number) => (index < 0 ? Math.max(0, value.length + index) : index);
    return bulk(Buffer.from(value.subarray(placeOf(args.start), placeOf(args.end) + 1)));
  });
  table.override<{ key: Buffer }>("strlen", ({ key }, ctx) => integer(bytesAt(ctx.db, key).length));
}
