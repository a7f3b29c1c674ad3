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
    case "boolean":
      return isResp3 ? value.value : value.value ? 1 : 0;
    case "big-number":
      return isResp3 ? { big_number: Buffer.from(String(value.value)) } : Buffer.from(String(value.value));
    case "verbatim":
      return isResp3
        ? { verbatim_string: { format: Buffer.from(value.format), string: value.value } }
        : value.value;
    case "array":
      return isResp3 && SETS.has(command.toLowerCase())
        ? { set: value.items.map(convert) }
        : value.items.map(convert);
    case "set":
      return isResp3 ? { set: value.items.map(convert) } : value.items.map(convert);
    case "map":
    case "map-pairs": {
      const pairs = value.entries.map(([key, item]) => [convert(key), convert(item)]);
      if (isResp3) return { map: pairs };
      return value.kind === "map" ? pairs.flat() : pairs;
    }
    case "flat-pairs": {
      const pairs = value.entries.map(([key, item]) => [convert(key), convert(item)]);
      return isResp3 ? pairs : pairs.flat();
    }
    case "push":
      return [Buffer.from(value.name), ...value.items.map(convert)];
    case "null":
    case "null-array":
      return null;
    case "error":
      return { err: Buffer.from(value.message), ...(value.code && { code: Buffer.from(value.code) }) };
  }
}
