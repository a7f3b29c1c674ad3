import type { CommandInfo } from "../commands/command-info.js";
import { keyPatternsOf } from "../commands/key-patterns.js";
import { getKeyIndexes } from "../commands/keys.js";
import { onceCallOf } from "../commands/once.js";
import { allBeginWith, argsOf, beginsWith } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import type { CommandContext } from "./denial-reasons.js";
import { namesOf } from "./roles.js";

/** Commands without a key that neither read nor change the data of any token. */
const HARMLESS = new Set(["PING", "ECHO", "TIME", "WAIT", "WAITAOF"]);
/** Commands that name a channel: it must begin with the prefix as a key must. */
const CHANNEL_COMMANDS = new Set(["PUBLISH", "SPUBLISH"]);
/** Commands whose replies are made to fit: see scan.ts. */
const FILTERED = new Set(["SCAN", "KEYS"]);

/**
 * Commands whose access is not limited to their keys: they use another database, code, a payload that Redis trusts, or
 * debugging features.
 */
const BEYOND_THEIR_KEYS = new Set(
  `MOVE RESTORE RESTORE-ASKING MIGRATE WATCH SSUBSCRIBE SUNSUBSCRIBE EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO
BF.DEBUG CF.DEBUG`.split(/\s+/),
);

function isKeyed({ name, keys }: CommandInfo): boolean {
  return keys !== "-" && keys !== "?" && !BEYOND_THEIR_KEYS.has(name) && !CHANNEL_COMMANDS.has(name);
}

/** The commands whose keys can all be determined, and which access nothing else. */
const KEYED = namesOf(isKeyed);

/**
 * Restricts commands to the keys and channels that begin with a prefix. Only commands known to be safe are allowed. All
 * others are refused, including unknown ones.
 */
export class Prefix {
  readonly #bytes: Buffer;
  readonly #text: string;
  /** The prefix as the beginning of a glob pattern, as Latin-1 text (one character per byte). */
  readonly glob: string;

  constructor(prefix: string) {
    this.#bytes = Buffer.from(prefix);
    this.#text = this.#bytes.toString("latin1");
    this.glob = this.#text.replace(/[\\*?[\]^-]/g, "\\$&");
  }

  /** Whether a name, as Latin-1 text (one character per byte), begins with the prefix. */
  covers(name: string): boolean {
    return name.startsWith(this.#text);
  }

  /** Whether the name `bytes[from, to)` begins with the prefix. */
  coversBytes(bytes: Buffer, from: number, to: number): boolean {
    return beginsWith(bytes, from, to, this.#bytes);
  }

  /** Whether a glob pattern matches nothing that does not begin with the prefix. */
  coversPattern(pattern: string): boolean {
    let at = 0;
    for (const letter of this.#text) {
      if (pattern[at] === "\\" && at + 1 < pattern.length) at++;
      else if ("*?[".includes(pattern[at] ?? "*")) return false;
      if (pattern[at++] !== letter) return false;
    }
    return true;
  }

  /** The error text for a command that may reach beyond the prefix, or null. */
  denialReason(command: Command, info: CommandInfo | null, context: CommandContext): string | null {
    const once = onceCallOf(command);
    if (once) return allBeginWith(command, once.keys, this.#bytes) ? null : OUTSIDE;
    if (info === null) return beyond(command.name);
    const { name } = info;
    if (HARMLESS.has(name)) return null;
    if (CHANNEL_COMMANDS.has(name)) {
      return command.size > 1 && allBeginWith(command, [1], this.#bytes) ? null : OUTSIDE_CHANNEL;
    }
    if (FILTERED.has(name)) return context.kind === "transaction" ? IN_TRANSACTION : null;
    if (!KEYED.has(name)) return beyond(name);
    const indexes = getKeyIndexes(command, info);
    if (indexes === null || indexes.length === 0) return UNKNOWN_KEYS;
    if (!allBeginWith(command, indexes, this.#bytes)) return OUTSIDE;
    return this.#optionDenialReason(command, name);
  }

  /** Options by which a command reaches other keys than its own. */
  #optionDenialReason(command: Command, name: string): string | null {
    if (name === "COPY") {
      const rest = argsOf(command).slice(3);
      return rest.every((arg) => arg.toUpperCase() === "REPLACE") ? null : beyond("copy ... db");
    }
    for (const { option, pattern } of keyPatternsOf(command)) {
      // In a pattern of SORT the first star stands for an element.
      if (!this.covers(pattern) || pattern.indexOf("*") < this.#text.length)
        return beyond(`${name} ... ${option}`);
    }
    return null;
  }
}

const OUTSIDE = "NOPERM this token may only use keys that begin with its prefix";
const OUTSIDE_CHANNEL = "NOPERM this token may only use channels that begin with its prefix";
const IN_TRANSACTION =
  "NOPERM a token with a key prefix can't use it in a transaction: send it outside of one";
const UNKNOWN_KEYS =
  "NOPERM the keys of this command are not known, so a token with a key prefix can't use it";

function beyond(name: string): string {
  return `NOPERM '${name.toLowerCase()}' affects keys outside the prefix of this token`;
}
