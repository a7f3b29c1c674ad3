import { optional, rest, scalar, scalars } from "./args.js";
import { int, list, orNull } from "./decoders.js";
import { defineCommands, read, write, writeIf } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import type { CommandSpec } from "./spec.js";

/** Whether offsets count bytes or bits. */
export type BitUnit = "BYTE" | "BIT" | "byte" | "bit";

/** Commands on bits of strings. */
export interface BitmapCommands<K extends ReplyMode> {
  /** Reads integers of any width: `"GET", encoding, offset` once or more. Returns them in order. */
  bitfieldRo(key: Key, ...gets: ("GET" | "get" | string | number)[]): Reply<K, number[]>;
  /** Returns how many bits are set, in all or between two offsets. */
  bitcount(key: Key): Reply<K, number>;
  /** Returns how many bits are set between two offsets, both included, in bytes unless `unit` is `BIT`. */
  bitcount(key: Key, start: number, end: number, unit?: BitUnit): Reply<K, number>;
  /** Combines strings bit by bit and stores the result. Returns its length in bytes. */
  bitop(
    op: "and" | "or" | "xor",
    destinationKey: Key,
    sourceKey: Key,
    ...sourceKeys: Key[]
  ): Reply<K, number>;
  /** Inverts a string and stores the result. Returns its length in bytes. */
  bitop(op: "not", destinationKey: Key, sourceKey: Key): Reply<K, number>;
  /** Compares the first string with all others bit by bit, and stores the result. Returns its length. */
  bitop(op: "diff" | "diff1" | "andor", destinationKey: Key, x: Key, ...y: Key[]): Reply<K, number>;
  /** Stores the bits that are set in exactly one of the strings. Returns the result's length in bytes. */
  bitop(op: "one", destinationKey: Key, ...sourceKeys: Key[]): Reply<K, number>;
  /** Returns the offset of the first bit that is `bit`, or -1. */
  bitpos(key: Key, bit: 0 | 1, start?: number, end?: number, unit?: BitUnit): Reply<K, number>;
  /** Returns the bit at an offset. */
  getbit(key: Key, offset: number): Reply<K, 0 | 1>;
  /** Sets the bit at an offset. Returns the previous bit. */
  setbit(key: Key, offset: number, value: 0 | 1): Reply<K, 0 | 1>;
}

/** Integers of any width inside a string, read and changed together by `exec()`. */
export interface BitFieldCommand<R> {
  /** Reads an integer, such as `"u8"` at offset 0 or `"#2"`. */
  get(encoding: string, offset: number | string): this;
  /** Sets an integer. The result is the previous integer. */
  set(encoding: string, offset: number | string, value: number): this;
  /** Adds to an integer. The result is the new integer, or null if it would overflow under FAIL. */
  incrby(encoding: string, offset: number | string, increment: number): this;
  /** Sets the overflow behaviour of the following operations. */
  overflow(overflow: "WRAP" | "SAT" | "FAIL"): this;
  /** Sends the operations. */
  exec(): R;
}

const integers = list(orNull(int));

export const bitmapCommands = defineCommands(() => ({
  bitfieldRo: read(integers, scalar, rest(scalar)),
  bitcount: read(int, scalar, optional(scalar), optional(scalar), optional(scalar)),
  bitop: write(int, scalar, scalar, rest(scalars)),
  bitpos: read(int, scalar, scalar, optional(scalar), optional(scalar), optional(scalar)),
  getbit: read(int, scalar, scalar),
  setbit: write(int, scalar, scalar, scalar),
})) satisfies () => Record<keyof BitmapCommands<ReplyMode>, unknown>;

/** BITFIELD with all its operations. It is a read unless one of them is SET or INCRBY. */
export const bitfieldSpec: CommandSpec = {
  name: "BITFIELD",
  ...writeIf((args) => args.some((arg, i) => i && /^(set|incrby)$/i.test(String(arg))))(
    integers,
    scalar,
    rest(scalar, 0),
  ),
};

/** Collects operations on a key's bits and passes them to `send` in one command. */
export const bitfield =
  <R>(send: (spec: CommandSpec, args: unknown[]) => R) =>
  (key: Key): BitFieldCommand<R> => {
    const args: unknown[] = [key];
    const chain = { exec: () => send(bitfieldSpec, args) } as BitFieldCommand<R>;
    for (const method of ["get", "set", "incrby", "overflow"] as const) {
      chain[method] = (...operands: unknown[]) => {
        args.push(method.toUpperCase(), ...operands);
        return chain;
      };
    }
    return chain;
  };
