import type { CommandSpec } from "../../src/commands/spec.js";
import redisCommands from "../facts/redis-commands.json" with { type: "json" };
import reference from "../facts/upstash-surface.json" with { type: "json" };
import { type KeySpec, keysOf } from "./keys.js";
import leftOut from "./left-out.json" with { type: "json" };
import referenceLeftOut from "./reference-left-out.json" with { type: "json" };

/** Redis's facts about a command. A negative arity is the minimum number of words, including the name. */
export interface Fact {
  group: string;
  arity?: number;
  flags?: string[];
  keys?: KeySpec[];
  /** In a cluster: the nodes that get the command, and the combination of their replies. */
  request?: string;
  response?: string;
}

/** Redis's facts, by the command's name. */
export const facts: Record<string, Fact> = redisCommands;

// Reads that Redis does not flag as reads.
const UNFLAGGED_READS = new Set(["PING", "ECHO", "TIME"]);
// Commands that are reads with some arguments only.
const SOMETIMES_READS = new Set(["BITFIELD", "FT.AGGREGATE", "GETEX", "SORT", "XREAD"]);
// Commands that Redis flags as reads, but whose repeat has another effect or result.
const FLAGGED_WRITES = new Set(["CF.COMPACT", "FT.CURSOR DEL", "FT.CURSOR READ"]);

/** Whether a command may be repeated as a read, by Redis's flags, UNFLAGGED_READS and FLAGGED_WRITES. */
export function isRead(name: string): boolean {
  if (FLAGGED_WRITES.has(name)) return false;
  return UNFLAGGED_READS.has(name) || (facts[name]?.flags?.includes("readonly") ?? false);
}

const leftOutNames = Object.entries(leftOut).flatMap(([reason, names]) =>
  names.map((pattern) => ({ pattern, reason })),
);

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Returns why a command has no method, or undefined if it should have one. */
export function reasonLeftOut(name: string): string | undefined {
  return leftOutNames.find(({ pattern }) => fits(pattern, name))?.reason;
}

/** Returns the commands that have neither a row nor an entry in left-out.json, and the entries that no such command needs. */
export function commandProblems(rows: readonly CommandSpec[]): string[] {
  const named = new Set(rows.map((spec) => spec.name));
  const missing = Object.keys(facts).filter((name) => !named.has(name) && !reasonLeftOut(name));
  const unused = leftOutNames.filter(({ pattern }) =>
    Object.keys(facts).every((name) => !fits(pattern, name) || named.has(name)),
  );
  return [
    ...missing.map((name) => `${name} has neither a row nor an entry in left-out.json`),
    ...unused.map(({ pattern }) => `${pattern} in left-out.json matches no command without a row`),
  ];
}

/** Returns the problems of a row, by Redis's facts about its command. */
export function rowProblems(spec: CommandSpec): string[] {
  const fact = facts[spec.name];
  if (!fact) return [`${spec.name}: Redis has no such command`];
  if (SOMETIMES_READS.has(spec.name)) {
    return typeof spec.write === "function" ? [] : [`${spec.name}: write must be a function`];
  }
  const writes = spec.name === "XINFO" ? false : !isRead(spec.name);
  return spec.write === writes ? [] : [`${spec.name}: write is ${spec.write}, Redis's flags say ${writes}`];
}

/** Returns the problems of a command with these words after its name, by Redis's facts about it. */
export function wordsProblems(name: string, words: readonly string[]): string[] {
  const whole = [...name.split(" "), ...words];
  const command = facts[whole.slice(0, 2).join(" ").toUpperCase()] ?? facts[name];
  if (!command) return [`${name}: Redis has no such command`];
  const { arity, keys } = command;
  const problems: string[] = [];
  if (arity !== undefined && (arity < 0 ? whole.length < -arity : whole.length !== arity)) {
    problems.push(`${whole.join(" ")}: ${whole.length} words, the arity is ${arity}`);
  }
  if (keys) {
    const found = keysOf(whole, keys);
    if (found.length === 0 && !keys.some((spec) => spec.count !== undefined)) {
      problems.push(`${whole.join(" ")}: no keys found`);
    }
    if (found.some((key) => key === undefined || key.startsWith("<"))) {
      problems.push(`${whole.join(" ")}: ${found.join(" ")} are not all keys`);
    }
  }
  return problems;
}

/** Returns the methods of @upstash/redis that are neither in `methods` nor left out with a reason. */
export function missingMethods(methods: ReadonlySet<string>): string[] {
  const all = [
    ...reference.methods,
    ...reference.pipeline,
    ...Object.entries(reference.namespaces).flatMap(([name, members]) =>
      members.map((member) => `${name}.${member}`),
    ),
  ];
  const expected = new Set([...Object.keys(referenceLeftOut), ...Object.keys(reference.namespaces)]);
  return all.filter((method) => !methods.has(method) && !expected.has(method));
}
