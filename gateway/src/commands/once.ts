import { createHash } from "node:crypto";
import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";

/**
 * The scripts by which the client `warmline` makes writes repeatable, in all forms: SHA-256 of each, and the number of arguments after
 * those of the command. A script does nothing but return the reply under its first key, or check its last key, if it has such
 * arguments, run the command, and store the reply.
 */
export const ONCE_SCRIPTS: ReadonlyMap<string, number> = new Map([
  ["2465abe3ccae6a81363956394d576c19ae5cec658ff39cb595d84029f5a54c02", 0],
  ["5d8bb1142623120d988c7d09e409298aa1ac3438afce2a50b5dadcf2fe09c425", 0],
  // The second without the flag that Redis does not support. The next ones are without it too.
  ["06f6d9f4440b5b329b9cccf14c966479f628b38db6465d6ac330538e5ee3b0ce", 0],
  // It refuses another path than that of an earlier run.
  ["3953fbb72dd84d47d54a69f3e3f3397dbf205cae47d3a65a35db69a091087fd6", 2],
  ["2b5482e389338229a16f161e0ecbc6c32fe1a44f0de5c043900a8c77b5799dd0", 2],
  ["ed90f0920f19e4ecee641616f5d68e225fcf4f0246d010fb1faa36a7ba7643c8", 2],
  // It refuses a run whose lease has ended.
  ["ba4e6322d4b0775ca2a26dcc6d00091a3c5a88c1d126716946edd93332999a50", 1],
  ["5fe1c0d296eb82b97ba3d63746666d8f0975af002cf693c0c5cc7a2880b582af", 1],
  ["075118b8c776339449c4e6a164ddb11ed5a87c89609983f76b633d94b5936403", 1],
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
