import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import { RespReader } from "../resp/reader.js";
import { arrayOf, elementsOf, isError } from "../resp/replies.js";
import { DOLLAR, STAR } from "../util/bytes.js";
import type { Prefix } from "./prefix.js";

const UNEXPECTED = Buffer.from("-ERR Redis sent a reply that can't be limited to the prefix\r\n");

/**
 * Restricts SCAN and KEYS to a prefix. Returns the command to run and a function that converts its reply, or null for any other
 * command. A missing pattern is added. The names in the reply are always filtered, so that no pattern finds other keys.
 */
export function scanWithin(command: Command, prefix: Prefix) {
  if (command.name === "KEYS") {
    const narrow = command.size === 2 && command.text(1) === "*";
    return {
      command: narrow ? commandOf(["KEYS", `${prefix.glob}*`]) : command,
      reply: (reply: Buffer) => namesWithin(reply, prefix),
    };
  }
  if (command.name !== "SCAN") return null;
  const args = argsOf(command);
  const hasPattern = args.some((arg, at) => at > 1 && arg.toUpperCase() === "MATCH");
  return {
    command: hasPattern ? command : commandOf([...args, "MATCH", `${prefix.glob}*`]),
    reply: (reply: Buffer) => pageWithin(reply, prefix),
  };
}

/** Returns a page of SCAN with the same cursor, and only the names that the prefix covers. */
function pageWithin(reply: Buffer, prefix: Prefix): Buffer {
  if (isError(reply)) return reply;
  const [cursor, names, ...rest] = elementsOf(reply);
  if (cursor?.[0] !== DOLLAR || !names || rest.length > 0) return UNEXPECTED;
  const within = namesWithin(names, prefix);
  return within === UNEXPECTED ? UNEXPECTED : arrayOf([cursor, within]);
}

/** Returns a list with only the names that the prefix covers. It is read in one pass, since there may be millions. */
function namesWithin(reply: Buffer, prefix: Prefix): Buffer {
  if (isError(reply)) return reply;
  if (reply[0] !== STAR) return UNEXPECTED;
  const reader = new RespReader(reply);
  const count = reader.nextLength();
  const room = reader.at;
  let out: Buffer | null = null;
  let end = room;
  let kept = 0;
  /** Start of the current run of covered names, which is copied as a whole. */
  let run = room;
  for (let left = count; left > 0; left--) {
    if (reader.type !== DOLLAR) return UNEXPECTED;
    const at = reader.at;
    const length = reader.nextLength();
    const isCovered = length >= 0 && prefix.coversBytes(reply, reader.at, reader.at + length);
    if (length >= 0) reader.at += length + 2;
    if (isCovered) kept++;
    else {
      out ??= Buffer.allocUnsafeSlow(reply.length);
      end += reply.copy(out, end, run, at);
      run = reader.at;
    }
  }
  if (!out) return reply;
  end += reply.copy(out, end, run, reader.at);
  const header = `*${kept}\r\n`;
  out.write(header, room - header.length, "latin1");
  return out.subarray(room - header.length, end);
}
