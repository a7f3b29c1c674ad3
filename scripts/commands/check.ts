import type { CommandSpec } from "../../src/commands/spec.js";
import redisCommands from "../facts/redis-commands.json" with { type: "json" };
import reference from "../facts/upstash-surface.json" with { type: "json" };
import { type KeySpec, keysOf } from "./keys.js";
import leftOut from "./left-out.json" with { type: "json" };
import referenceLeftOut from "./reference-left-out.json" with { type: "json" };

/** What Redis says of a command. A negative arity is the least number of words, the name among them. */
export interface Fact {
  group: string;
  arity?: number;
  flags?: string[];
  keys?: KeySpec[];
  /** In a cluster: which nodes it goes to, and how their replies become one. */
  request?: string;
  response?: string;
}

/** What Redis says of each command. */
export const facts: Record<string, Fact> = redisCommands;

// Reads by what they do, though Redis does not flag them; and those that are reads only in some of their forms.
const UNFLAGGED_READS = new Set(["PING", "ECHO", "TIME"]);
const SOMETIMES_READS = new Set(["BITFIELD", "FT.AGGREGATE", "GETEX", "SORT", "XREAD"]);
// Flagged as reads, but a second time they do not do what they did the first.
const FLAGGED_WRITES = new Set(["CF.COMPACT", "FT.CURSOR DEL", "FT.CURSOR READ"]);

/** Whether a command never changes data, by Redis's flags and the rules for repeating commands. */
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

/** Why a command has no method, or undefined where it should have one. */
export function reasonLeftOut(name: string): string | undefined {
  return leftOutNames.find(({ pattern }) => fits(pattern, name))?.reason;
}

/** Commands that have neither a row nor a reason, and reasons that concern nothing. */
export function commandProblems(rows: readonly CommandSpec[]): string[] {
  const named = new Set(rows.map((spec) => spec.name));
  const missing = Object.keys(facts).filter((name) => !named.has(name) && !reasonLeftOut(name));
  const idle = leftOutNames.filter(({ pattern }) => {
    const concerned = Object.keys(facts).filter((name) => fits(pattern, name));
    return concerned.length === 0 || concerned.every((name) => named.has(name));
  });
  return [
    ...missing.map((name) => `${name} has no row and is not among those left out`),
    ...idle.map(({ pattern }) => `${pattern} is among those left out, for nothing`),
  ];
}

/** What is wrong with a row by what Redis says of its command. */
export function rowProblems(spec: CommandSpec): string[] {
  const fact = facts[spec.name];
  if (!fact) return [`${spec.name}: Redis has no such command`];
  if (SOMETIMES_READS.has(spec.name)) {
    return typeof spec.write === "function" ? [] : [`${spec.name}: reads or writes by its words`];
  }
  const writes = spec.name === "XINFO" ? false : !isRead(spec.name);
  return spec.write === writes ? [] : [`${spec.name}: write is ${spec.write}, by Redis's flags ${writes}`];
}

/** What is wrong with a command's words, its name at their head, by what Redis says of it. */
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
      problems.push(`${whole.join(" ")}: ${found.join(" ")} are not keys`);
    }
  }
  return problems;
}

/** Methods of the reference client that are neither here nor left out with a reason. */
export function missingMethods(methods: ReadonlySet<string>): string[] {
  const all = [
    ...reference.methods,
    ...reference.pipeline,
    ...Object.entries(reference.namespaces).flatMap(([name, members]) =>
      members.map((member) => `${name}.${member}`),
    ),
  ];
  const known = new Set([...Object.keys(referenceLeftOut), ...Object.keys(reference.namespaces)]);
  return all.filter((method) => !methods.has(method) && !known.has(method));
}
