import { RedisCommandError, type RedisDatabase, WrongTypeRedisError } from "js-redis-server/core";
import { bulkValue } from "../commands/define.js";
import { peek, replaceValue } from "../keyspace.js";
import { JSON_TYPE } from "../stored-value.js";
import type { Path } from "./path.js";
import { formatJson, type Json, typeOf } from "./value.js";

export const ROOT = Buffer.from(".");
export const NO_KEY = "could not perform this operation on a key that doesn't exist";

/** Returns the document at a key, or undefined if the key does not exist. @throws RedisCommandError if the key has another type */
export function documentAt(database: RedisDatabase, key: Buffer): Json | undefined {
  const value = peek(database, key);
  if (!value) return undefined;
  if (value.type !== JSON_TYPE) throw new WrongTypeRedisError();
  return value.root;
}

export function requireDocument(database: RedisDatabase, key: Buffer): Json {
  const root = documentAt(database, key);
  if (root === undefined) throw new RedisCommandError(NO_KEY);
  return root;
}

export function store(database: RedisDatabase, key: Buffer, root: Json | undefined): void {
  if (root === undefined) database.delete(key);
  else replaceValue(database, key, { type: JSON_TYPE, root });
}

export function noPath(path: Path): RedisCommandError {
  return new RedisCommandError(`Path '${path.text}' does not exist`);
}

export function wrongPathType(expected: string, value: Json): RedisCommandError {
  return new RedisCommandError(
    `wrong type of path value - expected ${expected} but found ${typeOf(value)}`,
    "WRONGTYPE",
  );
}

export const textOf = (value: Json) => bulkValue(formatJson(value));
