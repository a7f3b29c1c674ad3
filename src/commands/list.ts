import { optional, optionalCount, options, rest, scalar, scalars, stored } from "./args.js";
import { int, list, oneOrMany, orNull, text, tuple, value } from "./decoders.js";
import { checked, defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { InferOutput, SchemaOption, StandardSchema } from "./schema.js";
import type { StorableValue } from "./storable.js";
import type { SeveralValues } from "./types.js";

/** The range of lpos, and the number of matches. */
export interface LPosOptions {
  /** Number of the match to begin with: 1 is the first, -1 the last. */
  rank?: number | undefined;
  /** The number of matches, 0 for all; the reply is then an array. */
  count?: number | undefined;
  /** Maximum number of elements to compare, 0 for all. */
  maxLen?: number | undefined;
}

/** The range of lpos for one match. */
export interface LPosOneOptions extends LPosOptions {
  /** Absent: the reply is the index of one match. */
  count?: undefined;
}

/** The range of lpos for several matches. */
export interface LPosManyOptions extends LPosOptions {
  /** The number of matches, 0 for all. */
  count: number;
}

/** An end of a list. */
export type Side = "left" | "right" | "LEFT" | "RIGHT";

/** Number and order of the elements that blmovem and lmovem move. */
export type MoveOptions = (
  | {
      /** Maximum number of elements to move. */
      count: number;
      /** Not together with `count`. */
      exactly?: "only one of count and exactly" | undefined;
    }
  | {
      /** Not together with `exactly`. */
      count?: "only one of count and exactly" | undefined;
      /** Number of elements to move. If there are fewer, none is moved. */
      exactly: number;
    }
) & {
  /** "OBO" moves one by one, which reverses the order; "BULK" keeps the order. */
  order: "OBO" | "BULK";
};

/** Commands on lists. */
export interface ListCommands<K extends ReplyMode> {
  /** Moves an element, waiting for one at most `timeout` seconds (0: forever). Returns it, or null. */
  blmove<T = Stored<K, string>>(
    source: Key,
    destination: Key,
    whereFrom: Side,
    whereTo: Side,
    timeout: number,
  ): Reply<K, T | null>;
  /** Moves elements between lists, waiting for them at most `timeout` seconds. Returns them in their new order, or null. */
  blmovem<T = Stored<K, string>>(
    source: Key,
    destination: Key,
    whereFrom: Side,
    whereTo: Side,
    timeout: number,
    opts?: MoveOptions,
  ): Reply<K, T[] | null>;
  /** Takes elements of the first list that has any, waiting `timeout` seconds at most, or returns null. */
  blmpop<T = Stored<K>>(
    timeout: number,
    numkeys: number,
    keys: Key[],
    side: Side,
    count?: number,
  ): Reply<K, [key: string, elements: T[]] | null>;
  /** Takes the first element of the first list that has any, waiting `timeout` seconds at most, or null. */
  blpop<T = Stored<K>>(keys: Key | Key[], timeout: number): Reply<K, [key: string, element: T] | null>;
  /** Takes the last element of the first list that has any, waiting `timeout` seconds at most, or null. */
  brpop<T = Stored<K>>(keys: Key | Key[], timeout: number): Reply<K, [key: string, element: T] | null>;
  /** Moves the last element of one list to the start of another, waiting for it. Older form of blmove. */
  brpoplpush<T = Stored<K, string>>(source: Key, destination: Key, timeout: number): Reply<K, T | null>;
  /** Returns the element at an index, or null. A negative index counts from the end. */
  lindex<T = Stored<K, any>>(key: Key, index: number): Reply<K, T | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  lindex<S extends StandardSchema>(
    key: Key,
    index: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S> | null>;
  /** Inserts beside the first `pivot`. Returns the new length, -1 without a pivot, 0 without a list. */
  linsert<T = unknown, Tag = never>(
    key: Key,
    direction: "before" | "after",
    pivot: StorableValue<K, T, Tag>,
    value: StorableValue<K, T, Tag>,
  ): Reply<K, number>;
  /** Returns the length. */
  llen(key: Key): Reply<K, number>;
  /** Moves an element from an end of one list to an end of another. Returns the element, or null. */
  lmove<T = Stored<K, string>>(
    source: Key,
    destination: Key,
    whereFrom: Side,
    whereTo: Side,
  ): Reply<K, T | null>;
  /** Moves elements between lists, one by default. Returns them in their new order, or null. */
  lmovem<T = Stored<K, string>>(
    source: Key,
    destination: Key,
    whereFrom: Side,
    whereTo: Side,
    opts?: MoveOptions,
  ): Reply<K, T[] | null>;
  /** Takes elements from the first list that has any. Returns key and elements, or null. */
  lmpop<T = Stored<K>>(
    numkeys: number,
    keys: Key[],
    side: Side,
    count?: number,
  ): Reply<K, [key: string, elements: T[]] | null>;
  /**
   * Takes the first element. Returns it, or null if the list does not exist.
   * @example
   * ```ts
   * await redis.lpop<Job>("jobs"); // { id: 2 }, or null
   * ```
   */
  lpop<T = Stored<K>>(key: Key): Reply<K, T | null>;
  /** Takes up to `count` of the first elements. Returns them, or null if the list does not exist. */
  lpop<T = Stored<K>>(key: Key, count: number): Reply<K, SeveralValues<T> | null>;
  /** Takes the first element, or up to `count` of them. */
  lpop<T = Stored<K>>(key: Key, count: number | undefined): Reply<K, T | SeveralValues<T> | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  lpop<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  lpop<S extends StandardSchema>(
    key: Key,
    count: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[] | null>;
  /** Returns the index of an element, or null; with `count` an array of indexes. */
  lpos<T = number>(key: Key, element: unknown, opts?: LPosOneOptions): Reply<K, T | null>;
  /** Returns the indexes of up to `count` elements. */
  lpos<T = number[]>(key: Key, element: unknown, opts: LPosManyOptions): Reply<K, T>;
  /** Returns the index of an element, or null; with `count` an array of indexes. */
  lpos<T = number | number[] | null>(key: Key, element: unknown, opts: LPosOptions | undefined): Reply<K, T>;
  /**
   * Inserts elements at the start, one after the other. Returns the new length.
   * @example
   * ```ts
   * await redis.lpush("jobs", { id: 1 }, { id: 2 }); // 2 elements
   * ```
   */
  lpush<T = unknown, Tag = never>(key: Key, ...elements: StorableValue<K, T, Tag>[]): Reply<K, number>;
  /** Inserts elements at the start if the list exists. Returns the new length, else 0. */
  lpushx<T = unknown, Tag = never>(key: Key, ...elements: StorableValue<K, T, Tag>[]): Reply<K, number>;
  /**
   * Returns the elements between two indexes, both included; negative ones count from the end.
   * @example
   * ```ts
   * await redis.lrange<Job>("jobs", 0, -1); // [{ id: 2 }, { id: 1 }]
   * ```
   */
  lrange<T = Stored<K, string>>(key: Key, start: number, end: number): Reply<K, T[]>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  lrange<S extends StandardSchema>(
    key: Key,
    start: number,
    end: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[]>;
  /** Removes `count` elements equal to `value`, from the end if negative, all if 0. Returns how many. */
  lrem<T = unknown, Tag = never>(key: Key, count: number, value: StorableValue<K, T, Tag>): Reply<K, number>;
  /** Sets the element at an index. */
  lset<T = unknown, Tag = never>(key: Key, index: number, value: StorableValue<K, T, Tag>): Reply<K, "OK">;
  /** Keeps only the elements between two indexes, both included. */
  ltrim(key: Key, start: number, end: number): Reply<K, "OK">;
  /** Takes the last element. Returns it, or null if the list does not exist. */
  rpop<T = Stored<K, string>>(key: Key): Reply<K, T | null>;
  /** Takes up to `count` of the last elements. Returns them, or null if the list does not exist. */
  rpop<T = Stored<K, string>>(key: Key, count: number): Reply<K, SeveralValues<T> | null>;
  /** Takes the last element, or up to `count` of them. */
  rpop<T = Stored<K, string>>(key: Key, count: number | undefined): Reply<K, T | SeveralValues<T> | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  rpop<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  rpop<S extends StandardSchema>(
    key: Key,
    count: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[] | null>;
  /** Moves the last element of one list to the start of another. Older form of lmove. */
  rpoplpush<T = Stored<K, string>>(source: Key, destination: Key): Reply<K, T | null>;
  /**
   * Appends elements at the end. Returns the new length.
   * @example
   * ```ts
   * await redis.rpush("jobs", { id: 3 }); // 3 elements
   * ```
   */
  rpush<T = unknown, Tag = never>(key: Key, ...elements: StorableValue<K, T, Tag>[]): Reply<K, number>;
  /** Appends elements at the end if the list exists. Returns the new length, else 0. */
  rpushx<T = unknown, Tag = never>(key: Key, ...elements: StorableValue<K, T, Tag>[]): Reply<K, number>;
}

export default defineCommands(() => {
  const one = orNull(value);
  const popped = orNull(tuple(text, value));
  const poppedMany = orNull(tuple(text, list(value)));
  const push = write(int, scalar, rest(stored));
  const pop = checked(write(oneOrMany(value), scalar, optional(scalar)));

  const many = orNull(list(value));

  const moving = options("count exactly order=");

  return {
    blmove: write(one, scalar, scalar, scalar, scalar, scalar),
    blmovem: write(many, scalar, scalar, scalar, scalar, scalar, moving),
    blmpop: write(poppedMany, scalar, scalar, scalars, scalar, optionalCount),
    blpop: write(popped, scalars, scalar),
    brpop: write(popped, scalars, scalar),
    brpoplpush: write(one, scalar, scalar, scalar),
    lindex: checked(read(one, scalar, scalar)),
    linsert: write(int, scalar, scalar, stored, stored),
    llen: read(int, scalar),
    lmove: write(one, scalar, scalar, scalar, scalar),
    lmovem: write(many, scalar, scalar, scalar, scalar, moving),
    lmpop: write(poppedMany, scalar, scalars, scalar, optionalCount),
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
  };
}) satisfies () => Record<keyof ListCommands<ReplyMode>, unknown>;
