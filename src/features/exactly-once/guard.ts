import type { Command, CommandExecutor } from "../../execution/executor.js";
import type { BatchPath } from "../../protocol/rest-protocol.js";
import { isHarmless, refusalReason, wrapInIdempotencyScript } from "./wrap.js";

/**
 * The commands with every write made repeatable.
 * @throws ConfigError when a write can't be run exactly once.
 */
export function makeRepeatable(executor: CommandExecutor, commands: readonly Command[]): readonly Command[] {
  return commands.map((command) => {
    const { write, argv, index } = command;
    if (!write || isHarmless(argv)) return command;
    const reason = refusalReasonOf(executor, command);
    if (!reason) return guard(executor, command);
    const name = argv[0] as string;
    const message = `${reason}; use redis.with({ writes: "at-most-once" }) for it`;
    throw executor.errorFactory(`${name} can't be run exactly once`)("ConfigError", message, {
      command: name,
      index,
    });
  });
}

/**
 * A batch that is repeated as a whole must return its first results: its reads are guarded like its writes, those
 * of a transaction all, those of a pipeline where a write comes after them.
 */
export function withRepeatableReads(
  executor: CommandExecutor,
  commands: readonly Command[],
  path: BatchPath,
): readonly Command[] {
  const end = path === "multi-exec" ? commands.length : commands.findLastIndex(({ write }) => write);
  return commands.map((command, at) =>
    !command.write && at < end && !refusalReasonOf(executor, command) ? guard(executor, command) : command,
  );
}

function refusalReasonOf(executor: CommandExecutor, { argv, wait }: Command): string | undefined {
  return refusalReason({ argv, wait, known: executor.findSpec(argv)[0] !== undefined });
}

function guard({ settings, context }: CommandExecutor, command: Command): Command {
  const argv = wrapInIdempotencyScript(command.argv, settings.exactlyOnceTtl, context.protocol.isThirdParty);
  return { ...command, argv, bytes: argv.some((arg) => typeof arg !== "string"), repeatable: true };
}
