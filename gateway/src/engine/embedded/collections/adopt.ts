import type { RedisListData, RedisSortedSetData } from "js-redis-server/core";
import { ExpiringMap } from "./expiring-map.js";
import { IndexedMap } from "./indexed-map.js";
import { ListValues } from "./list-values.js";
import { SortedMembers } from "./sorted-members.js";

/** Replaces the plain collection of a value by one that stays fast at any size. Returns the same value. */
export function adopt<T extends { readonly type: string }>(value: T): T {
  const { type } = value;
  if (type === "list") adoptList(value as unknown as RedisListData);
  else if (type === "hash") adoptMap(value, "fields", ExpiringMap);
  else if (type === "set") adoptMap(value, "members", IndexedMap);
  else if (type === "zset") adoptMap(value, "members", SortedMembers);
  return value;
}

/** Returns the elements of a list that {@link adopt} returned. Without a list they are empty. */
export function listValues(list: RedisListData | null): ListValues {
  return (list?.values as unknown as ListValues | undefined) ?? new ListValues();
}

/** Returns the fields of a hash or the members of a set that {@link adopt} returned. Without a value they are empty. */
export function indexed<V>(items: ReadonlyMap<string, V> | undefined): IndexedMap<V> {
  return (items as IndexedMap<V> | undefined) ?? new IndexedMap<V>();
}

/** Returns the members of a sorted set that {@link adopt} returned. Without a set they are empty. */
export function sortedMembers(zset: RedisSortedSetData | null): SortedMembers {
  return (zset?.members as SortedMembers | undefined) ?? new SortedMembers();
}

function adoptList(value: RedisListData): void {
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
