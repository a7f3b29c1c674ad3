import { RedisCommandError } from "js-redis-server/core";
import { JSONPathEnvironment, type JSONPathQuery } from "json-p3";
import { regexFunction, replaceRegexOperator } from "./regex-operator.js";
import { isObject, type Json, type Location, valueAt } from "./value.js";

/** Maximum number of values that one path may find, so that `$..*..*..*` does not stop the engine. */
const MAX_MATCHES = 1_000_000;
const MAX_CACHED_PATHS = 500;

/** A path in a command. */
export interface Path {
  /** As it was given. */
  readonly text: string;
  /** Does not begin with `$`: a command then replies with one value, not with a list. */
  readonly isLegacy: boolean;
  readonly isRoot: boolean;
  /** The places that it finds, in the order of the document. */
  find(root: Json): Location[];
  /** The values at these places. */
  read(root: Json): Json[];
  /** The places of a name that its objects do not have yet, for a path that ends in a name. */
  findMissing(root: Json): Location[];
}

const environment = new JSONPathEnvironment({ maxRecursionDepth: 1_000 });
environment.functionRegister.set("regex", regexFunction);
const cache = new Map<string, Path>();

/** @throws RedisCommandError if it is not a path */
export function parsePath(arg: Buffer): Path {
  const text = arg.toString("utf8");
  const cached = cache.get(text);
  if (cached) return cached;
  const path = compilePath(text);
  if (cache.size >= MAX_CACHED_PATHS) cache.clear();
  cache.set(text, path);
  return path;
}

function compilePath(text: string): Path {
  const segments = splitPath(text);
  const query = compileQuery(text, segments);
  const last = segments.at(-1);
  const name = last === undefined ? undefined : nameIn(last);
  const parents = name === undefined ? undefined : compileQuery(text, segments.slice(0, -1));
  return {
    text,
    isLegacy: !text.startsWith("$"),
    isRoot: segments.length === 0,
    find: (root) => locations(query, root),
    read: (root) => locations(query, root).map((location) => valueAt(root, location)!),
    findMissing(root) {
      if (!parents) return [];
      return locations(parents, root)
        .filter((location) => {
          const parent = valueAt(root, location);
          return isObject(parent) && !Object.hasOwn(parent, name!);
        })
        .map((location) => [...location, name!]);
    },
  };
}

function locations(query: JSONPathQuery, root: Json): Location[] {
  const found: Location[] = [];
  for (const node of query.lazyQuery(root as never)) {
    found.push(node.location);
    if (found.length > MAX_MATCHES) throw new RedisCommandError(`path finds more than ${MAX_MATCHES} values`);
  }
  return found;
}

function compileQuery(text: string, segments: readonly string[]): JSONPathQuery {
  try {
    return environment.compile(`$${segments.join("")}`);
  } catch {
    throw invalidPath(text);
  }
}

function invalidPath(text: string): RedisCommandError {
  return new RedisCommandError(`Invalid path '${text}'`);
}

/**
 * Splits a path into segments as RFC 9535 writes them. Paths of RedisJSON are more lenient: a legacy path has no `$`, `.` is its
 * root, and a name may have any character but dots and brackets.
 */
function splitPath(text: string): string[] {
  let rest = text.startsWith("$") ? text.slice(1) : text;
  if (rest === "." || rest === "") return [];
  if (!text.startsWith("$") && !/^[.[]/.test(rest)) rest = `.${rest}`;
  const segments: string[] = [];
  while (rest !== "") {
    const segment = /^(\.\.|\.)?(?:\*|([^.[\]*\s]+))/.exec(rest);
    if (segment && (segment[1] || segment[2] === undefined)) {
      const [whole, dots = "", name] = segment;
      if (name === undefined) segments.push(`${dots}*`);
      else segments.push(`${dots === ".." ? ".." : ""}[${JSON.stringify(name)}]`);
      rest = rest.slice(whole.length);
      continue;
    }
    const dots = rest.startsWith("..[") ? ".." : rest.startsWith(".[") ? "." : "";
    const end = bracketEnd(rest, dots.length);
    if (end === -1) throw invalidPath(text);
    segments.push(`${dots === ".." ? dots : ""}${replaceRegexOperator(rest.slice(dots.length, end))}`);
    rest = rest.slice(end);
  }
  return segments;
}

/** Returns the index behind the bracket that closes the one at an index, -1 if there is none. */
function bracketEnd(text: string, start: number): number {
  if (text[start] !== "[") return -1;
  let depth = 0;
  for (const match of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[[\]]/g)) {
    if (match[0] === "[") depth += 1;
    else if (match[0] === "]" && --depth === 0) return start + match.index + 1;
  }
  return -1;
}

/** The name of a segment that selects one name below each parent itself. */
function nameIn(segment: string): string | undefined {
  const quoted = /^\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]$/.exec(segment)?.[1];
  if (quoted === undefined) return undefined;
  if (quoted.startsWith('"')) return JSON.parse(quoted) as string;
  return JSON.parse(`"${quoted.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`) as string;
}
