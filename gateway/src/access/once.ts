import { createHash } from "node:crypto";
import { commandOf, wordsOf } from "../commands/words.js";
import { Command } from "../upstream/command.js";

/**
 * SHA-256 of the scripts by which the client `warmline` makes writes repeatable, in both forms. The script does
 * nothing but run the command among its arguments and keep the reply under its first key.
 */
export const ONCE_SCRIPTS: ReadonlySet<string> = new Set([
  "de189ec50c967be60c1dcef683a2c775c368f262a816624f79ebb4ae050e613a",
  "9d620ccbe9ce35932743c4d9cda395f554031275c746207b87ff25b096fecceb",
]);

/** The longest of those scripts, so that no other is hashed for nothing. */
const LONGEST = 1_024;

/** A write made repeatable: what it runs, and the keys that it says it touches. */
export interface OnceCall {
  readonly wrapped: Command;
  readonly keys: readonly number[];
}

/** What an EVAL of the client's own script runs; null for any other command. */
export function onceCallOf(command: Command): OnceCall | null {
  if (command.name !== "EVAL" || command.size < 7) return null;
  const script = command.text(1);
  if (script.length > LONGEST) return null;
  if (!ONCE_SCRIPTS.has(createHash("sha256").update(script, "latin1").digest("hex"))) return null;
  const words = wordsOf(command);
  const count = words[2]!;
  if (!/^[1-9]\d{0,6}$/.test(count)) return null;
  // After the keys: how long the reply is kept, then the command.
  const from = 3 + Number(count) + 1;
  if (from >= words.length || !/^\d+$/.test(words[from - 1]!)) return null;
  // No script can run a script; whoever nests them only wants them unwrapped.
  if (words[from]!.toUpperCase() === "EVAL") return null;
  const { bytes, size } = commandOf(words.slice(from));
  return {
    wrapped: new Command(bytes, size),
    keys: Array.from({ length: Number(count) }, (_, index) => 3 + index),
  };
}
