import { RedisCommandError, RedisValue } from "js-redis-server/core";
import { bulk, bulkValue, command, itemsOf, parseInteger, replyText } from "../commands/define.js";
import { documentAt, NO_KEY, ROOT, requireDocument, textOf, wrongPathType } from "./document.js";
import { changeEach, readEach } from "./each.js";
import { parsePath } from "./path.js";
import { calculate, isArray, isEqual, isNumber, isObject, type Json, parseJson, typeOf } from "./value.js";

/** The replies that are null rather than an error. */
interface Nulls {
  /** For a key that does not exist and a JSONPath. With a legacy path that is null in any case. */
  readonly noKey?: boolean;
  /** For a legacy path that finds nothing. */
  readonly noPath?: boolean;
}

/** A command that reads something of each value at a path, the root unless it is given. */
const reader = (
  name: string,
  expected: string,
  read: (value: Json) => RedisValue | undefined,
  nulls: Nulls = {},
) =>
  command(`${name} key [path]`, "readonly", ([key, pathArg = ROOT], ctx) => {
    const path = parsePath(pathArg);
    const root = documentAt(ctx.db, key!);
    if (root !== undefined) {
      const isNull = nulls.noPath && path.isLegacy && path.find(root).length === 0;
      return isNull ? bulk(null) : readEach(root, path, expected, read);
    }
    if (path.isLegacy || nulls.noKey) return bulk(null);
    throw new RedisCommandError(NO_KEY);
  });

/** Arrays begin with `[`, objects with `{`, each followed by what they hold. */
function toResp(value: Json): RedisValue {
  if (value === null) return RedisValue.null();
  if (isArray(value)) return RedisValue.array([RedisValue.simpleString("["), ...value.map(toResp)]);
  if (isObject(value)) {
    const items = Object.entries(value).flatMap(([name, item]) => [bulkValue(name), toResp(item)]);
    return RedisValue.array([RedisValue.simpleString("{"), ...items]);
  }
  if (typeof value === "boolean") return RedisValue.simpleString(String(value));
  if (typeOf(value) === "integer") return RedisValue.integer(value as number | bigint);
  return bulkValue(String(value));
}

const calculation = (name: string, operation: "+" | "*" | "^") =>
  command(`${name} key path number`, "write", ([key, pathArg, operandArg], ctx) => {
    const operand = parseJson(operandArg!);
    if (!isNumber(operand)) throw wrongPathType("a number", operand);
    const path = parsePath(pathArg!);
    const reply = changeEach(ctx.db, key!, path, "a number", (value) => {
      if (!isNumber(value)) return undefined;
      const result = calculate(operation, value, operand);
      return { value: result, reply: textOf(result) };
    });
    if (path.isLegacy) return reply;
    // As one JSON text, not as a list.
    return bulk(`[${itemsOf(reply.value).map((item) => replyText(item) || "null")}]`);
  });

/**
 * A command that changes arrays and replies with their lengths.
 * @param parse reads the arguments behind the path. Returns the length that an array will have, and what changes it
 */
const arrayChange = (
  usage: string,
  flags: string,
  parse: (args: readonly Buffer[]) => (items: Json[]) => { length: number; edit: () => void },
) =>
  command(usage, flags, ([key, pathArg, ...rest], ctx) => {
    const change = parse(rest);
    return changeEach(ctx.db, key!, parsePath(pathArg!), "array", (value) => {
      if (!isArray(value)) return undefined;
      const { length, edit } = change(value);
      return { edit, reply: RedisValue.integer(length) };
    });
  });

/** Inserts copies of items in an array: the same ones may be inserted in several. */
function insertion(items: Json[], at: number, inserted: readonly Json[]) {
  const edit = () => {
    const behind = items.splice(at);
    for (const item of [...structuredClone(inserted), ...behind]) items.push(item);
  };
  return { length: items.length + inserted.length, edit };
}

/** The JSON commands that read or change each value at a path by itself. */
export const VALUE_COMMANDS = [
  reader("json.type", "any", (value) => bulkValue(typeOf(value)), { noKey: true, noPath: true }),
  reader("json.resp", "any", toResp, { noKey: true }),
  reader(
    "json.objkeys",
    "object",
    (value) => (isObject(value) ? RedisValue.array(Object.keys(value).map(bulkValue)) : undefined),
    { noPath: true },
  ),
  reader(
    "json.objlen",
    "object",
    (value) => (isObject(value) ? RedisValue.integer(Object.keys(value).length) : undefined),
    { noPath: true },
  ),
  reader("json.arrlen", "array", (value) => (isArray(value) ? RedisValue.integer(value.length) : undefined)),
  reader("json.strlen", "string", (value) =>
    typeof value === "string" ? RedisValue.integer(Buffer.byteLength(value)) : undefined,
  ),
  calculation("json.numincrby", "+"),
  calculation("json.nummultby", "*"),
  calculation("json.numpowby", "^"),
  command("json.strappend key [path] value", "write denyoom", ([key, ...rest], ctx) => {
    const suffix = parseJson(rest.at(-1)!);
    if (typeof suffix !== "string") throw wrongPathType("string", suffix);
    const path = parsePath(rest.length === 2 ? rest[0]! : ROOT);
    return changeEach(ctx.db, key!, path, "string", (value) => {
      if (typeof value !== "string") return undefined;
      const result = value + suffix;
      return { value: result, reply: RedisValue.integer(Buffer.byteLength(result)) };
    });
  }),
  command("json.toggle key [path] ...", "write", ([key, pathArg = ROOT], ctx) => {
    const path = parsePath(pathArg);
    return changeEach(ctx.db, key!, path, "boolean", (value) => {
      if (typeof value !== "boolean") return undefined;
      const reply = path.isLegacy ? bulkValue(String(!value)) : RedisValue.integer(value ? 0 : 1);
      return { value: !value, reply };
    });
  }),
  arrayChange("json.arrappend key path value ...", "write denyoom", (texts) => {
    const insert = texts.map(parseJson);
    return (items) => insertion(items, items.length, insert);
  }),
  arrayChange("json.arrinsert key path index value ...", "write denyoom", ([indexArg, ...texts]) => {
    const index = parseInteger(indexArg!);
    const insert = texts.map(parseJson);
    return (items) => {
      const at = index < 0 ? items.length + index : index;
      if (at < 0 || at > items.length) throw new RedisCommandError("index out of bounds");
      return insertion(items, at, insert);
    };
  }),
  arrayChange("json.arrtrim key path start stop", "write", ([startArg, stopArg]) => {
    const start = parseInteger(startArg!);
    const stop = parseInteger(stopArg!);
    return (items) => {
      const first = start < 0 ? Math.max(0, items.length + start) : start;
      const last = stop < 0 ? Math.max(0, items.length + stop) : stop;
      const end = Math.min(Math.max(first, last + 1), items.length);
      return {
        length: Math.max(0, end - first),
        edit() {
          items.splice(end);
          items.splice(0, first);
        },
      };
    };
  }),
  command("json.arrpop key [path] [index]", "write", ([key, pathArg = ROOT, indexArg], ctx) => {
    const index = indexArg ? parseInteger(indexArg) : -1;
    return changeEach(ctx.db, key!, parsePath(pathArg), "array", (value) => {
      if (!isArray(value)) return undefined;
      if (value.length === 0) return { reply: RedisValue.null() };
      const at = Math.min(Math.max(index < 0 ? value.length + index : index, 0), value.length - 1);
      return { edit: () => void value.splice(at, 1), reply: textOf(value[at]!) };
    });
  }),
  command(
    "json.arrindex key path value [start] [stop]",
    "readonly",
    ([key, pathArg, text, startArg, stopArg], ctx) => {
      const wanted = parseJson(text!);
      const start = startArg ? parseInteger(startArg) : 0;
      const stop = stopArg ? parseInteger(stopArg) : 0;
      return readEach(requireDocument(ctx.db, key!), parsePath(pathArg!), "array", (value) => {
        if (!isArray(value)) return undefined;
        // A start outside the array is its first or last element.
        const from = start < 0 ? Math.max(0, value.length + start) : Math.min(start, value.length - 1);
        // 0 means the end; the element at the stop itself does not count.
        const to = stop === 0 ? value.length : stop < 0 ? value.length + stop : stop;
        const at = value.findIndex((item, index) => index >= from && index < to && isEqual(item, wanted));
        return RedisValue.integer(at);
      });
    },
  ),
];
