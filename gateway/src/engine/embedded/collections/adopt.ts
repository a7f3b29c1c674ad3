import type { RedisDataValue } from "js-redis-server/core";
import { HashFields } from "./hash-fields.js";
import { IndexedMap } from "./indexed-map.js";
import { ListValues } from "./list-values.js";
import { SortedMembers } from "./sorted-members.js";

type ValueOf<T extends RedisDataValue["type"]> = Extract<RedisDataValue, { type: T }>;

/** Replaces the plain collections of a value by ones that stay fast at any size. Returns the same value. */
export function adopt<T extends { readonly type: string }>(value: T): T {
  const { type } = value;
  if (type === "list") adoptList(value as unknown as ValueOf<"list">);
  else if (type === "hash") adoptMap(value, "fields", HashFields);
  else if (type === "set") adoptMap(value, "members", IndexedMap);
  else if (type === "zset") adoptMap(value, "members", SortedMembers);
  return value;
}

/** The elements of a list that {@link adopt} returned. */
export function listValues(value: ValueOf<"list">): ListValues {
  return value.values as unknown as ListValues;
}

function adoptList(value: ValueOf<"list">): void {
  const values: object = value.values;
  // Of the methods of an array, the library calls only those that ListValues has.
  if (Array.isArray(values)) value.values = new ListValues(values as Buffer[]) as unknown as Buffer[];
}

function adoptMap(value: object, name: string, Collection: new () => Map<string, unknown>): void {
  const parts = value as Record<string, Map<string, unknown>>;
  if (parts[name] instanceof Collection) return;
  const adopted = new Collection();
  for (const [id, item] of parts[name]!) adopted.set(id, item);
  parts[name] = adopted;
}
