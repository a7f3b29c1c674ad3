import { RedisCommandError, type RedisDatabase, RedisResult, RedisValue } from "js-redis-server/core";
import { array } from "../commands/define.js";
import { noPath, requireDocument, store, wrongPathType } from "./document.js";
import type { Path } from "./path.js";
import { checkPlace, type Json, type Location, putAt, valueAt } from "./value.js";

/**
 * Replies with one item for each value that the path finds, null for another type; for a legacy path with the first value only.
 * @param expected name of the type that a value must have, for the error of a legacy path
 * @param read returns the reply for one value, undefined if it has another type
 */
export function readEach(
  root: Json,
  path: Path,
  expected: string,
  read: (value: Json) => RedisValue | undefined,
): RedisResult {
  const values = path.read(root);
  if (!path.isLegacy) return array(values.map((value) => read(value) ?? RedisValue.null()));
  const [first] = values;
  if (first === undefined) throw noPath(path);
  const reply = read(first);
  if (!reply) throw wrongPathType(expected, first);
  return RedisResult.create(reply);
}

/** The change of a value: its reply, and the new value or a function that edits an array. With neither, the value stays. */
interface Change {
  readonly reply: RedisValue;
  readonly value?: Json;
  readonly edit?: () => void;
}

/**
 * Changes each value that the path finds and replies as {@link readEach}; a legacy path replies with the last change.
 * @param change returns the change of one value, undefined if it has another type
 */
export function changeEach(
  database: RedisDatabase,
  key: Buffer,
  path: Path,
  expected: string,
  change: (value: Json) => Change | undefined,
): RedisResult {
  const before = requireDocument(database, key);
  const found = path.find(before);
  const changeAt = (root: Json, location: Location) => {
    const value = valueAt(root, location);
    const changed = value === undefined ? undefined : change(value);
    if (changed?.value !== undefined || changed?.edit) checkPlace(location);
    return changed;
  };
  // If one of several changes fails, none is made.
  if (found.length > 1) for (const location of found) changeAt(before, location);
  let root = before;
  let isChanged = false;
  let last: RedisValue | undefined;
  const replies: RedisValue[] = [];
  // From the end, so that a value is changed before the one that contains it.
  for (const location of found.toReversed()) {
    const changed = changeAt(root, location);
    const { value, edit } = changed ?? {};
    if (value !== undefined) root = putAt(root, location, value)!;
    edit?.();
    isChanged ||= value !== undefined || edit !== undefined;
    replies.unshift(changed?.reply ?? RedisValue.null());
    last ??= changed?.reply;
  }
  if (path.isLegacy && last === undefined) {
    const [first] = found;
    throw first ? wrongPathType(expected, valueAt(before, first)!) : noPath(path);
  }
  if (isChanged) store(database, key, root);
  return path.isLegacy ? RedisResult.create(last!) : array(replies);
}

/** Whether a place is inside another one of the list, which is replaced or removed as a whole. */
function isInside(location: Location, others: readonly Location[]): boolean {
  return others.some(
    (other) => other.length < location.length && other.every((part, index) => part === location[index]),
  );
}

/** Returns the places that are inside no other one of the list, each once. */
export function outermost(locations: readonly Location[]): Location[] {
  const seen = new Set<string>();
  return locations.filter((location) => {
    const name = JSON.stringify(location);
    if (seen.has(name) || isInside(location, locations)) return false;
    seen.add(name);
    return true;
  });
}

/**
 * Sets a value at every place of a path, in the document itself. Returns undefined if there is no place, or `only` allows none of them.
 * @param next returns the value for a place from the old one there, undefined for a new member
 */
export function setAt(
  root: Json | undefined,
  path: Path,
  next: (old: Json | undefined) => Json,
  only?: "NX" | "XX",
): Json | undefined {
  if (root === undefined) {
    if (!path.isRoot) throw new RedisCommandError("new objects must be created at the root");
    return only === "XX" ? undefined : next(undefined);
  }
  const found = outermost(path.find(root));
  if (only === (found.length > 0 ? "NX" : "XX")) return undefined;
  const places = found.length > 0 ? found : path.findMissing(root);
  if (places.length === 0) return undefined;
  places.forEach(checkPlace);
  return places.reduce((document: Json, place, index) => {
    const value = next(valueAt(document, place));
    return putAt(document, place, index === 0 ? value : structuredClone(value))!;
  }, root);
}
