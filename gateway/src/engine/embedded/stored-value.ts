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
