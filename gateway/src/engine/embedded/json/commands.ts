import {
  type CommandExecutor,
  RedisCommandError,
  type RedisDatabase,
  RedisResult,
  RedisValue,
} from "js-redis-server/core";
import {
  addCommands,
  array,
  bulk,
  bulkValue,
  integer,
  optionName,
  parseInteger,
  plainCommand,
} from "../commands/define.js";
import { wrongType } from "../commands/keys.js";
import { JSON_TYPE, peek, setDocument } from "../keyspace.js";
import { type Path, parsePath } from "./path.js";
import {
  calculate,
  checkPlace,
  formatJson,
  isArray,
  isEqual,
  isNumber,
  isObject,
  type Json,
  type Location,
  merge,
  parseJson,
  typeOf,
  valueAt,
  withValueAt,
} from "./value.js";

const ROOT = Buffer.from(".");
const NO_KEY = "could not perform this operation on a key that doesn't exist";

/** The document at a key, undefined where there is no key. @throws RedisCommandError if the key has another type */
function documentAt(database: RedisDatabase, key: Buffer): Json | undefined {
  const value = peek(database, key);
  if (!value) return undefined;
  if (value.type !== JSON_TYPE) throw wrongType();
  return value.root;
}

function requireDocument(database: RedisDatabase, key: Buffer): Json {
  const root = documentAt(database, key);
  if (root === undefined) throw new RedisCommandError(NO_KEY);
  return root;
}

function store(database: RedisDatabase, key: Buffer, root: Json | undefined): void {
  if (root === undefined) database.delete(key);
  else setDocument(database, key, root);
}

function noPath(path: Path): RedisCommandError {
  return new RedisCommandError(`Path '${path.text}' does not exist`);
}

function wrongPathType(expected: string, value: Json): RedisCommandError {
  return new RedisCommandError(
    `wrong type of path value - expected ${expected} but found ${typeOf(value)}`,
    "WRONGTYPE",
  );
}

const textOf = (value: Json) => bulkValue(formatJson(value));

interface Reading {
  readonly path: Path;
  /** Name of the type that a value must have, for the error of a legacy path. */
  readonly expected: string;
  /** Returns the reply for one value, undefined if it has another type. */
  read(value: Json): RedisValue | undefined;
}

/** Replies with one item for each value that the path finds, null for another type; for a legacy path with the first alone. */
function readEach(root: Json, { path, expected, read }: Reading): RedisResult {
  const values = path.find(root).map((location) => valueAt(root, location)!);
  if (!path.isLegacy) return array(values.map((value) => read(value) ?? RedisValue.null()));
  const [first] = values;
  if (first === undefined) throw noPath(path);
  const reply = read(first);
  if (!reply) throw wrongPathType(expected, first);
  return RedisResult.create(reply);
}

interface Change {
  /** The new value, undefined if it stays. */
  readonly value?: Json;
  readonly reply: RedisValue;
}

interface Changing extends Omit<Reading, "read"> {
  /** Returns what becomes of one value, undefined if it has another type. */
  change(value: Json): Change | undefined;
}

/** Changes each value that the path finds and replies as {@link readEach}; a legacy path replies with the last change. */
function changeEach(database: RedisDatabase, key: Buffer, { path, expected, change }: Changing): RedisResult {
  const before = requireDocument(database, key);
  let root: Json = before;
  const replies: RedisValue[] = [];
  let last: RedisValue | undefined;
  // From the end, so that a value is changed before the one that it lies in.
  const found = path.find(before);
  for (const location of found.toReversed()) {
    const value = valueAt(root, location);
    const changed = value === undefined ? undefined : change(value);
    if (changed?.value !== undefined) {
      checkPlace(location);
      root = withValueAt(root, location, changed.value)!;
    }
    replies.unshift(changed?.reply ?? RedisValue.null());
    last ??= changed?.reply;
  }
  if (path.isLegacy && last === undefined) {
    const [first] = found;
    throw first ? wrongPathType(expected, valueAt(before, first)!) : noPath(path);
  }
  if (root !== before) store(database, key, root);
  return path.isLegacy ? RedisResult.create(last!) : array(replies);
}

/** Whether one place lies in another one of the list, which is replaced or removed as a whole. */
function isInside(location: Location, others: readonly Location[]): boolean {
  return others.some(
    (other) => other.length < location.length && other.every((part, index) => part === location[index]),
  );
}

function outermost(locations: readonly Location[]): Location[] {
  const seen = new Set<string>();
  return locations.filter((location) => {
    const name = JSON.stringify(location);
    if (seen.has(name) || isInside(location, locations)) return false;
    seen.add(name);
    return true;
  });
}

/** Sets a value at every place of a path. Returns undefined if there is none, or none that `only` allows. */
function setAt(root: Json | undefined, path: Path, value: Json, only?: "NX" | "XX"): Json | undefined {
  if (root === undefined) {
    if (!path.isRoot) throw new RedisCommandError("new objects must be created at the root");
    return only === "XX" ? undefined : value;
  }
  const found = outermost(path.find(root));
  const places = found.length > 0 ? found : path.findMissing(root);
  if (places.length === 0 || (only === "NX" && found.length > 0) || (only === "XX" && found.length === 0))
    return undefined;
  places.forEach(checkPlace);
  return places.reduce((document: Json, place) => withValueAt(document, place, value)!, root);
}

const set = plainCommand({
  name: "json.set",
  flags: ["write", "denyoom"],
  arity: -4,
  keys: { first: 0 },
  execute([key, pathArg, text, ...options], ctx) {
    let only: "NX" | "XX" | undefined;
    for (const option of options) {
      const name = optionName(option);
      if ((name !== "NX" && name !== "XX") || only !== undefined) throw new RedisCommandError("syntax error");
      only = name;
    }
    const value = parseJson(text!);
    const root = setAt(documentAt(ctx.db, key!), parsePath(pathArg!), value, only);
    if (root === undefined) return bulk(null);
    store(ctx.db, key!, root);
    return RedisResult.ok();
  },
});

const mset = plainCommand({
  name: "json.mset",
  flags: ["write", "denyoom"],
  arity: -4,
  keys: { first: 0, last: -1, step: 3 },
  execute(args, ctx) {
    if (args.length % 3 !== 0)
      throw new RedisCommandError("wrong number of arguments for 'json.mset' command");
    const roots = new Map<string, { key: Buffer; root: Json | undefined }>();
    // All are checked before the first is stored.
    for (let at = 0; at < args.length; at += 3) {
      const key = args[at]!;
      const id = key.toString("hex");
      const before = roots.has(id) ? roots.get(id)!.root : documentAt(ctx.db, key);
      const root = setAt(before, parsePath(args[at + 1]!), parseJson(args[at + 2]!));
      roots.set(id, { key, root: root ?? before });
    }
    for (const { key, root } of roots.values()) store(ctx.db, key, root);
    return RedisResult.ok();
  },
});

const mergeCommand = plainCommand({
  name: "json.merge",
  flags: ["write", "denyoom"],
  arity: 4,
  keys: { first: 0 },
  execute([key, pathArg, text], ctx) {
    const path = parsePath(pathArg!);
    const patch = parseJson(text!);
    const before = documentAt(ctx.db, key!);
    if (before === undefined) {
      store(ctx.db, key!, setAt(undefined, path, merge(undefined, patch)));
      return RedisResult.ok();
    }
    const found = outermost(path.find(before));
    const places = found.length > 0 ? found : path.findMissing(before);
    if (places.length === 0) return bulk(null);
    places.forEach(checkPlace);
    let root: Json | undefined = before;
    for (const place of places) {
      if (root === undefined) break;
      // null removes the value itself, as it does inside an object.
      const isRemoved: boolean = patch === null && place.length > 0;
      root = withValueAt(root, place, isRemoved ? undefined : merge(valueAt(root, place), patch));
    }
    store(ctx.db, key!, root);
    return RedisResult.ok();
  },
});

const get = plainCommand({
  name: "json.get",
  flags: ["readonly"],
  arity: -2,
  keys: { first: 0 },
  execute([key, ...rest], ctx) {
    const layout = { indent: "", newline: "", space: "" };
    let at = 0;
    for (; at < rest.length; at += 2) {
      const name = optionName(rest[at]).toLowerCase();
      if (!Object.hasOwn(layout, name)) break;
      if (!rest[at + 1]) throw new RedisCommandError("wrong number of arguments for 'json.get' command");
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
  },
});

/** Returns the values at a path: one value for a legacy path, else a list. */
function readPath(root: Json, path: Path, isLegacy: boolean): Json {
  const values = path.find(root).map((location) => valueAt(root, location)!);
  if (!isLegacy) return values;
  if (values[0] === undefined) throw noPath(path);
  return values[0];
}

const mget = plainCommand({
  name: "json.mget",
  flags: ["readonly"],
  arity: -3,
  keys: { first: 0, last: -2 },
  execute(args, ctx) {
    const path = parsePath(args.at(-1)!);
    return array(
      args.slice(0, -1).map((key) => {
        const value = peek(ctx.db, key);
        if (value?.type !== JSON_TYPE) return RedisValue.null();
        const values = path.find(value.root).map((location) => valueAt(value.root, location)!);
        if (!path.isLegacy) return textOf(values);
        return values[0] === undefined ? RedisValue.null() : textOf(values[0]);
      }),
    );
  },
});

const del = (name: string) =>
  plainCommand({
    name,
    flags: ["write"],
    arity: -2,
    keys: { first: 0 },
    execute([key, pathArg = ROOT, ...more], ctx) {
      if (more.length > 0) throw new RedisCommandError(`wrong number of arguments for '${name}' command`);
      const before = documentAt(ctx.db, key!);
      if (before === undefined) return integer(0);
      const found = outermost(parsePath(pathArg).find(before));
      let root: Json | undefined = before;
      // The last of an array first, so that the indexes of those before it hold.
      for (const location of found.toSorted(compareLocations).toReversed()) {
        if (root !== undefined) root = withValueAt(root, location, undefined);
      }
      if (found.length > 0) store(ctx.db, key!, root);
      return integer(found.length);
    },
  });

function compareLocations(left: Location, right: Location): number {
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (typeof part === "number" && typeof other === "number") return part - other;
    return String(part) < String(other) ? -1 : 1;
  }
  return left.length < right.length ? -1 : 0;
}

const clear = plainCommand({
  name: "json.clear",
  flags: ["write"],
  arity: -2,
  keys: { first: 0 },
  execute([key, pathArg = ROOT], ctx) {
    const before = requireDocument(ctx.db, key!);
    let root: Json = before;
    let count = 0;
    for (const location of parsePath(pathArg).find(before).toReversed()) {
      const value = valueAt(root, location);
      const empty = isArray(value) ? [] : isObject(value) ? {} : isNumber(value) ? 0 : undefined;
      if (value === undefined || empty === undefined || isEqual(value, empty)) continue;
      root = withValueAt(root, location, empty)!;
      count += 1;
    }
    if (count > 0) store(ctx.db, key!, root);
    return integer(count);
  },
});

/** A command that reads something of each value at a path, the root unless it is given. */
const reader = (
  name: string,
  expected: string,
  read: (value: Json) => RedisValue | undefined,
  whenNoKey: "null" | "error",
) =>
  plainCommand({
    name,
    flags: ["readonly"],
    arity: -2,
    keys: { first: 0 },
    execute([key, pathArg = ROOT, ...more], ctx) {
      if (more.length > 0) throw new RedisCommandError(`wrong number of arguments for '${name}' command`);
      const path = parsePath(pathArg);
      const root = documentAt(ctx.db, key!);
      if (root !== undefined) {
        const isMissing = path.isLegacy && name !== "json.resp" && path.find(root).length === 0;
        return isMissing && whenNoKey === "null" ? bulk(null) : readEach(root, { path, expected, read });
      }
      if (path.isLegacy || whenNoKey === "null") return bulk(null);
      throw new RedisCommandError(NO_KEY);
    },
  });

const type = reader("json.type", "any", (value) => bulkValue(typeOf(value)), "null");
const resp = reader("json.resp", "any", toResp, "null");
const objkeys = reader(
  "json.objkeys",
  "object",
  (value) => (isObject(value) ? RedisValue.array(Object.keys(value).map(bulkValue)) : undefined),
  "null",
);
const objlen = reader(
  "json.objlen",
  "object",
  (value) => (isObject(value) ? RedisValue.integer(Object.keys(value).length) : undefined),
  "error",
);
const arrlen = reader(
  "json.arrlen",
  "array",
  (value) => (isArray(value) ? RedisValue.integer(value.length) : undefined),
  "error",
);
const strlen = reader(
  "json.strlen",
  "string",
  (value) => (typeof value === "string" ? RedisValue.integer(Buffer.byteLength(value)) : undefined),
  "error",
);

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
  plainCommand({
    name,
    flags: ["write"],
    arity: 4,
    keys: { first: 0 },
    execute([key, pathArg, operandArg], ctx) {
      const operand = parseJson(operandArg!);
      if (!isNumber(operand)) throw wrongPathType("a number", operand);
      const path = parsePath(pathArg!);
      const results: Json[] = [];
      const reply = changeEach(ctx.db, key!, {
        path,
        expected: "a number",
        change(value) {
          const result = isNumber(value) ? calculate(operation, value, operand) : null;
          results.unshift(result);
          return result === null ? undefined : { value: result, reply: textOf(result) };
        },
      });
      // As one JSON text, not as a list.
      return path.isLegacy ? reply : bulk(formatJson(results));
    },
  });

const strappend = plainCommand({
  name: "json.strappend",
  flags: ["write", "denyoom"],
  arity: -3,
  keys: { first: 0 },
  execute([key, ...rest], ctx) {
    if (rest.length > 2)
      throw new RedisCommandError("wrong number of arguments for 'json.strappend' command");
    const suffix = parseJson(rest.at(-1)!);
    if (typeof suffix !== "string") throw wrongPathType("string", suffix);
    return changeEach(ctx.db, key!, {
      path: parsePath(rest.length === 2 ? rest[0]! : ROOT),
      expected: "string",
      change(value) {
        if (typeof value !== "string") return undefined;
        const result = value + suffix;
        return { value: result, reply: RedisValue.integer(Buffer.byteLength(result)) };
      },
    });
  },
});

const toggle = plainCommand({
  name: "json.toggle",
  flags: ["write"],
  arity: -2,
  keys: { first: 0 },
  execute([key, pathArg = ROOT], ctx) {
    const path = parsePath(pathArg);
    return changeEach(ctx.db, key!, {
      path,
      expected: "boolean",
      change(value) {
        if (typeof value !== "boolean") return undefined;
        return {
          value: !value,
          reply: path.isLegacy ? bulkValue(String(!value)) : RedisValue.integer(value ? 0 : 1),
        };
      },
    });
  },
});

/** Changes arrays and replies with their lengths. */
function changeArrays(
  database: RedisDatabase,
  key: Buffer,
  path: Path,
  change: (items: readonly Json[]) => readonly Json[],
): RedisResult {
  return changeEach(database, key, {
    path,
    expected: "array",
    change(value) {
      if (!isArray(value)) return undefined;
      const result = change(value);
      return { value: result, reply: RedisValue.integer(result.length) };
    },
  });
}

const arrappend = plainCommand({
  name: "json.arrappend",
  flags: ["write", "denyoom"],
  arity: -4,
  keys: { first: 0 },
  execute([key, pathArg, ...texts], ctx) {
    const values = texts.map(parseJson);
    return changeArrays(ctx.db, key!, parsePath(pathArg!), (items) => [...items, ...values]);
  },
});

const arrinsert = plainCommand({
  name: "json.arrinsert",
  flags: ["write", "denyoom"],
  arity: -5,
  keys: { first: 0 },
  execute([key, pathArg, indexArg, ...texts], ctx) {
    const index = parseInteger(indexArg!);
    const values = texts.map(parseJson);
    return changeArrays(ctx.db, key!, parsePath(pathArg!), (items) => {
      const at = index < 0 ? items.length + index : index;
      if (at < 0 || at > items.length) throw new RedisCommandError("index out of bounds");
      return items.toSpliced(at, 0, ...values);
    });
  },
});

const arrtrim = plainCommand({
  name: "json.arrtrim",
  flags: ["write"],
  arity: 5,
  keys: { first: 0 },
  execute([key, pathArg, startArg, stopArg], ctx) {
    const start = parseInteger(startArg!);
    const stop = parseInteger(stopArg!);
    return changeArrays(ctx.db, key!, parsePath(pathArg!), (items) => {
      const first = start < 0 ? Math.max(0, items.length + start) : start;
      const last = stop < 0 ? items.length + stop : stop;
      return items.slice(first, Math.max(0, last + 1));
    });
  },
});

const arrpop = plainCommand({
  name: "json.arrpop",
  flags: ["write"],
  arity: -2,
  keys: { first: 0 },
  execute([key, pathArg = ROOT, indexArg, ...more], ctx) {
    if (more.length > 0) throw new RedisCommandError("wrong number of arguments for 'json.arrpop' command");
    const index = indexArg ? parseInteger(indexArg) : -1;
    return changeEach(ctx.db, key!, {
      path: parsePath(pathArg),
      expected: "array",
      change(value) {
        if (!isArray(value)) return undefined;
        if (value.length === 0) return { reply: RedisValue.null() };
        const at = Math.min(Math.max(index < 0 ? value.length + index : index, 0), value.length - 1);
        return { value: value.toSpliced(at, 1), reply: textOf(value[at]!) };
      },
    });
  },
});

const arrindex = plainCommand({
  name: "json.arrindex",
  flags: ["readonly"],
  arity: -4,
  keys: { first: 0 },
  execute([key, pathArg, text, startArg, stopArg, ...more], ctx) {
    if (more.length > 0) throw new RedisCommandError("wrong number of arguments for 'json.arrindex' command");
    const wanted = parseJson(text!);
    const start = startArg ? parseInteger(startArg) : 0;
    const stop = stopArg ? parseInteger(stopArg) : 0;
    return readEach(requireDocument(ctx.db, key!), {
      path: parsePath(pathArg!),
      expected: "array",
      read(value) {
        if (!isArray(value)) return undefined;
        const from = start < 0 ? Math.max(0, value.length + start) : start;
        // 0 means the end; the element at the stop itself does not count.
        const to = stop === 0 ? value.length : stop < 0 ? value.length + stop : stop;
        const at = value.findIndex((item, index) => index >= from && index < to && isEqual(item, wanted));
        return RedisValue.integer(at);
      },
    });
  },
});

/** Adds the JSON commands of RedisJSON, as far as clients use them. */
export function addJsonCommands(executor: CommandExecutor): void {
  addCommands(executor, [
    set,
    mset,
    mergeCommand,
    get,
    mget,
    del("json.del"),
    del("json.forget"),
    clear,
    type,
    resp,
    objkeys,
    objlen,
    arrlen,
    strlen,
    calculation("json.numincrby", "+"),
    calculation("json.nummultby", "*"),
    calculation("json.numpowby", "^"),
    strappend,
    toggle,
    arrappend,
    arrinsert,
    arrtrim,
    arrpop,
    arrindex,
  ]);
}
