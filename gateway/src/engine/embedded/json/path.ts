import { RedisCommandError } from "js-redis-server/core";
import { JSONPathEnvironment, type JSONPathNode, JSONPathQuery, jsonpath, TokenKind } from "json-p3";
import { regexFunction, replaceRegexOperator } from "./regex-operator.js";
import { isObject, type Json, type JsonObject, type Location } from "./value.js";

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
  /**
   * The place of a new member of the object that the rest of the path finds. Empty if there is no such object.
   * @throws RedisCommandError if the path is not one of names and indexes that ends in a name
   */
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
  const query = compileQuery(text);
  const { NameSelector, IndexSelector } = jsonpath.selectors;
  const isStatic = query.segments.every(({ token, selectors: [selector, ...others] }) => {
    const isOne = selector instanceof NameSelector || selector instanceof IndexSelector;
    return isOne && others.length === 0 && token.kind !== TokenKind.DDOT;
  });
  const last = query.segments.at(-1)?.selectors[0];
  const parents = new JSONPathQuery(environment, query.segments.slice(0, -1));
  return {
    text,
    isLegacy: !text.startsWith("$"),
    isRoot: query.segments.length === 0,
    find: (root) => nodesIn(query, root).map(({ location }) => location),
    read: (root) => nodesIn(query, root).map(({ value }) => value as Json),
    findMissing(root) {
      if (!isStatic) throw new RedisCommandError("wrong static path");
      if (!(last instanceof NameSelector)) throw new RedisCommandError("array index out of range");
      const { name } = last;
      const found = nodesIn(parents, root).filter(({ value }) => {
        return isObject(value as Json) && !Object.hasOwn(value as JsonObject, name);
      });
      return found.map(({ location }) => [...location, name]);
    },
  };
}

function nodesIn(query: JSONPathQuery, root: Json): JSONPathNode[] {
  const found: JSONPathNode[] = [];
  for (const node of query.lazyQuery(root as never)) {
    found.push(node);
    if (found.length > MAX_MATCHES) throw new RedisCommandError(`path finds more than ${MAX_MATCHES} values`);
  }
  return found;
}

function compileQuery(text: string): JSONPathQuery {
  try {
    return environment.compile(standardPath(text));
  } catch {
    throw new RedisCommandError(`Path '${text}' is malformed`);
  }
}

/**
 * Rewrites a path of RedisJSON in the syntax of RFC 9535. RedisJSON's is more lenient: a legacy path has no `$`, `.` is its root, and
 * a name outside brackets may have any characters but dots, brackets, asterisks and white space.
 * @throws {SyntaxError} if it has a bracket that is not closed, or anything but names, wildcards and brackets
 */
function standardPath(text: string): string {
  let rest = text.startsWith("$") ? text.slice(1) : text;
  let path = "$";
  if (rest === ".") return path;
  if (!text.startsWith("$") && /^[^.[]/.test(rest)) rest = `.${rest}`;
  while (rest !== "") {
    const segment = /^(\.\.|\.)?(?:\*|([^.[\]*\s]+))/.exec(rest);
    if (segment && (segment[1] || segment[2] === undefined)) {
      const [whole, dots = "", name] = segment;
      if (name === undefined) path += `${dots}*`;
      else path += `${dots === ".." ? ".." : ""}[${JSON.stringify(name)}]`;
      rest = rest.slice(whole.length);
      continue;
    }
    const dots = rest.startsWith("..[") ? ".." : rest.startsWith(".[") ? "." : "";
    const end = bracketEnd(rest, dots.length);
    if (end === -1) throw new SyntaxError();
    path += `${dots === ".." ? dots : ""}${replaceRegexOperator(rest.slice(dots.length, end))}`;
    rest = rest.slice(end);
  }
  return path;
}

/** Returns the index after the bracket that closes the one at `start`; -1 if `start` is not a bracket, or it is not closed. */
function bracketEnd(text: string, start: number): number {
  if (text[start] !== "[") return -1;
  let depth = 0;
  for (const match of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[[\]]/g)) {
    if (match[0] === "[") depth += 1;
    else if (match[0] === "]" && --depth === 0) return start + match.index + 1;
  }
  return -1;
}
