import { parseLossless } from "../protocol/lossless.js";
import { defaulting, either, json, optional, options, rest, scalar, scalars } from "./args.js";
import { int, isText, list, nested, nestedText, oneOrMany, orNull, text, value } from "./decoders.js";
import { checked, defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { InferOutput, SchemaOption, StandardSchema } from "./schema.js";
import type { Decoder } from "./spec.js";
import type { AtMostOne, IfNamed } from "./types.js";

/** A JSON value. A string must be JSON text, including the quotes: `'"text"'`. */
export type JsonInput = string | number | boolean | Record<string, unknown> | unknown[];

/** Layout of the text that json.get returns. */
export interface JsonGetOptions {
  /** Text before each level. */
  indent?: string | undefined;
  /** Text at the end of lines. */
  newline?: string | undefined;
  /** Text between a name and its value. */
  space?: string | undefined;
}

/** Commands on JSON. For a path that begins with `$` they return a result per match, null for a match of another type. */
export interface JsonCommands<K extends ReplyMode> {
  /** Appends to arrays. Returns their new lengths. */
  arrappend(key: Key, path: string, ...values: unknown[]): Reply<K, (number | null)[]>;
  /** Returns the index of a value in arrays, -1 if it is missing. */
  arrindex(
    key: Key,
    path: string,
    value: unknown,
    start?: number,
    stop?: number,
  ): Reply<K, (number | null)[]>;
  /** Inserts into arrays before an index. Returns their new lengths. */
  arrinsert(key: Key, path: string, index: number, ...values: unknown[]): Reply<K, (number | null)[]>;
  /** Returns the lengths of arrays; without a path, the length of the document. */
  arrlen(key: Key, path?: string): Reply<K, (number | null)[]>;
  /** Removes an element from arrays, by default the last. Returns the elements. */
  arrpop<T = Stored<K>>(key: Key, path?: string, index?: number): Reply<K, (T | null)[]>;
  /** Keeps the elements from one index to another, both included. Both default to 0. Returns the new lengths. */
  arrtrim(key: Key, path?: string, start?: number, stop?: number): Reply<K, (number | null)[]>;
  /** Empties arrays and objects, sets numbers to 0. Returns how many changed. */
  clear(key: Key, path?: string): Reply<K, number>;
  /** Removes values. Returns how many were removed. */
  del(key: Key, path?: string): Reply<K, number>;
  /** The other name of del. */
  forget(key: Key, path?: string): Reply<K, number>;
  /** Returns the document, the value at one path, or an object of the values at several, or null. */
  get<T = Stored<K>>(key: Key, ...paths: string[]): Reply<K, T | null>;
  /** Asks for text in the layout of the options. Only the codec `text` returns it; the default codec parses it. */
  get<T = Stored<K>>(key: Key, opts: JsonGetOptions | undefined, ...paths: string[]): Reply<K, T | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  get<S extends StandardSchema>(
    key: Key,
    ...pathsAndSchema:
      | [...paths: string[], opts: SchemaOption<S>]
      | [opts: SchemaOption<S>, ...paths: string[]]
  ): Reply<K, InferOutput<S> | null>;
  /** Merges a value into the existing one. Properties that are null in `value` are removed. */
  merge(key: Key, path: string, value: JsonInput): Reply<K, "OK" | null>;
  /** Returns the value at a path of each document, or null. */
  mget<T extends unknown[] = (Stored<K> | null)[]>(keys: Key[], path: string): Reply<K, T>;
  /** As above, but `T` is the type of each item. */
  mget<T = never>(keys: Key[], path: string, ...none: IfNamed<T, []>): Reply<K, (T | null)[]>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  mget<S extends StandardSchema>(
    keys: Key[],
    path: string,
    opts: SchemaOption<S>,
  ): Reply<K, (InferOutput<S> | null)[]>;
  /** Sets several values, all or none. */
  mset(...args: { key: Key; path: string; value: JsonInput }[]): Reply<K, "OK" | null>;
  /** Adds to numbers. Returns their new values. */
  numincrby(key: Key, path: string, value: number): Reply<K, (number | null)[]>;
  /** Multiplies numbers. Returns their new values. */
  nummultby(key: Key, path: string, value: number): Reply<K, (number | null)[]>;
  /** Raises numbers to a power. Returns their new values. */
  numpowby(key: Key, path: string, value: number): Reply<K, (number | null)[]>;
  /** Returns the property names of objects. Without a path Redis returns one value, not an array. */
  objkeys(key: Key, path?: string): Reply<K, (string[] | null)[]>;
  /** Returns how many properties objects have. Without a path Redis returns one value, not an array. */
  objlen(key: Key, path?: string): Reply<K, (number | null)[]>;
  /** Returns the value in the form of Redis's own protocol. */
  resp(key: Key, path?: string): Reply<K, any>;
  /** Sets a value; with `nx` only if there is none, with `xx` only if there is one. Returns null if not. */
  set(
    key: Key,
    path: string,
    value: JsonInput,
    opts?: AtMostOne<{ nx: true; xx: true }, "only one of nx and xx">,
  ): Reply<K, "OK" | null>;
  /** Appends to strings; `value` is JSON text, such as `'"more"'`. Returns their new lengths. */
  strappend(key: Key, path: string, value: string): Reply<K, (number | null)[]>;
  /** Returns the lengths of strings. Without a path Redis returns one value, not an array. */
  strlen(key: Key, path?: string): Reply<K, (number | null)[]>;
  /** Inverts booleans. Returns their new values, as 0 or 1. */
  toggle(key: Key, path: string): Reply<K, number[]>;
  /** Returns the types. Without a path Redis returns one value, not an array. */
  type(key: Key, path?: string): Reply<K, string[]>;
}

export default defineCommands(() => {
  // Text inside a document has JSON's quotes. The default codec keeps quotes, since stored text may begin with one. Another codec may
  // have removed them.
  const found: Decoder = (reply, ...context) => {
    const inside: any = value(reply, ...context);
    return inside?.[0] === '"' && inside === text(reply) ? JSON.parse(inside) : inside;
  };

  const path = optional(scalar);
  // Without a path Redis would return one value instead of an array.
  const root = defaulting("$");

  const lengths = oneOrMany(int);
  const readLengths = read(lengths, scalar, path);
  const count = write(int, scalar, path);
  // RedisJSON returns JSON text, which is not a stored value of the codec. Other servers return numbers.
  const numbers = write(
    (reply, _, args) =>
      (isText(reply) ? value : nested)(reply, (stored) => parseLossless(stored.text()), args),
    scalar,
    scalar,
    scalar,
  );

  const pathOrLayout = either((arg) => typeof arg === "string", scalar, options("indent newline space"));

  return {
    arrappend: write(lengths, scalar, scalar, rest(json)),
    arrindex: read(lengths, scalar, scalar, json, defaulting(0), optional(scalar)),
    arrinsert: write(lengths, scalar, scalar, scalar, rest(json)),
    arrlen: read(lengths, scalar, root),
    arrpop: write(oneOrMany(found), scalar, root, optional(scalar)),
    arrtrim: write(lengths, scalar, root, defaulting(0), defaulting(0)),
    clear: count,
    del: count,
    forget: count,
    get: checked(read(orNull(found), scalar, rest(pathOrLayout, 0)), "whole"),
    merge: write(orNull(text), scalar, scalar, json),
    mget: checked(read(list(orNull(found)), scalars, scalar), "items"),
    mset: write(orNull(text), rest(options("key!= path!= value!=", { value: json }))),
    numincrby: numbers,
    nummultby: numbers,
    numpowby: numbers,
    objkeys: read(nestedText, scalar, path),
    objlen: readLengths,
    resp: read(nestedText, scalar, path),
    set: write(orNull(text), scalar, scalar, json, options("nx? xx?")),
    strappend: write(lengths, scalar, scalar, scalar),
    strlen: readLengths,
    toggle: write(lengths, scalar, scalar),
    type: read(nestedText, scalar, path),
  };
}, "JSON.") satisfies () => Record<keyof JsonCommands<ReplyMode>, unknown>;
