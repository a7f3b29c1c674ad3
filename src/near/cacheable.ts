import { keysOf } from "../commands/keys.js";
import type { Command } from "../execution/command.js";
import { utf8 } from "../protocol/bytes.js";

/**
 * Reads whose reply depends on more than the values of their keys: on chance, the time, a cursor, a script, or other keys. Also
 * reads of modules other than JSON, whose changes Redis need not report.
 */
const NOT_CACHEABLE =
  /^(DBSIZE|DUMP|ECHO|EVAL|FCALL|INFO|KEYS|MEMORY|OBJECT|PING|PUBSUB|SORT|TIME|TOUCH|X(INFO|PENDING|READ))|RAND|SCAN|TTL|^(?!JSON\.)\w+\./;

/** Writes that may change any key. */
const CHANGES_ANY = /^(FLUSH(ALL|DB)|SWAPDB|MIGRATE)$/;

/** Decides whether a key belongs to a near cache. */
export type MatchKey = (key: string) => boolean;

/** Returns the keys of a read whose reply may be stored, or undefined for any other command. */
export function cacheableKeys({ argv, bytes, wait }: Command, matches: MatchKey): string[] | undefined {
  if (bytes || wait !== undefined || NOT_CACHEABLE.test(argv[0] as string)) return undefined;
  const keys = keysOf(argv) as string[];
  return keys.length > 0 && keys.every(matches) ? keys : undefined;
}

/** Returns the keys of the near cache that a command may change, or `"all"` if they are not known. */
export function changedKeys({ argv }: Command, matches: MatchKey): string[] | "all" {
  if (CHANGES_ANY.test(argv[0] as string)) return "all";
  const texts = keysOf(argv).map((key) => (typeof key === "string" ? key : utf8(key, 0, key.length)));
  return texts.filter(matches);
}
