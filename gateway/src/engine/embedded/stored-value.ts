import type { KeyspaceEntry, RedisDataValue } from "js-redis-server/core";
import type { Json } from "./json/value.js";

/** The name of the type of JSON documents, as TYPE returns it. */
export const JSON_TYPE = "ReJSON-RL";

/** A JSON document, a type that the library does not have. */
export interface JsonDocument {
  readonly type: typeof JSON_TYPE;
  readonly root: Json;
}

/** A value of a type of the library, or of ours. */
export type StoredValue = RedisDataValue | JsonDocument;

/** An entry as the library stores it, with the time of its last use, in ms. */
export type Entry = Omit<KeyspaceEntry, "value"> & { value: StoredValue; usedAt?: number };

/** Whether an entry, or the field of a hash, has not expired. */
export function isLive({ expiresAt }: { readonly expiresAt?: number }, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}

/** The elements or members of a value, or its fields and their values. */
export function partsOf(value: StoredValue): Iterable<Buffer> {
  switch (value.type) {
    case "list":
      return value.values;
    case "set":
      return value.members.values();
    case "hash":
      return [...value.fields.values()].flatMap(({ field, value: bytes }) => [field, bytes]);
    case "zset":
      return Array.from(value.members.values(), ({ member }) => member);
    case "stream":
      return value.entries.flatMap(({ fields }) => fields);
    default:
      return [];
  }
}
