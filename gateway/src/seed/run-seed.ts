import { getCommandInfo } from "../commands/command-info.js";
import type { Engine } from "../engine/engine.js";
import { newCounters } from "../redis/counters.js";
import { Server } from "../redis/server.js";
import { type Command, command } from "../resp/command.js";
import { elementsOf, isError, lineOf } from "../resp/replies.js";
import { type SeedCommand, SeedError, type SeedFile } from "./seed-file.js";

/** Timeout in ms for all commands together, and what each of them adds to it: many commands may take long on a slow machine. */
const TIMEOUT = 60_000;
const TIMEOUT_EACH = 10;
const MAX_REPLY = 512 * 1024 * 1024;

/**
 * Runs the commands of a file on an engine that was just started, as one transaction: if this process or the engine ends
 * meanwhile, none has run. Data that the engine kept from an earlier run is not seeded again: commands such as RPUSH would
 * add to it each time. Returns a readable summary.
 * @throws {SeedError} at the first command that Redis refuses; the data of the others is removed
 */
export async function runSeed(engine: Engine, { path, commands }: SeedFile): Promise<string> {
  const server = new Server({
    connect: (onRead) => engine.connect(onRead),
    timeout: TIMEOUT + TIMEOUT_EACH * commands.length,
    connections: 1,
    maxBlockingConnections: 1,
    maxTransactionConnections: 1,
    maxQueuedCommands: commands.length + 2,
    maxReplySize: MAX_REPLY,
    counters: newCounters(),
  });
  try {
    const kept = engine.data === undefined ? null : await keptBy(server);
    if (kept !== null) return `${path} was not run: the kept data has ${kept}`;
    const failed = commands.length === 0 ? null : await runAll(server, commands);
    if (failed) {
      // Else the next start would find keys, and leave the file out.
      if (engine.data !== undefined)
        for (const undo of [["FLUSHALL"], ["FUNCTION", "FLUSH"]]) await replyTo(server, ...undo);
      const { command, line } = commands[failed.place]!;
      throw new SeedError(
        `seed: ${path}: line ${line}: ${getCommandInfo(command)?.name ?? unknownName(command)} failed: ${failed.what}`,
      );
    }
    return `${path}, ${commands.length} ${commands.length === 1 ? "command" : "commands"}`;
  } finally {
    server.close();
  }
}

/** The name of a command that the gateway does not know, if it can be one. Anything else may be a value. */
function unknownName({ name }: Command): string {
  return /^[A-Z][A-Z\d._-]{0,31}$/.test(name) ? name : "the command";
}

/** Runs commands as a transaction. Returns the first that failed, and why, or null. */
function runAll(server: Server, given: readonly SeedCommand[]) {
  const commands = given.map(({ command }) => command);
  const failed = (place: number, reply: Buffer) => ({
    place,
    what: errorOf(reply, getCommandInfo(commands[place]!)?.group),
  });
  return new Promise<ReturnType<typeof failed> | null>((resolve, reject) => {
    server.transaction(commands, {
      cancelled: false,
      onExec(reply, refused) {
        const [first] = refused;
        if (first) resolve(failed(...first));
        else if (isError(reply))
          reject(new SeedError(`seed: the commands failed: ${errorOf(reply, undefined)}`));
        else {
          const replies = elementsOf(reply);
          const place = replies.findIndex(isError);
          resolve(place < 0 ? null : failed(place, replies[place]!));
        }
      },
      onFailure: ({ message }) => reject(new SeedError(`seed: the commands failed: ${message}`)),
    });
  });
}

/** Returns an error without what it might quote of the arguments: of a script's, which may say anything, only the code. */
function errorOf(reply: Buffer, group: string | undefined): string {
  const text = lineOf(reply);
  if (/^ERR wrong number of arguments for '[\w|-]+' command$/.test(text)) return text;
  if (group === "scripting") return /^[A-Z]+/.exec(text)?.[0] ?? "ERR";
  return (/^[\w ,.-]+?(?=,? with args| ?['"`:(]|$)/.exec(text)?.[0] ?? text.split(" ")[0]!).trim();
}

/** Returns what the data has, as text, or null if it is empty. */
async function keptBy(server: Server): Promise<string | null> {
  const keys = Number((await replyTo(server, "DBSIZE")).toString("latin1", 1));
  if (keys > 0) return `${keys} ${keys === 1 ? "key" : "keys"}`;
  const functions = await replyTo(server, "FUNCTION", "LIST");
  // A Redis before version 7 has no functions.
  return isError(functions) || elementsOf(functions).length === 0 ? null : "functions";
}

function replyTo(server: Server, ...args: string[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    server.send([command(...args)], {
      cancelled: false,
      onReply: resolve,
      onFailure: ({ message }) => reject(new Error(message)),
    });
  });
}
