import { optional, options, prefixed, rest, scalar, scalars, stored } from "./args.js";
import { int, list, oneOrMany, orNull, text, tuple, value } from "./decoders.js";
import { checked, defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import type { InferOutput, SchemaOption, StandardSchema } from "./schema.js";

/** Where lpos looks, and for how many. */
export interface LPosOptions {
  /** Which match to begin with: 1 is the first, -1 the last. */
  rank?: number;
  /** How many matches to give, 0 for all; the reply is then an array. */
  count?: number;
  /** How many elements to look at, 0 for all. */
  maxLen?: number;
}

/** An end of a list. */
export type Side = "left" | "right" | "LEFT" | "RIGHT";

/** Up to so many elements, or so many or none; "OBO" one by one, which turns their order round, "BULK" as they stand. */
export type MoveOptions = (
  | { count: number; exactly?: undefined }
  | { count?: undefined; exactly: number }
) & {
  order: "OBO" | "BULK";
};

export interface ListCommands<K extends ReplyMode> {
  /** Moves an element between lists, waiting for one at most `timeout` seconds (0: for ever). Gives it, or null. */
  blmove<T = string>(
    source: Key,
    destination: Key,
    whereFrom: Side,
    whereTo: Side,
    timeout: number,
  ): Reply<K, T | null>;
  /** Moves elements between lists, waiting for them at most `timeout` seconds. Gives them as they stand now, or null. */
  blmovem<T = string>(
    source: Key,
    destination: Key,
    whereFrom: Side,
    whereTo: Side,
    timeout: number,
    opts?: MoveOptions,
  ): Reply<K, T[] | null>;
  /** Takes elements from the first list that has any, waiting at most `timeout` seconds. Gives key and elements, or null. */
  blmpop<T = unknown>(
    timeout: number,
    numkeys: number,
    keys: Key[],
    side: Side,
    count?: number,
  ): Reply<K, [key: string, elements: T[]] | null>;
  /** Takes the first element of the first list that has any, waiting at most `timeout` seconds. Gives key and element, or null. */
  blpop<T = unknown>(keys: Key | Key[], timeout: number): Reply<K, [key: string, element: T] | null>;
  /** Takes the last element of the first list that has any, waiting at most `timeout` seconds. Gives key and element, or null. */
  brpop<T = unknown>(keys: Key | Key[], timeout: number): Reply<K, [key: string, element: T] | null>;
  /** The older way to blmove from the right to the left. */
  brpoplpush<T = string>(source: Key, destination: Key, timeout: number): Reply<K, T | null>;
  /** Gives the element at an index, negative from the end, or null. */
  lindex<T = any>(key: Key, index: number): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  lindex<S extends StandardSchema>(
    key: Key,
    index: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S> | null>;
  /** Inserts beside the first element equal to `pivot`. Gives the length afterwards, -1 without pivot, 0 without list. */
  linsert<T = unknown>(key: Key, direction: "before" | "after", pivot: T, value: T): Reply<K, number>;
  /** Gives the length. */
  llen(key: Key): Reply<K, number>;
  /** Moves an element from an end of one list to an end of another. Gives it, or null. */
  lmove<T = string>(source: Key, destination: Key, whereFrom: Side, whereTo: Side): Reply<K, T | null>;
  /** Moves elements between lists, one unless told how many. Gives them as they stand now, or null. */
  lmovem<T = string>(
    source: Key,
    destination: Key,
    whereFrom: Side,
    whereTo: Side,
    opts?: MoveOptions,
  ): Reply<K, T[] | null>;
  /** Takes elements from the first list that has any. Gives key and elements, or null. */
  lmpop<T = unknown>(
    numkeys: number,
    keys: Key[],
    side: Side,
    count?: number,
  ): Reply<K, [key: string, elements: T[]] | null>;
  /** Takes the first element, or with a count an array of the first elements. Gives null where there is no list. */
  lpop<T = unknown>(key: Key, count?: number): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  lpop<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  lpop<S extends StandardSchema>(
    key: Key,
    count: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[] | null>;
  /** Gives the index of an element, or null; with `count` an array of indexes. */
  lpos<T = number>(key: Key, element: unknown, opts?: LPosOptions): Reply<K, T>;
  /** Puts elements before the first, one after the other. Gives the length afterwards. */
  lpush<T = unknown>(key: Key, ...elements: T[]): Reply<K, number>;
  /** The same where the list exists. Gives the length afterwards, else 0. */
  lpushx<T = unknown>(key: Key, ...elements: T[]): Reply<K, number>;
  /** Gives the elements between two indexes, both included; negative ones count from the end. */
  lrange<T = string>(key: Key, start: number, end: number): Reply<K, T[]>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  lrange<S extends StandardSchema>(
    key: Key,
    start: number,
    end: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[]>;
  /** Removes `count` elements equal to `value`, from the end if negative, all if 0. Gives how many it removed. */
  lrem<T = unknown>(key: Key, count: number, value: T): Reply<K, number>;
  /** Sets the element at an index. */
  lset<T = unknown>(key: Key, index: number, value: T): Reply<K, "OK">;
  /** Keeps only the elements between two indexes, both included. */
  ltrim(key: Key, start: number, end: number): Reply<K, "OK">;
  /** Takes the last element, or with a count an array of the last elements. Gives null where there is no list. */
  rpop<T = string>(key: Key, count?: number): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  rpop<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  rpop<S extends StandardSchema>(
    key: Key,
    count: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[] | null>;
  /** The older way to lmove from the right to the left. */
  rpoplpush<T = string>(source: Key, destination: Key): Reply<K, T | null>;
  /** Puts elements after the last. Gives the length afterwards. */
  rpush<T = unknown>(key: Key, ...elements: T[]): Reply<K, number>;
  /** The same where the list exists. Gives the length afterwards, else 0. */
  rpushx<T = unknown>(key: Key, ...elements: T[]): Reply<K, number>;
}

const one = orNull(value);
const popped = orNull(tuple(text, value));
const poppedMany = orNull(tuple(text, list(value)));
const push = write(int, scalar, rest(stored));
const pop = checked(write(oneOrMany(value), scalar, optional(scalar)));

const many = orNull(list(value));

const moving = options("count exactly order=");
const count = optional(prefixed("COUNT", scalar));

export const listCommands = defineCommands(() => ({
  blmove: write(one, scalar, scalar, scalar, scalar, scalar),
  blmovem: write(many, scalar, scalar, scalar, scalar, scalar, moving),
  blmpop: write(poppedMany, scalar, scalar, scalars, scalar, count),
  blpop: write(popped, scalars, scalar),
  brpop: write(popped, scalars, scalar),
  brpoplpush: write(one, scalar, scalar, scalar),
  lindex: checked(read(one, scalar, scalar)),
  linsert: write(int, scalar, scalar, stored, stored),
  llen: read(int, scalar),
  lmove: write(one, scalar, scalar, scalar, scalar),
  lmovem: write(many, scalar, scalar, scalar, scalar, moving),
  lmpop: write(poppedMany, scalar, scalars, scalar, count),
  lpop: pop,
  lpos: read(oneOrMany(int), scalar, stored, options("rank count maxLen")),
  lpush: push,
  lpushx: push,
  lrange: checked(read(list(value), scalar, scalar, scalar)),
  lrem: write(int, scalar, scalar, stored),
  lset: write(text, scalar, scalar, stored),
  ltrim: write(text, scalar, scalar, scalar),
  rpop: pop,
  rpoplpush: write(one, scalar, scalar),
  rpush: push,
  rpushx: push,
})) satisfies () => Record<keyof ListCommands<ReplyMode>, unknown>;
