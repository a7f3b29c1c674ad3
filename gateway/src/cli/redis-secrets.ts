import { FileError, readTextFile } from "../config/yaml-file.js";
import { SETTINGS } from "../settings/table.js";
import { UsageError } from "./usage-error.js";
import { type Given, readValue } from "./values.js";

/**
 * The URL of the Redis to front, from `redis` or the file that `redisFile` names; undefined without either. The nearer source
 * counts.
 * @throws {UsageError} when a file can't be read, or when both are given in the same source
 */
export function readRedisUrl(given: ReadonlyMap<string, Given>): string | undefined {
  const plain = given.get("redis");
  const file = given.get("redisFile");
  if (plain && file && plain.rank === file.rank)
    throw new UsageError(`${plain.from} and ${file.from} cannot both be given: both are the URL of a Redis`);
  if (file && (!plain || file.rank < plain.rank)) return readSecretFile(file);
  return plain && readValue(SETTINGS.redis, plain);
}

/**
 * A file's text without the line break at its end.
 * @throws {UsageError} when it can't be read, or is empty.
 */
function readSecretFile(given: Given): string {
  try {
    const text = readTextFile(readValue(SETTINGS.redisFile, given)).replace(/\r?\n$/, "");
    if (text.trim() !== "") return text;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`${given.from}: ${error.message}`);
  }
  throw new UsageError(`${given.from}: the file is empty`);
}
