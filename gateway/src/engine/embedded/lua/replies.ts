import type { RedisValue } from "js-redis-server/core";
import { formatDouble } from "../commands/numbers.js";

/** Commands that reply with a set in RESP3, where the library has an array. */
const SETS = new Set(["smembers", "sinter", "sunion", "sdiff", "spop"]);

/**
 * A command's reply as a script gets it.
 * @param command its name, if the script chose RESP3: doubles, maps and sets then stay such
 */
export function toLua(value: RedisValue, command?: string): unknown {
  const isResp3 = command !== undefined;
  const convert = (item: RedisValue) => toLua(item, command);
  switch (value.kind) {
    case "simple-string":
      return { ok: Buffer.from(value.value) };
    case "bulk-string":
    case "integer":
      return value.value;
    case "double":
      return isResp3 ? { double: value.value } : Buffer.from(formatDouble(value.value));
    case "array":
    case "set": {
      const items = value.items.map(convert);
      return isResp3 && (value.kind === "set" || SETS.has(command.toLowerCase())) ? { set: items } : items;
    }
    case "map":
    case "map-pairs":
    case "flat-pairs": {
      const pairs = value.entries.map(([key, item]) => [convert(key), convert(item)]);
      if (isResp3) return value.kind === "flat-pairs" ? pairs : { map: pairs };
      return value.kind === "map-pairs" ? pairs : pairs.flat();
    }
    case "error":
      return { err: Buffer.from(value.message), ...(value.code && { code: Buffer.from(value.code) }) };
    default:
      // A null. Commands that a script may call reply with no value of another kind.
      return null;
  }
}
