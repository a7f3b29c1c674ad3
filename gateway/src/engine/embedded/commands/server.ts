import { release, type as systemName } from "node:os";
import { RedisCommandError, RedisValue } from "js-redis-server/core";
import { CLAIMED_VERSION } from "../claimed-version.js";
import {
  array,
  bulk,
  bulkValue,
  type CommandTable,
  command,
  integer,
  MAX_INT64,
  parseInt64,
  parseInteger,
} from "./define.js";

/** The version of js-redis-server. */
const LIBRARY_VERSION = "0.3.0";

const MB = 1024 * 1024;
const startedAt = performance.now();

const echo = command("echo message", "fast", ([message]) => bulk(message!));

/** Replies at once: the engine has no replicas that could acknowledge writes later. */
const wait = command("wait replicas timeout", "noscript", ([replicas, timeout]) => {
  parseInteger(replicas!);
  checkTimeout(timeout!);
  return integer(0);
});

/** @throws RedisCommandError if the timeout in ms is malformed, negative, or ends beyond a 64-bit time. */
export function checkTimeout(timeout: Buffer): void {
  const value = parseInt64(timeout.toString("latin1"));
  if (value === undefined) throw new RedisCommandError("timeout is not an integer or out of range");
  if (value < 0n) throw new RedisCommandError("timeout is negative");
  if (value + BigInt(Date.now()) > MAX_INT64) throw new RedisCommandError("timeout is out of range");
}

/** How far the clock is ahead of `performance.now()`, in ms. */
let clockOffset = performance.timeOrigin;
/** By how much the offset may be wrong, in ms, until it is taken anew: the clock was set, or the machine slept. */
const MAX_DRIFT = 2;
let lastTime = 0;

/** Returns the time in microseconds. No two calls return the same, since scripts make unique scores and names of it. */
function nextTime(): number {
  const now = Date.now();
  if (Math.abs(clockOffset + performance.now() - now) > MAX_DRIFT) clockOffset = now - performance.now();
  lastTime = Math.max(Math.floor((clockOffset + performance.now()) * 1000), lastTime + 1);
  return lastTime;
}

const role = command("role", "noscript fast", () =>
  array([bulkValue("master"), RedisValue.integer(0), RedisValue.array([])]),
);

/** The only user, who may do everything, as ACL LIST of Redis 7.0 shows it. */
const DEFAULT_USER = "user default on nopass ~* &* +@all";

export function unknownSubcommand(command: string, subcommand: Buffer): RedisCommandError {
  return new RedisCommandError(
    `unknown subcommand '${subcommand.toString().slice(0, 128)}'. Try ${command} HELP.`,
  );
}

/** Returns the fields of INFO that the library leaves out or has as constants. */
function infoFields(): Record<string, string | number> {
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const used = heapUsed + arrayBuffers;
  const seconds = Math.floor((performance.now() - startedAt) / 1000);
  return {
    redis_version: `${CLAIMED_VERSION}\r\nserver_name:warmline-embedded\r\njs_redis_server_version:${LIBRARY_VERSION}`,
    os: `${systemName()} ${release()} ${process.arch}`,
    multiplexing_api: "node",
    process_id: process.pid,
    // The engine has no port: it can be reached only from its own process.
    tcp_port: 0,
    uptime_in_seconds: seconds,
    uptime_in_days: Math.floor(seconds / 86_400),
    used_memory: used,
    used_memory_human: `${(used / MB).toFixed(2)}M`,
    used_memory_rss: rss,
  };
}

/** Adds server commands that the library lacks, makes TIME count microseconds, and corrects the fields of INFO about the server. */
export function addServerCommands(table: CommandTable): void {
  table.add(echo, wait, role);
  table.override<{ subcommand: string; args: readonly Buffer[] }>("acl", (args, _ctx, run) =>
    args.subcommand.toUpperCase() === "LIST" && args.args.length === 0
      ? array([bulkValue(DEFAULT_USER)])
      : run(args),
  );
  table.override("time", () => {
    const time = nextTime();
    const seconds = Math.floor(time / 1_000_000);
    return array([bulkValue(String(seconds)), bulkValue(String(time - seconds * 1_000_000))]);
  });
  table.override("info", (args, _ctx, run) => {
    const result = run(args);
    if (result.value.kind !== "bulk-string") return result;
    const fields = infoFields();
    const text = result.value.value!.toString().replace(/^(\w+):.*$/gm, (line, name: string) => {
      const value = fields[name];
      return value === undefined ? line : `${name}:${value}${line.endsWith("\r") ? "\r" : ""}`;
    });
    return bulk(text);
  });
}
