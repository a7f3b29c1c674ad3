import type { Command } from "../resp/command.js";
import { CommandWriter } from "../resp/command-writer.js";
import { PERCENT, PLUS } from "../util/bytes.js";
import { BadRequest } from "./bad-request.js";

const writer = new CommandWriter();

/**
 * Reads a command from a path such as `/set/foo/bar`: its segments are the arguments, then the body, if there is
 * one, then the names and values of the query (`?EX=100`, `?NX`). `_token` is left out. Escapes stand for
 * bytes; one slash at the end is ignored, other empty segments are empty arguments.
 * @throws {BadRequest} when there is no command or an escape is broken
 */
export function readPathCommand(path: string, query: string, body: Buffer | null): Command {
  writer.begin();
  const segments = (path.endsWith("/") ? path.slice(1, -1) : path.slice(1)).split("/");
  if (segments[0] === "") throw new BadRequest("ERR empty command");
  for (const segment of segments) append(segment, false);
  if (body && body.length > 0) writer.bytes(body, 0, body.length);
  if (query !== "") {
    for (const pair of query.split("&")) {
      const equals = pair.indexOf("=");
      const name = equals < 0 ? pair : pair.slice(0, equals);
      if (name === "" || name === "_token") continue;
      append(name, true);
      if (equals >= 0 && equals < pair.length - 1) append(pair.slice(equals + 1), true);
    }
  }
  return writer.end();
}

function append(escaped: string, plusIsSpace: boolean): void {
  const bytes = unescapeBytes(escaped, plusIsSpace);
  writer.bytes(bytes, 0, bytes.length);
}

/** Percent-decoding to bytes, not text: a value need not be UTF-8. */
export function unescapeBytes(text: string, plusIsSpace: boolean): Buffer {
  // The head of a request is read as Latin-1: a character for each byte.
  const bytes = Buffer.from(text, "latin1");
  let to = 0;
  for (let from = 0; from < bytes.length; from++) {
    const byte = bytes[from]!;
    if (byte === PERCENT) {
      const value = Number.parseInt(text.slice(from + 1, from + 3), 16);
      if (!/^[0-9a-fA-F]{2}$/.test(text.slice(from + 1, from + 3))) {
        throw new BadRequest("ERR the path has a % that does not start an escape");
      }
      bytes[to++] = value;
      from += 2;
    } else bytes[to++] = byte === PLUS && plusIsSpace ? 0x20 : byte;
  }
  return bytes.subarray(0, to);
}
