import { getCommandInfo } from "../commands/command-info.js";
import type { Engine } from "../engine/engine.js";
import { newCounters } from "../redis/counters.js";
import { Server } from "../redis/server.js";
import { command } from "../resp/command.js";
import { isError, lineOf } from "../resp/replies.js";
import { type SeedCommand, SeedError, type SeedFile } from "./seed-file.js";

/** Commands that are sent at a time. */
const BATCH = 1_000;
/** Timeout in ms for a batch. */
const TIMEOUT = 60_000;
const MAX_REPLY = 512 * 1024 * 1024;

/**
 * Runs the commands of a file on an engine that was just started. Data that the engine kept from an earlier run is not seeded
 * again: commands such as RPUSH would add to it each time. Returns a readable summary.
 * @throws {SeedError} at the first command that Redis refuses; the data of the commands before it is removed
 */
export async function runSeed(engine: Engine, { path, commands }: SeedFile): Promise<string> {
  const server = new Server({
    connect: (onRead) => engine.connect(onRead),
    timeout: TIMEOUT,
    connections: 1,
    maxBlockingConnections: 1,
    maxTransactionConnections: 1,
    maxQueuedCommands: BATCH + 1,
    maxReplySize: MAX_REPLY,
    counters: newCounters(),
  });
  try {
    const keys = engine.data === undefined ? 0 : await countKeys(server);
    if (keys > 0) return `${path} was not run: the kept data has ${keys} ${keys === 1 ? "key" : "keys"}`;
    try {
      for (let from = 0; from < commands.length; from += BATCH)
        await runBatch(server, path, commands.slice(from, from + BATCH));
    } catch (error) {
      // Else the next start would find keys, and leave the file out.
      if (engine.data !== undefined) await replyTo(server, "FLUSHALL");
      throw error;
    }
    return `${path}, ${commands.length} ${commands.length === 1 ? "command" : "commands"}`;
  } finally {
    server.close();
  }
}

function runBatch(server: Server, path: string, batch: readonly SeedCommand[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = batch.length;
    const fail = (tag: number, what: string) => {
      const { command, line } = batch[tag]!;
      reject(
        new SeedError(
          `seed: ${path}: line ${line}: ${getCommandInfo(command)?.name ?? "the command"} failed: ${what}`,
        ),
      );
    };
    const commands = batch.map((each) => each.command);
    server.send(commands, {
      cancelled: false,
      onReply(reply, tag) {
        if (isError(reply)) fail(tag, errorOf(reply, getCommandInfo(commands[tag]!)?.group));
        else if (--left === 0) resolve();
      },
      onFailure: ({ message }, tag) => fail(tag, message),
    });
  });
}

/** An error of Redis without what it might quote of the arguments; of a script's, which may be anything, its kind alone. */
function errorOf(reply: Buffer, group: string | undefined): string {
  const text = lineOf(reply);
  if (/^ERR wrong number of arguments for '[\w|-]+' command$/.test(text)) return text;
  if (group === "scripting") return /^[A-Z]+/.exec(text)?.[0] ?? "ERR";
  return (/^[\w ,.-]+?(?=,? with args| ?['"`:(]|$)/.exec(text)?.[0] ?? text.split(" ")[0]!).trim();
}

async function countKeys(server: Server): Promise<number> {
  return Number((await replyTo(server, "DBSIZE")).toString("latin1", 1));
}

function replyTo(server: Server, name: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    server.send([command(name)], {
      cancelled: false,
      onReply: resolve,
      onFailure: ({ message }) => reject(new Error(message)),
    });
  });
}
