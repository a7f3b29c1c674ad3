import { isKeyless, keysOf } from "../../commands/keys.js";
import { findSpec } from "../../commands/registry.js";
import { ConfigError } from "../../errors.js";
import { type CommandArg, hasBytes } from "../../protocol/args.js";
import { textIfUtf8, toBytes } from "../../protocol/bytes.js";
import type { BatchPath } from "../../protocol/rest-protocol.js";
import { randomId } from "../../util/random-id.js";
import type { ConfiguredClient } from "../client-context.js";
import type { Command } from "../command.js";
import type { WriteScope } from "./scope.js";
import { idempotencyScript, MAX_ARGS } from "./script.js";
import { keyInSameSlot } from "./slot.js";

/** Commands that a script can't run or a token can't guard. Those that block or have no spec are refused too. */
const REFUSED = /^(EVAL.*|FCALL.*|FUNCTION|SCRIPT|FLUSH(ALL|DB)|SWAPDB|CLIENT)$/;

/** Commands that change no data, though Redis doesn't flag them as reads. They are sent without a script, and not repeated. */
const HARMLESS = /^(COMMAND|INFO|LASTSAVE|LOLWUT|PUBSUB|ROLE)$/;

/**
 * Returns the command, guarded if it is a write and writes are to be applied exactly once.
 * @throws ConfigError if it can't be guarded.
 */
export function guardWrite(client: ConfiguredClient, command: Command): Command {
  const { write, argv, index } = command;
  const { writes, scope } = client.settings;
  const name = argv[0] as string;
  if (writes !== "exactly-once" || !write || HARMLESS.test(name)) return command;
  const reason = refusalReason(command, client.context.prefix);
  if (!reason) return guard(client, command, scope);
  throw new ConfigError(
    `${name} can't be run exactly once: ${reason}; use redis.with({ writes: "at-most-once" })`,
    { command: name, index },
  );
}

/**
 * Returns the commands of a batch with reads guarded like writes, so that a repeat of the batch returns the first results: all
 * reads of a transaction, or those before the last write of a pipeline. Without a scope their tokens are random.
 */
export function guardReads(
  client: ConfiguredClient,
  commands: readonly Command[],
  path: BatchPath,
  scope?: WriteScope,
): readonly Command[] {
  if (client.settings.writes !== "exactly-once") return commands;
  const end = path === "multi-exec" ? commands.length : commands.findLastIndex(({ write }) => write);
  return commands.map((command, at) =>
    !command.write && at < end && !refusalReason(command, client.context.prefix)
      ? guard(client, command, scope)
      : command,
  );
}

/** Returns the keys from which a token's name can derive. Of a keyless command these are arguments, which lack the client's prefix. */
const tokenKeys = (argv: readonly CommandArg[], prefix?: string) =>
  prefix && isKeyless(argv) ? [] : keysOf(argv);

/** Returns why a command can't be guarded, or undefined if it can. */
export function refusalReason(
  { argv, wait }: Pick<Command, "argv" | "wait">,
  prefix?: string,
): string | undefined {
  const name = argv[0] as string;
  if (REFUSED.test(name) || HARMLESS.test(name)) return "it can't run in a script";
  if (wait !== undefined) return "a script can't block";
  if (!findSpec(argv)[0]) return "its keys are not known";
  if (argv.length > MAX_ARGS) return `it has more than ${MAX_ARGS} arguments`;
  return name === "PUBLISH" || tokenKeys(argv, prefix).length > 0 ? undefined : "it has no key for a token";
}

function guard({ settings, context }: ConfiguredClient, command: Command, scope?: WriteScope): Command {
  const { protocol, prefix } = context;
  const { exactlyOnceTtl } = settings;
  const argv = wrapInIdempotencyScript(command.argv, exactlyOnceTtl, protocol.isThirdParty, scope, prefix);
  return { ...command, argv, bytes: hasBytes(argv), repeatable: true };
}

/**
 * Returns the arguments of an EVAL that runs a command once, however often it is delivered: the script stores the first reply
 * under a token in the slot of the command's keys.
 * @param argv the arguments of a command without a {@link refusalReason}. Its keys begin with the prefix.
 * @param ttl lifetime of the reply in ms. A delivery after that applies the command again.
 * @param scope returns the token. Default: a random token.
 */
export function wrapInIdempotencyScript(
  argv: readonly CommandArg[],
  ttl: number,
  upstash: boolean,
  scope?: WriteScope,
  prefix = "",
): CommandArg[] {
  const { id, check } = scope?.next(argv) ?? { id: randomId(), check: undefined };
  const keys = tokenKeys(argv, prefix);
  const suffix = `:wl:${id}`;
  const token = keys.length > 0 ? keyInSameSlot(toBytes(keys[0]!), suffix) : toBytes(prefix + suffix);
  const scriptKeys = [textIfUtf8(token) ?? token, ...keys, ...(check ? [prefix + check.key] : [])];
  const script = idempotencyScript(upstash, check?.lua);
  const scriptArgs = [String(ttl), ...argv, ...(check?.args ?? [])];
  return ["EVAL", script, String(scriptKeys.length), ...scriptKeys, ...scriptArgs];
}
