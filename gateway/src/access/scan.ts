import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import { RespReader } from "../resp/reader.js";
import { arrayOf, elementsOf, isError } from "../resp/replies.js";
import { DOLLAR, STAR } from "../util/bytes.js";
import type { Prefix } from "./prefix.js";

/** The replacement of a command, and the conversion of its reply. */
export interface Rewrite {
  readonly command: Command;
  readonly reply: (reply: Buffer) => Buffer;
}

const UNEXPECTED = Buffer.from("-ERR Redis sent a reply that can't be limited to the prefix\r\n");

/**
 * Restricts SCAN and KEYS to a prefix. Returns null for any other command. If the command has no pattern, one is added. The
 * names in the reply are always filtered, so that no pattern finds other keys.
 */
export function scanWithin(command: Command, prefix: Prefix): Rewrite | null {
  if (command.name === "KEYS") {
    const narrow = command.size === 2 && command.text(1) === "*";
    return {
      command: narrow ? commandOf(["KEYS", `${prefix.glob}*`]) : command,
      reply: (reply) => namesWithin(reply, prefix),
    };
  }
  if (command.name !== "SCAN") return null;
  const args = argsOf(command);
  const hasPattern = args.some((arg, at) => at > 1 && arg.toUpperCase() === "MATCH");
  return {
    command: hasPattern ? command : commandOf([...args, "MATCH", `${prefix.glob}*`]),
    reply: (reply) => pageWithin(reply, prefix),
  };
}

/** A page of SCAN: the cursor as it is, and the names that the prefix covers. */
function pageWithin(reply: Buffer, prefix: Prefix): Buffer {
  if (isError(reply)) return reply;
  const [cursor, names, ...rest] = elementsOf(reply);
  if (cursor?.[0] !== DOLLAR || !names || rest.length > 0) return UNEXPECTED;
  const within = namesWithin(names, prefix);
  return within === UNEXPECTED ? UNEXPECTED : arrayOf([cursor, within]);
}

/** A list of names, without those that the prefix does not cover. */
function namesWithin(reply: Buffer, prefix: Prefix): Buffer {
  if (isError(reply)) return reply;
  if (reply[0] !== STAR) return UNEXPECTED;
  const names = elementsOf(reply);
  if (names.some((name) => name[0] !== DOLLAR)) return UNEXPECTED;
  return arrayOf(names.filter((name) => prefix.covers(new RespReader(name).nextText())));
}
