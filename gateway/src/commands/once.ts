import { createHash } from "node:crypto";
import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";

/**
 * The scripts by which the client `warmline` makes writes repeatable, in all forms: SHA-256 of each, and the number of arguments after
 * those of the command. A script does nothing but check its last key, if it has such arguments, run the command, and store the
 * reply under its first key.
 */
export const ONCE_SCRIPTS: ReadonlyMap<string, number> = new Map([
  ["eeca8c2915c63ac1392d79992a52ca504d081b36df2b93b4d23ca9d7708b19d3", 0],
  ["2ac1bf44e7c6e3a662d8d9c59c309300e3c26cfff1b53682e1af27e0135e5c35", 0],
  // The second without the flag that Redis does not support. The next ones are without it too.
  ["8dfdd45a78d0b7e3134df4ecd3aef9e9b124b20a57fd1051c637dda31c3303ba", 0],
  // It refuses another path than that of an earlier run.
  ["a8864d1182c963534e39b0e6a121aa8f27cb7d4c40b849fe52e761aaf39a3222", 2],
  ["6583390a0a1d68f1872b0a7b714ce3877623998b0765fd80d417b0e985c5e5e0", 2],
  ["9dde3752adbbddf1a7727b61c64d2b3cfc7083d305b0c308771ca6f6f924294c", 2],
  // It refuses a run whose lease has ended.
  ["0c3fea1940165e29bad69d102042158e1eba239a13194e47484301dad266e1da", 1],
  ["5867d28a1c8a93597118947ff77ef210dd82db3698ea4e5aa896379aabb1842e", 1],
  ["6000649eafb4bc67119edd841c7c426064705e94e3e66dc04161cd28d01f7ef9", 1],
]);

/** The longest of those scripts, so that no other is hashed for nothing. */
const MAX_SCRIPT = 1_024;

/** An exactly-once write: the command that it runs, and the keys that it declares. */
export interface OnceCall {
  readonly wrapped: Command;
  /** Index of its first argument among those of the EVAL. */
  readonly from: number;
  readonly keys: readonly number[];
}

/** Returns the command that an EVAL of the client's exactly-once script runs, or null for any other command. */
export function onceCallOf(command: Command): OnceCall | null {
  if (command.name !== "EVAL" || command.size < 7) return null;
  const script = command.text(1);
  if (script.length > MAX_SCRIPT) return null;
  const after = ONCE_SCRIPTS.get(createHash("sha256").update(script, "latin1").digest("hex"));
  if (after === undefined) return null;
  const args = argsOf(command);
  const count = args[2]!;
  if (!/^[1-9]\d{0,6}$/.test(count)) return null;
  // After the keys: how long the reply is kept, then the command.
  const from = 3 + Number(count) + 1;
  const end = args.length - after;
  if (from >= end || !/^\d+$/.test(args[from - 1]!)) return null;
  // Redis runs no script from a script, so a nested EVAL is never unwrapped.
  if (args[from]!.toUpperCase() === "EVAL") return null;
  return {
    wrapped: commandOf(args.slice(from, end)),
    from,
    keys: Array.from({ length: Number(count) }, (_, index) => 3 + index),
  };
}
