import { createHash } from "node:crypto";
import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";

const FLAG = "allow-key-locking";
/** Maximum number of scripts that are remembered. A forgotten digest is unknown to Redis, so the client sends the text. */
const MAX_SCRIPTS = 1_000;

/**
 * Scripts that begin with `#!lua flags=allow-key-locking`, as in Upstash's packages. Upstash's server then locks only the
 * script's keys. Redis, which needs no locks, refuses the unknown flag. So the flag is removed, and the digest of the whole
 * text is mapped to that of the shorter one.
 */
export class KeyLockingScripts {
  readonly #digests = new Map<string, string>();

  /** Returns a command for Redis: without the flag, or with the digest of the text without it. Others are returned as they are. */
  plain(command: Command): Command {
    switch (command.name) {
      case "EVAL":
      case "EVAL_RO":
        return this.#withoutFlag(command, 1);
      case "EVALSHA":
      case "EVALSHA_RO":
        return this.#digests.size > 0 ? this.#withDigests(command, 1, 2) : command;
      case "SCRIPT":
        if (command.upper(1) === "LOAD") return this.#withoutFlag(command, 2);
        return this.#digests.size > 0 ? this.#withDigests(command, 2, command.size) : command;
      default:
        return command;
    }
  }

  #withoutFlag(command: Command, place: number): Command {
    const script = command.text(place);
    if (!script.startsWith("#!")) return command;
    const end = script.indexOf("\n");
    const line = end < 0 ? script : script.slice(0, end);
    const shorter = lineWithoutFlag(line);
    if (shorter === line) return command;
    const text = shorter + script.slice(line.length);
    if (this.#digests.size >= MAX_SCRIPTS) this.#digests.clear();
    this.#digests.set(digestOf(script), digestOf(text));
    return commandOf(argsOf(command).map((arg, i) => (i === place ? text : arg)));
  }

  #withDigests(command: Command, from: number, to: number): Command {
    const args = argsOf(command);
    let found = false;
    for (let i = from; i < Math.min(to, args.length); i++) {
      const digest = this.#digests.get(args[i]!.toLowerCase());
      if (digest === undefined) continue;
      args[i] = digest;
      found = true;
    }
    return found ? commandOf(args) : command;
  }
}

/** If no other flag is left, the line is removed, since an engine may not support such lines. Its line break stays. */
function lineWithoutFlag(line: string): string {
  const [, flags] = /^#!lua flags=([^ ]*)$/.exec(line) ?? [];
  if (flags === undefined) return line;
  const kept = flags.split(",").filter((flag) => flag !== FLAG);
  return kept.length > 0 ? `#!lua flags=${kept}` : "";
}

function digestOf(script: string): string {
  return createHash("sha1").update(script, "latin1").digest("hex");
}
