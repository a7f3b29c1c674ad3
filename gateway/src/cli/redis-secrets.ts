import { FileError, readTextFile } from "../config/yaml-file.js";
import { SETTINGS } from "../settings/table.js";
import { UsageError } from "./usage-error.js";
import { type Given, readValue } from "./values.js";

/**
 * The URL of the Redis to front, from `redis` or the file that `redisFile` names; undefined without either.
 * @throws {UsageError} when a file can't be read, or when two settings contradict each other.
 */
export function readRedisUrl(given: ReadonlyMap<string, Given>): string | undefined {
  const plain = given.get("redis");
  const file = given.get("redisFile");
  return isFromFile(plain, file, "the URL of a Redis")
    ? readSecretFile(file!)
    : plain && readValue(SETTINGS.redis, plain);
}

/**
 * Returns whether a value stands in the file that one setting names, rather than in the other setting. The nearer source counts.
 * @throws {UsageError} when both are given in the same source
 */
function isFromFile(plain: Given | undefined, file: Given | undefined, what: string): boolean {
  if (plain && file && plain.rank === file.rank)
    throw new UsageError(`${plain.from} and ${file.from} cannot both be given: both are ${what}`);
  return file !== undefined && (plain === undefined || file.rank < plain.rank);
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
