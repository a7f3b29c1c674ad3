import { argsOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import { asName } from "../resp/command-name.js";

/**
 * Returns the patterns by which a command reads keys that it does not name: BY and GET of SORT and SORT_RO, as Latin-1 text (one
 * character per byte). The first star stands for an element. A pattern without a star reads no key.
 * @see https://redis.io/docs/latest/commands/sort_ro/
 */
export function keyPatternsOf(command: Command): { option: "BY" | "GET"; pattern: string }[] {
  if (command.name !== "SORT" && command.name !== "SORT_RO") return [];
  const args = argsOf(command);
  const found: ReturnType<typeof keyPatternsOf> = [];
  for (let at = 2; at < args.length; at++) {
    const option = asName(args[at]!);
    if (option === "LIMIT") at += 2;
    else if (option === "STORE") at++;
    else if (option === "BY" || option === "GET") {
      const pattern = args[++at] ?? "";
      if (pattern.includes("*")) found.push({ option, pattern });
    }
  }
  return found;
}
