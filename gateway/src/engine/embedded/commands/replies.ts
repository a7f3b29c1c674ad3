import { RedisResult, RedisValue } from "js-redis-server/core";
import type { ExecutionPolicy } from "../guards.js";
import { formatDouble } from "./numbers.js";

/** Commands with no result reply with the null array, where the library has the null string. */
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
    if (isResp2 && /^b?z/.test(name)) return replaceDoubles(result);
    if (name === "xreadgroup" && result.value.kind === "map-pairs")
      return RedisResult.create(RedisValue.mapPairs(result.value.entries.map(withoutDeletedFields)));
    const isMissingArray =
      NULL_ARRAYS.has(name) || (NULL_ARRAYS_AFTER_WAIT.has(name) && !ctx.transactionReplay);
    if (isMissingArray && isNull(result.value)) return RedisResult.create(RedisValue.nullArray());
    if (name === "geopos" && result.value.kind === "array")
      return RedisResult.create(RedisValue.array(result.value.items.map(position)));
    if (/^geo(search|radius)/.test(name))
      return RedisResult.create(withPositions(result.value), result.options);
    if (name === "function" && plan.rawArgs[0]?.toString().toLowerCase() === "list")
      return addDescriptions(result, ctx.server.functionRegistry.list());
    return result;
  },
};

function replaceDoubles(result: RedisResult): RedisResult {
  const value = withoutDoubles(result.value);
  return value === result.value ? result : RedisResult.create(value, result.options);
}

function withoutDoubles(value: RedisValue): RedisValue {
  switch (value.kind) {
    case "double":
      return RedisValue.bulkString(Buffer.from(formatDouble(value.value)));
    case "array":
      return RedisValue.array(value.items.map(withoutDoubles));
    case "flat-pairs":
      return RedisValue.array(value.entries.flat().map(withoutDoubles));
    default:
      return value;
  }
}

function isNull(value: RedisValue): boolean {
  return value.kind === "null" || (value.kind === "bulk-string" && value.value === null);
}

/** A stream's entries, where one that was deleted since it was delivered has the null array in place of its fields. */
function withoutDeletedFields([stream, entries]: [RedisValue, RedisValue]): [RedisValue, RedisValue] {
  if (entries.kind !== "array") return [stream, entries];
  const corrected = entries.items.map((entry) =>
    entry.kind === "array" && entry.items[1] && isNull(entry.items[1])
      ? RedisValue.array([entry.items[0]!, RedisValue.nullArray()])
      : entry,
  );
  return [stream, RedisValue.array(corrected)];
}

/** A pair of coordinates with 17 decimals, as Redis writes them. */
function position(value: RedisValue): RedisValue {
  if (value.kind !== "array") return isNull(value) ? RedisValue.nullArray() : value;
  return RedisValue.array(
    value.items.map((item) => {
      const text = Number(textOf(item))
        .toFixed(COORDINATE_DECIMALS)
        .replace(/\.?0+$/, "");
      return RedisValue.bulkString(Buffer.from(text));
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

interface Library {
  readonly name: string;
  readonly code: Buffer;
}

/** Puts each function's description, which the library leaves out, into the reply of FUNCTION LIST. */
function addDescriptions(result: RedisResult, libraries: readonly Library[]): RedisResult {
  if (result.value.kind !== "array") return result;
  const codeOf = new Map(libraries.map(({ name, code }) => [name, code.toString()]));
  const items = result.value.items.map((library) => {
    const code = codeOf.get(textAfter(library, "library_name") ?? "") ?? "";
    return replaceAfter(library, "functions", (functions) =>
      functions.kind !== "array"
        ? functions
        : RedisValue.array(
            functions.items.map((item) =>
              replaceAfter(item, "description", (old) => {
                const description = descriptionOf(code, textAfter(item, "name") ?? "");
                return description === undefined ? old : RedisValue.bulkString(Buffer.from(description));
              }),
            ),
          ),
    );
  });
  return RedisResult.create(RedisValue.array(items), result.options);
}

/** The description in the `redis.register_function{...}` call that has this function's name. */
function descriptionOf(code: string, name: string): string | undefined {
  for (const call of code.split("register_function").slice(1)) {
    if (/function_name\s*=\s*(["'])(.*?)\1/.exec(call)?.[2] !== name) continue;
    const text = /\bdescription\s*=\s*(["'])((?:\\.|(?!\1).)*)\1/.exec(call)?.[2];
    return text?.replace(/\\(.)/g, "$1");
  }
  return undefined;
}

function textOf(value: RedisValue | undefined): string | undefined {
  return value?.kind === "bulk-string" ? value.value?.toString() : undefined;
}

function textAfter(list: RedisValue, name: string): string | undefined {
  if (list.kind !== "array") return undefined;
  return textOf(list.items[list.items.findIndex((item) => textOf(item) === name) + 1]);
}

function replaceAfter(
  list: RedisValue,
  name: string,
  replace: (value: RedisValue) => RedisValue,
): RedisValue {
  if (list.kind !== "array") return list;
  const at = list.items.findIndex((item, index) => index % 2 === 0 && textOf(item) === name) + 1;
  if (at === 0) return list;
  return RedisValue.array(list.items.map((item, index) => (index === at ? replace(item) : item)));
}
