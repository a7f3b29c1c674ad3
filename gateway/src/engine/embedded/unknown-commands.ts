import { type CommandExecutor, RedisCommandError, UnknownRedisCommandError } from "js-redis-server/core";
import { isKnown } from "../../commands/command-info.js";

const HINT = " (the embedded engine does not have it; a redis-server may: give --engine its path)";

/** Adds to the error for an unknown command that Redis has it, if that is so. */
export function explainUnknownCommands(executor: CommandExecutor): void {
  const plan = executor.plan.bind(executor);
  executor.plan = (command, args) => {
    try {
      return plan(command, args);
    } catch (error) {
      const name = command.toString("latin1").toUpperCase();
      if (!isKnown(name) || !(error instanceof UnknownRedisCommandError)) throw error;
      throw new RedisCommandError(error.message.replace(/^unknown command '[^']*'/, `$&${HINT}`));
    }
  };
}
