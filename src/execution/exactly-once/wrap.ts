import { findSpec } from "../../commands/registry.js";
import type { CommandArg } from "../../protocol/args.js";
import { textIfUtf8, toBytes } from "../../protocol/bytes.js";
import { randomId } from "../../util/random-id.js";
import type { Command } from "../command.js";
import { keysOf } from "./keys.js";
import type { WriteScope } from "./scope.js";
import { idempotencyScript, MAX_ARGS } from "./script.js";
import { keyInSameSlot } from "./slot.js";

/** Commands that a script can't run, or whose effect no token can guard. */
const REFUSED =
  /^(B[LRZ][A-Z]+|EVAL.*|FCALL.*|FUNCTION|SCRIPT|FLUSH(ALL|DB)|WAIT(AOF)?|MIGRATE|SWAPDB|CLIENT|CONFIG|ACL|SHUTDOWN)$/;

/** Commands that change no data though Redis doesn't flag them as reads: sent as they are, and not repeated. */
const HARMLESS = /^(COMMAND|INFO|LASTSAVE|LOLWUT|PUBSUB|ROLE)$/;

export function isHarmless(argv: readonly CommandArg[]): boolean {
  return HARMLESS.test(argv[0] as string);
}

/** Why a command can't be guarded; undefined where it can. */
export function refusalReason({ argv, wait }: Pick<Command, "argv" | "wait">): string | undefined {
  const name = argv[0] as string;
  if (REFUSED.test(name) || isHarmless(argv)) return "it can't run in a script";
  if (wait !== undefined) return "a script can't block";
  if (!findSpec(argv)[0]) return "its keys are not known";
  if (argv.length > MAX_ARGS) return `it has more than ${MAX_ARGS} arguments`;
  return name === "PUBLISH" || keysOf(argv).length > 0 ? undefined : "it has no key to store a token with";
}

/**
 * The arguments that run a command at most once, however often they are delivered: a script keeps the first reply under
 * a token in the slot of the command's keys.
 * @param argv of a command that is not refused.
 * @param ttl how long the reply is kept, in ms; a delivery after that applies again.
 * @param scope returns the token. Default: a random one.
 */
export function wrapInIdempotencyScript(
  argv: readonly CommandArg[],
  ttl: number,
  upstash: boolean,
  scope?: WriteScope,
): CommandArg[] {
  const { id, check } = scope?.next(argv) ?? { id: randomId(), check: undefined };
  const keys = keysOf(argv);
  const suffix = `:wl:${id}`;
  const token = keys.length > 0 ? keyInSameSlot(toBytes(keys[0]!), suffix) : toBytes(suffix);
  const all = [textIfUtf8(token) ?? token, ...keys, ...(check ? [check.key] : [])];
  const script = idempotencyScript(upstash, check?.lua);
  return ["EVAL", script, String(all.length), ...all, String(ttl), ...argv, ...(check?.args ?? [])];
}
