import { createHash } from "node:crypto";
import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";

/**
 * SHA-256 of the scripts by which the client `warmline` makes writes repeatable, in all forms. The script does
 * nothing but run the command among its arguments and keep the reply under its first key.
 */
export const ONCE_SCRIPTS: ReadonlySet<string> = new Set([
  "eeca8c2915c63ac1392d79992a52ca504d081b36df2b93b4d23ca9d7708b19d3",
  "2ac1bf44e7c6e3a662d8d9c59c309300e3c26cfff1b53682e1af27e0135e5c35",
  // The second without the flag that Redis does not support.
  "8dfdd45a78d0b7e3134df4ecd3aef9e9b124b20a57fd1051c637dda31c3303ba",
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
  if (!ONCE_SCRIPTS.has(createHash("sha256").update(script, "latin1").digest("hex"))) return null;
  const args = argsOf(command);
  const count = args[2]!;
  if (!/^[1-9]\d{0,6}$/.test(count)) return null;
  // After the keys: how long the reply is kept, then the command.
  const from = 3 + Number(count) + 1;
  if (from >= args.length || !/^\d+$/.test(args[from - 1]!)) return null;
  // Redis runs no script from a script, so a nested EVAL is never unwrapped.
  if (args[from]!.toUpperCase() === "EVAL") return null;
  return {
    wrapped: commandOf(args.slice(from)),
    from,
    keys: Array.from({ length: Number(count) }, (_, index) => 3 + index),
  };
}
