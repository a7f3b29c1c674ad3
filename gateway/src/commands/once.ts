import { createHash } from "node:crypto";
import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";

/**
 * The scripts by which the client `warmline` makes writes repeatable, in all forms: SHA-256 of each, and the number of arguments after
 * those of the command. A script does nothing but return the reply under its first key, or check its last key, if it has such
 * arguments, run the command, and store the reply.
 */
export const ONCE_SCRIPTS: ReadonlyMap<string, number> = new Map([
  ["eeca8c2915c63ac1392d79992a52ca504d081b36df2b93b4d23ca9d7708b19d3", 0],
  ["2ac1bf44e7c6e3a662d8d9c59c309300e3c26cfff1b53682e1af27e0135e5c35", 0],
  // The second without the flag that Redis does not support. The next ones are without it too.
  ["8dfdd45a78d0b7e3134df4ecd3aef9e9b124b20a57fd1051c637dda31c3303ba", 0],
  // It refuses another path than that of an earlier run.
  ["7669b7c14bf02fed88f6359e4de5364f754ca9e63821e36286597fcbeaacd055", 2],
  ["53b0e17bd918ad2ce4ad9798334cfc0d9cfd577730692757207398b86723759b", 2],
  ["85c7bdbdbfb84a2fcfddf7318c4c4f273014d04c98e5b7cf2ada5d03d0fbd19a", 2],
  // It refuses a run whose lease has ended.
  ["a10eea827b2b4db069c8791705aea597cab137e8ed3bb8c64fedb5f923d57bcb", 1],
  ["c670f511b0ae6e051f60288a0f5cfb7f1fcacf8ad7daaca7ad38c14c5d6a46d2", 1],
  ["7ea10d491c9781178a105fbce1b6e80b6761c3c524ebec4126f4c8dad9443e8b", 1],
]);

/** The longest of those scripts, so that no other is hashed for nothing. */
const MAX_SCRIPT = 1_024;

/** Returns the command that an EVAL of such a script runs, and the positions of its keys; else null. */
export function onceCallOf(command: Command): { wrapped: Command; keys: readonly number[] } | null {
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
    keys: Array.from({ length: Number(count) }, (_, index) => 3 + index),
  };
}
