import { RedisResult, RedisValue } from "js-redis-server/core";
import type { ExecutionPolicy } from "../guards.js";
import { bulkValue, itemsOf, replyText } from "./define.js";
import { formatDouble } from "./numbers.js";

/** Commands that reply with the null array if they have no result. The library returns the null string. */
const NULL_ARRAYS = new Set(["xread", "xreadgroup"]);
/** Commands that reply with a null array only after their wait timed out. */
const NULL_ARRAYS_AFTER_WAIT = new Set(["blmove", "brpoplpush"]);
const COORDINATE_DECIMALS = 17;

/** Corrects, after a command has run, how the library writes doubles, coordinates and missing arrays. */
export const correctReplies: ExecutionPolicy = {
  name: "replies",
  afterExecute(plan, ctx, result) {
    const { name } = plan.definition;
    const isResp2 = ctx.session.protocolVersion === 2;
    if (isResp2 && /^(b?z|eval|fcall)/.test(name))
      return RedisResult.create(withoutDoubles(result.value), result.options);
    if (name === "xreadgroup" && result.value.kind === "map-pairs")
      return RedisResult.create(RedisValue.mapPairs(result.value.entries.map(withoutDeletedFields)));
    const isMissingArray =
      NULL_ARRAYS.has(name) || (NULL_ARRAYS_AFTER_WAIT.has(name) && !ctx.transactionReplay);
    if (isMissingArray && isNull(result.value)) return RedisResult.create(RedisValue.nullArray());
    if (name === "geopos" && result.value.kind === "array")
      return RedisResult.create(RedisValue.array(result.value.items.map(position)));
    if (/^geo(search|radius)/.test(name))
      return RedisResult.create(withPositions(result.value), result.options);
    return result;
  },
};

function withoutDoubles(value: RedisValue): RedisValue {
  switch (value.kind) {
    case "double":
      return bulkValue(formatDouble(value.value));
    case "array":
    case "set":
      return RedisValue.array(value.items.map(withoutDoubles));
    case "flat-pairs":
    case "map":
      return RedisValue.array(value.entries.flat().map(withoutDoubles));
    default:
      return value;
  }
}

function isNull(value: RedisValue): boolean {
  return value.kind === "null" || (value.kind === "bulk-string" && value.value === null);
}

/** Returns a stream's entries with the null array as the fields of each entry that was deleted since its delivery. */
function withoutDeletedFields([stream, entries]: [RedisValue, RedisValue]): [RedisValue, RedisValue] {
  const corrected = itemsOf(entries).map((entry) => {
    const [id, fields] = itemsOf(entry);
    return id && fields && isNull(fields) ? RedisValue.array([id, RedisValue.nullArray()]) : entry;
  });
  return [stream, RedisValue.array(corrected)];
}

/** A pair of coordinates with 17 decimals, as Redis writes them. */
function position(value: RedisValue): RedisValue {
  if (value.kind !== "array") return isNull(value) ? RedisValue.nullArray() : value;
  return RedisValue.array(
    value.items.map((item) => {
      const text = Number(replyText(item)).toFixed(COORDINATE_DECIMALS);
      return bulkValue(text.replace(/\.?0+$/, ""));
    }),
  );
}

/** In the reply of a search each member may be a list. With WITHCOORD the list ends with the member's position. */
function withPositions(reply: RedisValue): RedisValue {
  if (reply.kind !== "array") return reply;
  const items = reply.items.map((member) =>
    member.kind === "array"
      ? RedisValue.array(member.items.map((item) => (item.kind === "array" ? position(item) : item)))
      : member,
  );
  return RedisValue.array(items);
}
