import { ConfigError } from "../../errors.js";
import type { BatchPath } from "../../protocol/rest-protocol.js";
import type { ConfiguredClient } from "../client-context.js";
import type { Command } from "../command.js";
import type { WriteScope } from "./scope.js";
import { isHarmless, refusalReason, wrapInIdempotencyScript } from "./wrap.js";

const isExactlyOnce = ({ settings }: ConfiguredClient) => settings.writes === "exactly-once";

/**
 * Returns the command, made repeatable if it is a write and writes are to be applied exactly once.
 * @throws ConfigError when it can't be run so.
 */
export function guardWrite(client: ConfiguredClient, command: Command): Command {
  const { write, argv, index } = command;
  if (!isExactlyOnce(client) || !write || isHarmless(argv)) return command;
  const reason = refusalReason(command);
  if (!reason) return guard(client, command, client.settings.scope);
  const name = argv[0] as string;
  throw new ConfigError(
    `${name} can't be run exactly once: ${reason}; use redis.with({ writes: "at-most-once" }) for it`,
    { command: name, index },
  );
}

/**
 * A batch that is repeated as a whole must return its first results: its reads are guarded like its writes, those
 * of a transaction all, those of a pipeline where a write comes after them.
 * @param scope the scope that they are part of. Without one their tokens are random.
 */
export function guardReads(
  client: ConfiguredClient,
  commands: readonly Command[],
  path: BatchPath,
  scope?: WriteScope,
): readonly Command[] {
  if (!isExactlyOnce(client)) return commands;
  const end = path === "multi-exec" ? commands.length : commands.findLastIndex(({ write }) => write);
  return commands.map((command, at) =>
    !command.write && at < end && !refusalReason(command) ? guard(client, command, scope) : command,
  );
}

function guard({ settings, context }: ConfiguredClient, command: Command, scope?: WriteScope): Command {
  const { isThirdParty } = context.protocol;
  const argv = wrapInIdempotencyScript(command.argv, settings.exactlyOnceTtl, isThirdParty, scope);
  return { ...command, argv, bytes: argv.some((arg) => typeof arg !== "string"), repeatable: true };
}
