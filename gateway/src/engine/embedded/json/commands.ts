import {
  RedisCommandError,
  RedisResult,
  RedisValue,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";
import {
  array,
  bulk,
  bulkValue,
  type CommandTable,
  command,
  integer,
  optionName,
} from "../commands/define.js";
import { checkReplyLength } from "../guards.js";
import { peek } from "../keyspace.js";
import type { EmbeddedLimits } from "../limits.js";
import { JSON_TYPE } from "../stored-value.js";
import { documentAt, noPath, ROOT, requireDocument, store } from "./document.js";
import { outermost, setAt } from "./each.js";
import { type Path, parsePath } from "./path.js";
import {
  COMPACT,
  formatJson,
  isArray,
  isEqual,
  isNumber,
  isObject,
  type Json,
  type Location,
  merge,
  parseJson,
  putAt,
  valueAt,
} from "./value.js";
import { VALUE_COMMANDS } from "./value-commands.js";

const set = command("json.set key path value ...", "write denyoom", ([key, pathArg, text, ...more], ctx) => {
  let only: "NX" | "XX" | undefined;
  for (const option of more) {
    const name = optionName(option);
    if ((name !== "NX" && name !== "XX") || only !== undefined) throw new RedisCommandError("syntax error");
    only = name;
  }
  const value = parseJson(text!);
  const root = setAt(documentAt(ctx.db, key!), parsePath(pathArg!), () => value, only);
  if (root === undefined) return bulk(null);
  store(ctx.db, key!, root);
  return RedisResult.ok();
});

const mset = command("json.mset key path value key...", "write denyoom", (args, ctx) => {
  if (args.length % 3 !== 0) throw new WrongNumberOfArgumentsError("json.mset");
  const roots = new Map<string, { key: Buffer; root: Json | undefined }>();
  // All values are checked, and set in copies of the documents, before the first document is stored.
  for (let at = 0; at < args.length; at += 3) {
    const key = args[at]!;
    const id = key.toString("hex");
    const before = roots.has(id) ? roots.get(id)!.root : structuredClone(documentAt(ctx.db, key));
    const path = parsePath(args[at + 1]!);
    const value = parseJson(args[at + 2]!);
    const root = setAt(before, path, () => value);
    roots.set(id, { key, root: root ?? before });
  }
  for (const { key, root } of roots.values()) store(ctx.db, key, root);
  return RedisResult.ok();
});

const mergeCommand = command("json.merge key path value", "write denyoom", ([key, pathArg, text], ctx) => {
  const path = parsePath(pathArg!);
  const patch = parseJson(text!);
  // As in RedisJSON, null removes members of an object that is there, and is stored where the value is new.
  const root = setAt(documentAt(ctx.db, key!), path, (old) =>
    old === undefined ? patch : merge(old, patch),
  );
  if (root === undefined) return bulk(null);
  store(ctx.db, key!, root);
  return RedisResult.ok();
});

const get = command("json.get key ...", "readonly", ([key, ...rest], ctx) => {
  const layout = { ...COMPACT };
  let at = 0;
  for (; at < rest.length; at += 2) {
    // Text is never escaped more than it has to be.
    if (optionName(rest[at]) === "NOESCAPE") at += 1;
    const name = optionName(rest[at]).toLowerCase();
    if (!Object.hasOwn(layout, name)) break;
    if (!rest[at + 1]) throw new WrongNumberOfArgumentsError("json.get");
    layout[name as keyof typeof layout] = rest[at + 1]!.toString();
  }
  const root = documentAt(ctx.db, key!);
  const paths = rest.slice(at).map(parsePath);
  if (root === undefined) return bulk(null);
  const [first = parsePath(ROOT), ...more] = paths;
  if (more.length === 0) return bulk(formatJson(readPath(root, first, first.isLegacy), layout));
  const isLegacy = paths.every((path) => path.isLegacy);
  const found = Object.fromEntries(paths.map((path) => [path.text, readPath(root, path, isLegacy)]));
  return bulk(formatJson(found, layout));
});

/** Returns the values at a path: one value for a legacy path, else a list. */
function readPath(root: Json, path: Path, isLegacy: boolean): Json {
  const values = path.read(root);
  if (!isLegacy) return values;
  if (values[0] === undefined) throw noPath(path);
  return values[0];
}

const mget = (limits: EmbeddedLimits) =>
  command("json.mget key key... path", "readonly", (args, ctx) => {
    const path = parsePath(args.at(-1)!);
    let length = 0;
    return array(
      args.slice(0, -1).map((key) => {
        const value = peek(ctx.db, key);
        if (value?.type !== JSON_TYPE) return RedisValue.null();
        const values = path.read(value.root);
        const found = path.isLegacy ? values[0] : values;
        if (found === undefined) return RedisValue.null();
        const text = formatJson(found);
        length += Buffer.byteLength(text);
        checkReplyLength(length, limits);
        return bulkValue(text);
      }),
    );
  });

const del = (name: string) =>
  command(`${name} key [path]`, "write", ([key, pathArg = ROOT], ctx) => {
    const before = documentAt(ctx.db, key!);
    if (before === undefined) return integer(0);
    const found = outermost(parsePath(pathArg).find(before));
    let root: Json | undefined = before;
    // The last of an array first, so that the indexes of those before it hold.
    for (const location of found.toSorted(compareLocations).toReversed()) {
      root = putAt(root!, location, undefined);
    }
    if (found.length > 0) store(ctx.db, key!, root);
    return integer(found.length);
  });

/** Orders two places. Neither may be inside the other. */
function compareLocations(left: Location, right: Location): number {
  const at = left.findIndex((part, index) => part !== right[index]);
  const [a, b] = [left[at], right[at]];
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : 1;
}

const clear = command("json.clear key [path] ...", "write", ([key, pathArg = ROOT], ctx) => {
  const before = requireDocument(ctx.db, key!);
  let root: Json = before;
  let count = 0;
  for (const location of parsePath(pathArg).find(before).toReversed()) {
    const value = valueAt(root, location);
    const empty = isArray(value) ? [] : isObject(value) ? {} : isNumber(value) ? 0 : undefined;
    if (value === undefined || empty === undefined || isEqual(value, empty)) continue;
    root = putAt(root, location, empty)!;
    count += 1;
  }
  if (count > 0) store(ctx.db, key!, root);
  return integer(count);
});

/** Adds the commands of RedisJSON that clients use. */
export function addJsonCommands(table: CommandTable, limits: EmbeddedLimits): void {
  table.add(
    set,
    mset,
    mergeCommand,
    get,
    mget(limits),
    del("json.del"),
    del("json.forget"),
    clear,
    ...VALUE_COMMANDS,
  );
}
