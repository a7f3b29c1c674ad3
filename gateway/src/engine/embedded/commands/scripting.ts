import {
  RedisCommandError,
  RedisResult,
  RedisValue,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";
import { matchesGlob } from "../../../util/glob.js";
import type { FunctionLibraries } from "../lua/functions.js";
import { libraryName, scriptFlags } from "../lua/shebang.js";
import type { EngineState } from "../lua-state.js";
import { array, bulk, bulkValue, type CommandTable, type Context, optionName } from "./define.js";

interface CallArguments {
  readonly numKeys: number;
  readonly rest: readonly Buffer[];
}

function keysAndArgs({ numKeys, rest }: CallArguments): { keys: readonly Buffer[]; args: readonly Buffer[] } {
  return { keys: rest.slice(0, numKeys), args: rest.slice(numKeys) };
}

const WRITES_IN_READ_ONLY = "Can not execute a script with write flag using *_ro command.";

const stateOf = ({ server }: Context) => server as EngineState;
const registryOf = ({ server }: Context) => server.functionRegistry as FunctionLibraries;

/** FUNCTION LOAD. */
async function load(rest: readonly Buffer[], ctx: Context): Promise<RedisResult> {
  const replace = rest.length === 2 && optionName(rest[0]) === "REPLACE";
  if (rest.length > 2 || rest.length === 0) throw new WrongNumberOfArgumentsError("function|load");
  if (rest.length === 2 && !replace) throw new RedisCommandError(`Unknown option given: ${rest[0]}`);
  const code = rest.at(-1)!;
  const name = libraryName(code);
  const registry = registryOf(ctx);
  if (!replace && registry.list().some((library) => library.name === name))
    throw new RedisCommandError(`Library '${name}' already exists`);
  const functions = await stateOf(ctx).withLua((lua) => lua.load(code, ctx));
  if (functions.length === 0) throw new RedisCommandError("No functions registered");
  registry.add(name, code, functions);
  return bulk(name);
}

const lowerCase = (text: Buffer | string) => Buffer.from(text.toString("latin1").toLowerCase(), "latin1");

/** FUNCTION LIST. */
function list(rest: readonly Buffer[], ctx: Context): RedisResult {
  let withCode = false;
  let pattern: Buffer | undefined;
  for (let at = 0; at < rest.length; at += 1) {
    const option = optionName(rest[at]);
    if (option === "WITHCODE" && !withCode) withCode = true;
    else if (option === "LIBRARYNAME" && !pattern) {
      pattern = rest[++at];
      if (!pattern) throw new RedisCommandError("library name argument was not given");
    } else throw new RedisCommandError(`Unknown argument ${rest[at]}`);
  }
  const libraries = registryOf(ctx)
    .list()
    .filter(({ name }) => !pattern || matchesGlob(lowerCase(pattern), lowerCase(name)));
  return array(
    libraries.map(({ name, code, functions }) =>
      mapOf({
        library_name: bulkValue(name),
        engine: bulkValue("LUA"),
        functions: RedisValue.array(
          functions.map((item) =>
            mapOf({
              name: bulkValue(item.name),
              description: bulkValue(item.description),
              flags: RedisValue.set(item.flags.map(bulkValue)),
            }),
          ),
        ),
        library_code: withCode ? bulkValue(code) : undefined,
      }),
    ),
  );
}

/** A map of the fields that are not undefined. */
function mapOf(fields: Readonly<Record<string, RedisValue | undefined>>): RedisValue {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return RedisValue.map(entries.map(([name, value]) => [bulkValue(name), value!]));
}

/** Replaces the commands that run scripts and functions, which then run in Lua as in Redis. */
export function addScriptingCommands(table: CommandTable): void {
  type EvalArguments = CallArguments & { readonly script?: Buffer; readonly sha?: string };
  const evaluate = (name: string, isReadOnly: boolean) =>
    table.override<EvalArguments>(name, async (args, ctx) => {
      const source = args.sha === undefined ? args.script! : ctx.server.scriptCache.get(args.sha);
      if (!source) throw new RedisCommandError("No matching script. Please use EVAL.", "NOSCRIPT");
      const flags = scriptFlags(source);
      if (isReadOnly && flags && !flags.includes("no-writes")) {
        const broken = await stateOf(ctx).withLua((lua) => lua.compileError(source, ctx));
        if (broken.kind === "error") return RedisResult.create(broken);
        throw new RedisCommandError(WRITES_IN_READ_ONLY);
      }
      const readOnly = flags?.includes("no-writes") || isReadOnly;
      const result = await stateOf(ctx).withLua((lua) =>
        lua.run(source, { ...keysAndArgs(args), ctx, readOnly }),
      );
      // Redis keeps no script that can't be compiled.
      const isBroken = result.kind === "error" && result.message.startsWith("Error compiling script");
      if (args.sha === undefined && !isBroken) ctx.server.scriptCache.load(source);
      return RedisResult.create(result);
    });
  evaluate("eval evalsha", false);
  evaluate("eval_ro evalsha_ro", true);

  const callFunction = (name: string, isReadOnly: boolean) =>
    table.override<CallArguments & { readonly functionName: string }>(name, async (args, ctx) => {
      const found = ctx.server.functionRegistry.findFunction(args.functionName);
      if (!found) throw new RedisCommandError("Function not found");
      const readOnly = found.flags.includes("no-writes");
      if (isReadOnly && !readOnly) throw new RedisCommandError(WRITES_IN_READ_ONLY);
      const result = await stateOf(ctx).withLua((lua) =>
        lua.runFunction(found.script, found.name, { ...keysAndArgs(args), ctx, readOnly }),
      );
      return RedisResult.create(result);
    });
  callFunction("fcall", false);
  callFunction("fcall_ro", true);

  table.override<{ subcommand: string; rest: readonly Buffer[] }>("script", async (args, ctx, run) => {
    const [source] = args.rest;
    if (args.subcommand.toUpperCase() === "LOAD" && source && args.rest.length === 1) {
      scriptFlags(source);
      const broken = await stateOf(ctx).withLua((lua) => lua.compileError(source, ctx));
      if (broken.kind === "error") return RedisResult.create(broken);
    }
    return run(args);
  });

  table.check("eval eval_ro evalsha evalsha_ro fcall fcall_ro", ([, numKeys]) => {
    if (/^-[1-9]\d*$/.test(numKeys?.toString("latin1") ?? ""))
      throw new RedisCommandError("Number of keys can't be negative");
  });
  table.override<{ subcommand: string; rest: readonly Buffer[] }>("function", (args, ctx, run) => {
    const name = args.subcommand.toUpperCase();
    if (name === "LOAD") return load(args.rest, ctx);
    return name === "LIST" ? list(args.rest, ctx) : run(args);
  });
}
