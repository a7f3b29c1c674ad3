import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { RedisCommandError } from "js-redis-server/core";

/** A JSON value. Only {@link putAt} changes one in place. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

export interface JsonObject {
  [name: string]: Json;
}

/** Location of a value in a document: names and indexes, from the root on. */
export type Location = readonly (string | number)[];

/** Maximum nesting of arrays and objects in an argument, as in RedisJSON, and maximum depth of a place that is changed. */
const MAX_DEPTH = 128;
/** Maximum length of a document's text. It may be longer than what was sent: a value can be set at many places. */
const MAX_TEXT = 256 * 1024 * 1024;
const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** Stands before the digits of an integer that a double cannot hold. It is random, so that no document contains it. */
const BIG_MARK = `big:${randomBytes(12).toString("hex")}:`;
const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads JSON text. Integers of 64 bits keep all digits: those that are not safe become bigint.
 * @throws RedisCommandError if it is not JSON in UTF-8, is nested deeper than 128, or has a number that no double holds
 */
export function parseJson(bytes: Buffer): Json {
  const text = decodeText(bytes);
  checkDepth(text);
  try {
    // Numbers that a double may not hold need a further check.
    if (!/\d{16}|[eE]\+?\d{3}/.test(text)) return JSON.parse(text) as Json;
    const marked = text.replace(STRINGS_AND_NUMBERS, (token) =>
      isBigInteger(token) ? `"${BIG_MARK}${token}"` : token,
    );
    return JSON.parse(marked, (_name, value) => {
      if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("number out of range");
      const isBig = typeof value === "string" && value.startsWith(BIG_MARK);
      return isBig ? BigInt(value.slice(BIG_MARK.length)) : value;
    }) as Json;
  } catch {
    throw new RedisCommandError("value is not valid JSON");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RedisCommandError("value is not valid UTF-8");
  }
}

function isBigInteger(token: string): boolean {
  if (!/^-?[1-9]\d{15,19}$/.test(token) || Number.isSafeInteger(Number(token))) return false;
  return isInteger64(BigInt(token));
}

function isInteger64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_UINT64;
}

function checkDepth(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > MAX_DEPTH) throw new RedisCommandError(`JSON is nested deeper than ${MAX_DEPTH}`);
  }
}

/** The default layout of JSON text: nothing is put in. */
export const COMPACT = { indent: "", newline: "", space: "" };
type JsonLayout = Readonly<typeof COMPACT>;

/** @throws RedisCommandError if the text would be longer than 256 MB */
export function formatJson(value: Json, layout: JsonLayout = COMPACT): string {
  return format(value, layout, 0, { left: MAX_TEXT });
}

function format(value: Json, layout: JsonLayout, depth: number, budget: { left: number }): string {
  if (typeof value !== "object" || value === null) {
    const text = typeof value === "bigint" ? String(value) : JSON.stringify(value);
    budget.left -= text.length + depth * layout.indent.length + 2;
    if (budget.left < 0)
      throw new RedisCommandError("JSON text would exceed 256 MB, the embedded engine's limit");
    return text;
  }
  const isArray = Array.isArray(value);
  const items = isArray
    ? (value as Json[]).map((item) => format(item, layout, depth + 1, budget))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}:${layout.space}${format(item, layout, depth + 1, budget)}`,
      );
  const [open, close] = isArray ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  const inner = `${layout.newline}${layout.indent.repeat(depth + 1)}`;
  const outer = `${layout.newline}${layout.indent.repeat(depth)}`;
  return `${open}${inner}${items.join(`,${inner}`)}${outer}${close}`;
}

/** The name that JSON.TYPE has for a value's type. A number without a fraction is an integer. */
export function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || Number.isInteger(value)) return "integer";
  return typeof value;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is Json[] {
  return Array.isArray(value);
}

export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** @throws RedisCommandError if a place is nested deeper than 128. Without this limit, documents could nest ever deeper. */
export function checkPlace(location: Location): void {
  if (location.length > MAX_DEPTH) throw new RedisCommandError(`JSON is nested deeper than ${MAX_DEPTH}`);
}

/** Returns the value at a place, or undefined if the document has no such place. */
export function valueAt(root: Json, location: Location): Json | undefined {
  let value: Json | undefined = root;
  for (const part of location) {
    if (isArray(value)) value = typeof part === "number" ? value[part] : undefined;
    else if (isObject(value) && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}

/**
 * Puts a value at a place whose parent exists, and so changes the document in place. Undefined removes the value that is there.
 * Returns the document, or the value if the place is the root. Do not put one array or object at two places.
 */
export function putAt(root: Json, location: Location, value: Json | undefined): Json | undefined {
  const part = location.at(-1);
  if (part === undefined) return value;
  const parent = valueAt(root, location.slice(0, -1));
  if (isArray(parent)) {
    if (value === undefined) parent.splice(part as number, 1);
    else parent[part as number] = value;
  } else if (isObject(parent)) {
    if (value === undefined) delete parent[part];
    // An assignment to `__proto__` would do something else.
    else Object.defineProperty(parent, part, { value, enumerable: true, configurable: true, writable: true });
  }
  return root;
}

export function isEqual(left: Json, right: Json): boolean {
  // To isDeepStrictEqual 0 and -0 differ.
  return left === right || (typeof left === "object" && isDeepStrictEqual(left, right));
}

/** Merges by RFC 7396: null in the patch removes the member. */
export function merge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merge(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** Applies an operation to two numbers; integers stay exact as long as the result has 64 bits. */
export function calculate(
  operation: "+" | "*" | "^",
  left: number | bigint,
  right: number | bigint,
): number | bigint {
  const isInteger = [left, right].every((value) => typeof value === "bigint" || Number.isSafeInteger(value));
  if (isInteger && !(operation === "^" && (right < 0 || right > 64))) {
    const [a, b] = [BigInt(left), BigInt(right)];
    const result = operation === "+" ? a + b : operation === "*" ? a * b : a ** b;
    const isSafe = result >= Number.MIN_SAFE_INTEGER && result <= Number.MAX_SAFE_INTEGER;
    if (isSafe) return Number(result);
    if (isInteger64(result)) return result;
  }
  const [a, b] = [Number(left), Number(right)];
  const result = operation === "+" ? a + b : operation === "*" ? a * b : a ** b;
  if (!Number.isFinite(result)) throw new RedisCommandError("result is not a number");
  return result;
}
