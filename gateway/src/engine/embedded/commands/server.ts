import { release, type as systemName } from "node:os";
import {
  type CommandExecutor,
  RedisCommandError,
  RedisResult,
  RedisValue,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";
import { allCommandInfo } from "../../../commands/command-info.js";
import { CLAIMED_VERSION } from "../claimed-version.js";
import { optionName, parseInteger } from "./args.js";
import { addCommands, type Context, libraryCommand, plainCommand } from "./define.js";
import { array, bulk, bulkValue, integer, lines } from "./results.js";

/** That of js-redis-server. */
const LIBRARY_VERSION = "0.3.0";

const MAX_INT64 = (1n << 63n) - 1n;
const MB = 1024 * 1024;
const startedAt = performance.now();

const echo = plainCommand({
  name: "echo",
  flags: ["fast"],
  arity: 2,
  keys: null,
  execute: ([message]) => bulk(message!),
});

/** The engine has no replicas. No count can grow, so it replies at once. */
const wait = plainCommand({
  name: "wait",
  flags: ["noscript"],
  arity: 3,
  keys: null,
  execute([replicas, timeout]) {
    parseInteger(replicas!);
    checkTimeout(timeout!);
    return integer(0);
  },
});

/** The engine has neither replicas nor an append-only file, so it replies at once, as Redis with `appendonly no`. */
const waitaof = plainCommand({
  name: "waitaof",
  flags: [],
  arity: 4,
  keys: null,
  execute([local, replicas, timeout]) {
    const localCount = parseInteger(local!);
    if (localCount !== 0 && localCount !== 1)
      throw new RedisCommandError("value is out of range, value must between 0 and 1");
    if (!/^(0|[1-9]\d*)$/.test(replicas!.toString("latin1")))
      throw new RedisCommandError("value is out of range, must be positive");
    checkTimeout(timeout!);
    if (localCount > 0)
      throw new RedisCommandError("WAITAOF cannot be used when numlocal is set but appendonly is disabled.");
    return array([RedisValue.integer(0), RedisValue.integer(0)]);
  },
});

/** @throws RedisCommandError if the timeout in ms is malformed, negative, or ends beyond a 64-bit time. */
function checkTimeout(timeout: Buffer): void {
  const text = timeout.toString("latin1");
  const isInteger = /^(0|-?[1-9]\d*)$/.test(text);
  const value = isInteger ? BigInt(text) : 0n;
  if (!isInteger || value !== BigInt.asIntN(64, value))
    throw new RedisCommandError("timeout is not an integer or out of range");
  if (value < 0n) throw new RedisCommandError("timeout is negative");
  if (value + BigInt(Date.now()) > MAX_INT64) throw new RedisCommandError("timeout is out of range");
}

const role = plainCommand({
  name: "role",
  flags: ["noscript", "fast"],
  arity: 1,
  keys: null,
  execute: () => array([bulkValue("master"), RedisValue.integer(0), RedisValue.array([])]),
});

/** No command is timed, so there is never an event to report. */
const latency = plainCommand({
  name: "latency",
  flags: ["admin", "noscript"],
  arity: -2,
  keys: null,
  execute([subcommand, ...rest]) {
    switch (optionName(subcommand)) {
      case "LATEST":
      case "HISTORY":
        if (rest.length !== (optionName(subcommand) === "HISTORY" ? 1 : 0))
          throw new WrongNumberOfArgumentsError(`latency|${subcommand!.toString().toLowerCase()}`);
        return array([]);
      case "HISTOGRAM":
        return array([]);
      case "RESET":
        return integer(0);
      case "DOCTOR":
        return bulk("The embedded engine does not monitor latency. Use a real Redis to measure it.\n");
      case "HELP":
        return lines([
          "LATENCY <subcommand> [<arg> [value] [opt] ...]. The embedded engine measures no latency. Subcommands are:",
          "DOCTOR",
          "    Return that there is no report.",
          "HISTOGRAM [COMMAND ...], HISTORY <event>, LATEST",
          "    Return no entries.",
          "RESET [<event> ...]",
          "    Return 0, the number of time series that were reset.",
          "HELP",
          "    Print this help.",
        ]);
      default:
        throw unknownSubcommand("LATENCY", subcommand!);
    }
  },
});

/** The only user, who may do everything, as Redis 7.0 writes it. */
const DEFAULT_USER = "user default on nopass ~* &* +@all";
const CATEGORIES =
  "keyspace read write set sortedset list hash string bitmap hyperloglog geo stream pubsub admin fast slow blocking dangerous connection transaction scripting".split(
    " ",
  );

/** Redis's groups of commands whose category has another name. */
const CATEGORY_OF: Readonly<Record<string, string>> = {
  generic: "keyspace",
  "sorted-set": "sortedset",
  transactions: "transaction",
};

/** The names of the engine's commands of a category. */
function commandsOf(category: string, ctx: Context): string[] {
  const infos = new Map(Array.from(allCommandInfo(), (info) => [info.name.toLowerCase(), info]));
  return ctx.executor
    .getCommandDefinitions()
    .filter(({ name, flags }) => {
      const info = infos.get(name);
      switch (category) {
        case "read":
          return flags.includes("readonly");
        case "write":
        case "fast":
        case "admin":
          return flags.includes(category);
        case "slow":
          return !flags.includes("fast");
        case "dangerous":
          return flags.includes("admin") || name === "keys" || name.startsWith("flush");
        case "blocking":
          return info?.blocking === true;
        default:
          return info !== undefined && (CATEGORY_OF[info.group] ?? info.group) === category;
      }
    })
    .map(({ name }) => name);
}

function textOf(value: RedisValue): string | undefined {
  if (value.kind === "simple-string") return value.value;
  return value.kind === "bulk-string" ? value.value?.toString() : undefined;
}

export function unknownSubcommand(command: string, subcommand: Buffer): RedisCommandError {
  return new RedisCommandError(
    `unknown subcommand '${subcommand.toString().slice(0, 128)}'. Try ${command} HELP.`,
  );
}

const swapdb = plainCommand({
  name: "swapdb",
  flags: ["write", "fast"],
  arity: 3,
  keys: null,
  execute([first, second], ctx) {
    const indexes = [first!, second!].map((arg, position) => {
      const text = arg.toString("latin1");
      if (!/^-?\d+$/.test(text))
        throw new RedisCommandError(`invalid ${position === 0 ? "first" : "second"} DB index`);
      return Number(text);
    }) as [number, number];
    const databases = indexes.map((index) => ctx.server.databases[index]);
    if (!databases[0] || !databases[1]) throw new RedisCommandError("DB index is out of range");
    if (indexes[0] === indexes[1]) return RedisResult.ok();
    const contents = databases.map((database) => database!.entriesSnapshot());
    for (const database of databases) database!.flush();
    for (const [side, entries] of contents.entries()) {
      for (const { key, value, expiresAt } of entries) {
        databases[1 - side]!.set(key, value, expiresAt === undefined ? {} : { expiresAt });
      }
    }
    return RedisResult.ok();
  },
});

/** Values of INFO that the library has as constants, and what it leaves out. */
function infoFields(): Record<string, string | number> {
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const used = heapUsed + arrayBuffers;
  const seconds = Math.floor((performance.now() - startedAt) / 1000);
  return {
    redis_version: `${CLAIMED_VERSION}\r\nserver_name:warmline-embedded\r\njs_redis_server_version:${LIBRARY_VERSION}`,
    os: `${systemName()} ${release()} ${process.arch}`,
    multiplexing_api: "node",
    process_id: process.pid,
    // There is none: the engine can be reached only from its own process.
    tcp_port: 0,
    uptime_in_seconds: seconds,
    uptime_in_days: Math.floor(seconds / 86_400),
    used_memory: used,
    used_memory_human: `${(used / MB).toFixed(2)}M`,
    used_memory_rss: rss,
  };
}

/** Adds server commands that the library lacks and corrects what INFO and HELLO say of the server. */
export function addServerCommands(executor: CommandExecutor): void {
  const acl = libraryCommand(executor, "acl");
  const info = libraryCommand(executor, "info");
  const hello = libraryCommand(executor, "hello");
  addCommands(executor, [
    echo,
    wait,
    waitaof,
    role,
    latency,
    swapdb,
    {
      ...acl,
      execute(given, ctx) {
        const { subcommand, args } = given as { subcommand: string; args: readonly Buffer[] };
        const name = subcommand.toUpperCase();
        if (name === "LIST" && args.length === 0) return array([bulkValue(DEFAULT_USER)]);
        if (name !== "CAT" || args.length > 1) return acl.execute(given, ctx);
        if (args.length === 0) return array(CATEGORIES.map(bulkValue));
        const category = args[0]!.toString().toLowerCase();
        if (!CATEGORIES.includes(category)) throw new RedisCommandError(`Unknown category '${args[0]}'`);
        return array(commandsOf(category, ctx).map(bulkValue));
      },
    },
    {
      ...info,
      execute(args, ctx) {
        const result = info.execute(args, ctx) as RedisResult;
        if (result.value.kind !== "bulk-string") return result;
        const fields = infoFields();
        const text = result.value.value!.toString().replace(/^(\w+):.*$/gm, (line, name: string) => {
          const value = fields[name];
          return value === undefined ? line : `${name}:${value}${line.endsWith("\r") ? "\r" : ""}`;
        });
        return bulk(text);
      },
    },
    {
      ...hello,
      execute(args, ctx) {
        const result = hello.execute(args, ctx) as RedisResult;
        const { value } = result;
        const correct = (items: readonly RedisValue[]): RedisValue[] =>
          items.map((item, at) =>
            at > 0 && textOf(items[at - 1]!) === "version" ? bulkValue(CLAIMED_VERSION) : item,
          );
        if (value.kind === "array") return RedisResult.create(RedisValue.array(correct(value.items)));
        if (value.kind !== "map") return result;
        return RedisResult.create(
          RedisValue.map(value.entries.map((entry) => correct(entry) as [RedisValue, RedisValue])),
        );
      },
    },
  ]);
}
