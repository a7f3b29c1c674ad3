import type { Command, Core } from "../core.js";
import type { BatchPath } from "../wire/protocol.js";
import { needsNoGuard, once, refusal } from "./once.js";

/**
 * The commands with every write made repeatable.
 * @throws ConfigError when a write can't be run exactly once.
 */
export function guarded(core: Core, commands: readonly Command[]): readonly Command[] {
  return commands.map((command) => {
    const { write, argv, index } = command;
    if (!write || needsNoGuard(argv)) return command;
    const reason = refusalOf(core, command);
    if (!reason) return guard(core, command);
    const name = argv[0] as string;
    const message = `${reason}; use redis.with({ writes: "at-most-once" }) for it`;
    throw core.failureOf(`${name} can't be run exactly once`)("ConfigError", message, {
      command: name,
      index,
    });
  });
}

/**
 * A batch that is repeated as a whole must give what it gave first: its reads are guarded like its writes, those
 * of a transaction all, those of a pipeline where a write comes after them.
 */
export function withReadsGuarded(
  core: Core,
  commands: readonly Command[],
  path: BatchPath,
): readonly Command[] {
  const end = path === "multi-exec" ? commands.length : commands.findLastIndex(({ write }) => write);
  return commands.map((command, at) =>
    !command.write && at < end && !refusalOf(core, command) ? guard(core, command) : command,
  );
}

function refusalOf(core: Core, { argv, wait }: Command): string | undefined {
  return refusal({ argv, wait, known: core.findSpec(argv)[0] !== undefined });
}

function guard({ settings, base }: Core, command: Command): Command {
  const argv = once(command.argv, settings.exactlyOnceTtl, base.protocol.isForeign);
  return { ...command, argv, bytes: argv.some((arg) => typeof arg !== "string"), repeatable: true };
}
