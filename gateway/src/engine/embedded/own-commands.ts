import { type CommandExecutor, defineCommand, RedisCommandError, RedisResult, t } from "js-redis-server/core";
import { TOO_LARGE } from "./command-framer.js";
import { addBlockingCommands } from "./commands/blocking.js";
import { addByteCommands } from "./commands/bytes.js";
import { CommandTable } from "./commands/define.js";
import { addGeoCommands } from "./commands/geo.js";
import { addKeyCommands } from "./commands/keys.js";
import { addLargeIntegers } from "./commands/large-integers.js";
import { addListCommands } from "./commands/lists.js";
import { replaceParseErrors } from "./commands/parse-errors.js";
import { addRandomCommands } from "./commands/random.js";
import { addScriptingCommands } from "./commands/scripting.js";
import { addServerCommands } from "./commands/server.js";
import { addSortCommands } from "./commands/sort.js";
import { overwriteDestinations } from "./commands/stores.js";
import { addStreamCommands } from "./commands/streams.js";
import { addStringCommands } from "./commands/strings.js";
import { addSortedSetCommands } from "./commands/zsets.js";
import { addJsonCommands } from "./json/commands.js";
import { type EmbeddedLimits, sizeText } from "./limits.js";
import type { WaitingClients } from "./waiting-clients.js";

/** Adds the commands that the engine's library lacks, and replaces those whose replies differ from Redis's. */
export function addOwnCommands(
  executor: CommandExecutor,
  limits: EmbeddedLimits,
  waiting: WaitingClients,
): void {
  const table = new CommandTable(executor);
  addStringCommands(table);
  addByteCommands(table);
  addListCommands(table);
  addSortedSetCommands(table);
  addBlockingCommands(table, waiting);
  overwriteDestinations(table);
  addSortCommands(table, limits);
  addRandomCommands(table, limits);
  addGeoCommands(table);
  addKeyCommands(table);
  addStreamCommands(table, waiting);
  addScriptingCommands(table);
  addServerCommands(table);
  addJsonCommands(table, limits);
  addLargeIntegers(table);
  table.add(tooLarge(limits));
  replaceParseErrors(executor);
  replyToDefects(executor);
}

/** Replies to a command that fails by a defect. The library closes its connection, so that the replies to others are lost, too. */
function replyToDefects(executor: CommandExecutor): void {
  const executeRaw = executor.executeRaw.bind(executor);
  executor.executeRaw = async (name, args, ctx) => {
    try {
      return await executeRaw(name, args, ctx);
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      return RedisResult.error(`internal error of the embedded engine: ${(error as Error).message}`, "ERR");
    }
  };
}

/** The stand-in for a command that was too large. It is refused while it is parsed, so that an open transaction fails as a whole. */
function tooLarge(limits: EmbeddedLimits) {
  return defineCommand({
    name: TOO_LARGE,
    schema: t.custom((): { value: null; nextIndex: number } => {
      throw new RedisCommandError(
        `command is larger than ${sizeText(limits.maxStringBytes)}, the embedded engine's limit`,
      );
    }),
    flags: [],
    keys: () => [],
    execute: () => RedisResult.nil(),
  });
}
