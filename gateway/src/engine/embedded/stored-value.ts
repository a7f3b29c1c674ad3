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
export function* partsOf(value: StoredValue): Generator<Buffer, undefined> {
  switch (value.type) {
    case "list":
      yield* value.values;
      break;
    case "set":
      yield* value.members.values();
      break;
    case "hash":
      for (const { field, value: bytes } of value.fields.values()) yield* [field, bytes];
      break;
    case "zset":
      for (const { member } of value.members.values()) yield member;
      break;
    case "stream":
      for (const { fields } of value.entries) yield* fields;
      break;
  }
}
