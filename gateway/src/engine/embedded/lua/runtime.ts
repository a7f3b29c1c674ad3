import { createHash, randomUUID } from "node:crypto";
import {
  type CommandPlan,
  type LuaReplyValue,
  luaReplyToRedisValue,
  RedisCommandError,
  type RedisExecutionContext,
  type RedisLuaRuntime,
  type RedisResult,
  RedisValue,
} from "js-redis-server/core";
import { CLAIMED_VERSION } from "../claimed-version.js";
import { formatDouble } from "../commands/numbers.js";
import { prelude } from "./prelude.js";
import { toLua } from "./replies.js";

/** The members of lua-redis-wasm's engine that this module uses. Its types do not declare them. */
interface Engine {
  readonly exports: {
    readonly HEAPU8: Uint8Array;
    _alloc(size: number): number;
    /** Sets the stack pointer. The build exposes it, see tsup.config.ts. */
    _emscripten_stack_restore(pointer: number): void;
  };
  evalWithArgs(script: string | Buffer, keys?: Buffer[], args?: Buffer[]): unknown;
}

/** The members of the library's runtime that this module uses. */
interface Runtime {
  readonly engine: Engine;
  readonly hostState: { ctx: RedisExecutionContext | null; readOnly: boolean };
  runRedisCommand(args: Buffer[]): unknown;
}

/** Offset of the readonly flag in the tables of Redis's Lua, on a 32-bit machine. */
const READONLY_OFFSET = 8;
/** More than the deepest calls need that Lua and cjson allow. */
const STACK_BYTES = 2 * 1024 * 1024;
const STACK_ALIGNMENT = 16;
/** Tables that the prelude changes. They are locked. */
const LOCKED = ["_G", "getmetatable(_G)", "string", "redis", "struct", "coroutine"];
/** Goes before an argument that is a number in a script, and before a command whose reply is to have the forms of RESP3. */
const [NUMBER, RESP3] = ["number", "resp3"].map((name) => Buffer.from(`${name} ${randomUUID()} `)) as [
  Buffer,
  Buffer,
];
/** The library's error for a script that took more steps than its limit. */
const TOO_MANY_STEPS = "Script killed by fuel limit";

/** Commands without the flag of writes that Redis refuses to scripts that only read. */
const SENDS = new Set(["publish", "spublish", "pfcount"]);

/** A function of a library, as `redis.register_function` got it. */
export interface LoadedFunction {
  readonly name: string;
  readonly description: string | null;
  readonly flags: readonly string[];
}

/** Arguments of a script or function, and its permissions. */
export interface RunOptions {
  readonly keys: readonly Buffer[];
  readonly args: readonly Buffer[];
  readonly ctx: RedisExecutionContext;
  /** Refuses commands that write. */
  readonly readOnly: boolean;
}

/** Lua as in Redis, on top of the library's. */
export class LuaRuntime {
  readonly #engine: Engine;

  /** @throws {Error} if the library's Lua has another layout than this module expects */
  constructor(private readonly library: RedisLuaRuntime) {
    const runtime = library as unknown as Runtime;
    this.#engine = runtime.engine;
    runtime.runRedisCommand = (args) => runCommand(runtime, args);
    this.#enlargeStack();
    this.#install();
  }

  /** Runs a script. Returns its result, or the error that it ended with. */
  run(source: Buffer, options: RunOptions): RedisValue {
    const name = createHash("sha1").update(source).digest("hex");
    return this.#run("warmline_run_script", [withoutFirstLine(source)], {
      ...options,
      name,
      chunk: "user_script",
    });
  }

  /** Returns the error that keeps a script from being compiled. Null if there is none. */
  compileError(source: Buffer, ctx: RedisExecutionContext): RedisValue {
    const options = { keys: [], args: [], ctx, readOnly: true, name: "", chunk: "" };
    return this.#run("warmline_compile", [withoutFirstLine(source)], options);
  }

  /** Runs a function of a library. */
  runFunction(source: Buffer, name: string, options: RunOptions): RedisValue {
    const given = [withoutFirstLine(source), Buffer.from(name)];
    return this.#run("warmline_run_function", given, { ...options, name, chunk: "user_function" });
  }

  /**
   * Runs the chunk of a library, which registers its functions.
   * @throws {RedisCommandError} of the chunk
   */
  load(source: Buffer, ctx: RedisExecutionContext): LoadedFunction[] {
    const options = { keys: [], args: [], ctx, readOnly: true };
    const result = this.#call("warmline_load", [withoutFirstLine(source)], options);
    if (typeof result[0] !== "number") {
      const { text, kind } = errorOf(result);
      if (kind === "compile") throw new RedisCommandError(text.replace(/^ERR /, ""));
      throw new RedisCommandError(`Error registering functions: ${text}`);
    }
    const found = (result[1] ?? []) as [Buffer, Buffer | false | null, Buffer[]][];
    return found.map(([name, description, flags]) => ({
      name: name.toString(),
      description: Buffer.isBuffer(description) ? description.toString() : null,
      flags: flags.map(String),
    }));
  }

  #run(
    entry: string,
    given: Buffer[],
    options: RunOptions & { readonly name: string; readonly chunk: string },
  ): RedisValue {
    const result = this.#call(entry, given, options);
    if (typeof result[0] === "number")
      return toRedisValue(luaReplyToRedisValue(result[1] as LuaReplyValue), result[0] === 2);
    const { text, kind, line } = errorOf(result);
    if (kind === "compile") return errorReply(text);
    if (text.includes(TOO_MANY_STEPS))
      return RedisValue.error(
        "script took too many steps for the embedded engine; its earlier writes remain",
        "ERR",
      );
    return errorReply(`${text} script: ${options.name}, on @${options.chunk}:${line}.`);
  }

  #call(entry: string, given: Buffer[], { keys, args, ctx, readOnly }: RunOptions): unknown[] {
    const script = Buffer.from(`return ${entry}()`);
    const { selectedDatabase } = ctx.session;
    let result: unknown;
    try {
      result = this.library.eval(script, [...keys], [...given, ...args], ctx, { readOnly });
    } finally {
      // A SELECT in a script is for the rest of that script alone.
      ctx.session.selectDatabase(selectedDatabase);
    }
    if (Array.isArray(result)) return result;
    // The script used up its steps or its stack.
    const error = result as { err: Buffer; code?: Buffer } | null;
    return [`${error?.code ?? "ERR"} ${error?.err ?? "script execution failed"}`, "1", "error"];
  }

  /** Moves C's stack into the heap. That of the WebAssembly build has 64 KB, and deeper calls overwrite C's data unnoticed. */
  #enlargeStack(): void {
    const { exports } = this.#engine;
    const end = exports._alloc(STACK_BYTES) + STACK_BYTES;
    exports._emscripten_stack_restore(end - (end % STACK_ALIGNMENT));
  }

  #install(): void {
    const evaluate = (script: string, ...args: (string | Buffer)[]) =>
      this.#engine.evalWithArgs(
        script,
        [],
        args.map((arg) => Buffer.from(arg as Buffer)),
      );
    const addresses = evaluate(
      `local new = {} return {tostring(new), ${LOCKED.map((name) => `tostring(${name})`).join()}}`,
    ) as Buffer[];
    const [fresh, ...locked] = addresses.map((text) =>
      Number.parseInt(String(text).slice("table: 0x".length), 16),
    );
    const flag = (table: number) =>
      new DataView(this.#engine.exports.HEAPU8.buffer, table + READONLY_OFFSET, Int32Array.BYTES_PER_ELEMENT);
    if (flag(fresh!).getInt32(0, true) !== 0 || locked.some((table) => flag(table).getInt32(0, true) !== 1))
      throw new Error("the layout of tables in lua-redis-wasm has changed");
    for (const table of locked) flag(table).setInt32(0, 0, true);
    const [major, minor, patch] = CLAIMED_VERSION.split(".").map(Number) as [number, number, number];
    const problem = evaluate(
      "return loadstring(ARGV[1], '@prelude')()",
      prelude,
      CLAIMED_VERSION,
      String(major * 65_536 + minor * 256 + patch),
      NUMBER,
      RESP3,
      TOO_MANY_STEPS,
    );
    if (problem !== null) throw new Error(`Lua's prelude failed: ${JSON.stringify(problem)}`);
    for (const table of locked) flag(table).setInt32(0, 1, true);
  }
}

/** The first line says how to run the script. It is left blank, so that the numbers of the others stay. */
function withoutFirstLine(source: Buffer): Buffer {
  if (source.toString("latin1", 0, 2) !== "#!") return source;
  const end = source.indexOf("\n");
  return end === -1 ? Buffer.alloc(0) : source.subarray(end);
}

/** Makes an error of its text. The first word is the code, whatever that is, and may be all there is. */
function errorReply(text: string): RedisValue {
  const [, code, message = text] = /^(\S+) ([\s\S]*)$/.exec(text) ?? [];
  return RedisValue.error(message, code);
}

function errorOf([text, line, kind]: readonly unknown[]) {
  return { text: String(text), line: Number(String(line)) || 1, kind: String(kind) };
}

/** Converts the result of a script. Unless it chose RESP3, true is 1 and false is null. */
function toRedisValue(value: RedisValue, isResp2: boolean): RedisValue {
  const convert = (item: RedisValue) => toRedisValue(item, isResp2);
  switch (value.kind) {
    case "boolean":
      if (!isResp2) return value;
      return value.value ? RedisValue.integer(1) : RedisValue.null();
    case "error":
      return errorReply(`${value.code ? `${value.code} ` : ""}${value.message}`);
    case "array":
      return RedisValue.array(value.items.map(convert));
    case "set":
      return RedisValue.set(value.items.map(convert));
    case "map":
      return RedisValue.map(value.entries.map(([key, item]) => [convert(key), convert(item)]));
    default:
      return value;
  }
}

/** Runs a command for a script. Returns its reply as Lua gets it. */
function runCommand({ hostState }: Runtime, given: Buffer[]): unknown {
  const { ctx, readOnly } = hostState;
  if (!ctx) throw new Error("no script runs");
  const isResp3 = given[0]?.equals(RESP3) === true;
  const args = (isResp3 ? given.slice(1) : given).map(argumentOf);
  const reply = runInScript(args, scriptContext(ctx, isResp3), readOnly);
  return toLua(reply, isResp3 ? args[0]!.toString("latin1") : undefined);
}

/** Integers are written with all of their digits, other numbers as Redis 7.2 and later write them. */
function argumentOf(given: Buffer): Buffer {
  if (given[0] !== NUMBER[0] || !given.subarray(0, NUMBER.length).equals(NUMBER)) return given;
  const value = Number(given.toString("latin1", NUMBER.length).replace("inf", "Infinity"));
  const isInteger = Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  return Buffer.from(isInteger ? String(BigInt(value)) : formatDouble(value));
}

function runInScript([name, ...args]: Buffer[], ctx: RedisExecutionContext, readOnly: boolean): RedisValue {
  if (!name) return RedisValue.error("Please specify at least one argument for this redis lib call", "ERR");
  let plan: CommandPlan;
  try {
    plan = ctx.executor.plan(name, args);
  } catch (error) {
    if (!(error instanceof RedisCommandError)) throw error;
    return RedisValue.error(textInScript(error.message), error.code);
  }
  if (plan.flags.includes("noscript"))
    return RedisValue.error("This Redis command is not allowed from script", "ERR");
  if (readOnly && (plan.flags.includes("write") || SENDS.has(plan.definition.name)))
    return RedisValue.error("Write commands are not allowed from read-only scripts.", "ERR");
  return (ctx.executor.executePlanSync(plan, ctx) as RedisResult).value;
}

function textInScript(message: string): string {
  if (message.startsWith("unknown command")) return "Unknown Redis command called from script";
  if (message.startsWith("wrong number of arguments"))
    return "Wrong number of args calling Redis command from script";
  return message;
}

/** The context of a script's commands, which MONITOR shows after the script itself. */
function scriptContext(ctx: RedisExecutionContext, isResp3: boolean): RedisExecutionContext {
  return Object.create(ctx, {
    session: { value: isResp3 ? inResp3(ctx.session) : ctx.session },
    monitor: { value: { ...ctx.monitor, defer: true, clientAddress: "lua" } },
  });
}

/** The same session, but in RESP3. SELECT changes the session itself, from which `ctx.db` comes. */
function inResp3(session: RedisExecutionContext["session"]): RedisExecutionContext["session"] {
  return Object.create(session, {
    protocolVersion: { value: 3 },
    selectDatabase: { value: (database: number) => session.selectDatabase(database) },
  });
}
