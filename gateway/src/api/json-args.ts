import { isUtf8 } from "node:buffer";
import { BadRequest } from "../http/bad-request.js";
import type { Command } from "../resp/command.js";
import { CommandWriter } from "../resp/command-writer.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Matches only a surrogate that is not one of a pair. */
const LONE_SURROGATE = /\p{Cs}/u;

const writer = new CommandWriter();
const NOTHING = Buffer.alloc(0);
let body: Buffer = NOTHING;
let at = 0;

/**
 * Reads one command, a JSON array of strings, numbers and booleans, straight from the bytes of a body. Numbers
 * keep the digits they were written with.
 * @throws {BadRequest} when the body is anything else
 */
export function readJsonCommand(bytes: Buffer): Command {
  start(bytes);
  const command = readArray();
  finish();
  return command;
}

/** Reads several commands, a JSON array of such arrays, some at a time. */
export class JsonCommands {
  readonly #bytes: Buffer;
  #at: number;

  /** @throws {BadRequest} when the body is anything else, or holds no command */
  constructor(bytes: Buffer) {
    start(bytes);
    expect(OPEN, "expected an array of commands");
    skipSpace();
    if (body[at] === CLOSE) throw new BadRequest("ERR empty pipeline");
    this.#bytes = bytes;
    this.#at = at;
  }

  /**
   * Appends the next commands to `into`, at most so many. Returns whether there are more.
   * @throws {BadRequest} when the body is anything else
   */
  read(into: Command[], most: number): boolean {
    body = this.#bytes;
    at = this.#at;
    for (let i = 0; i < most; i++) {
      skipSpace();
      into.push(readArray());
      skipSpace();
      const byte = body[at++];
      if (byte === CLOSE) {
        finish();
        return false;
      }
      if (byte !== COMMA) throw invalid();
    }
    this.#at = at;
    body = NOTHING;
    return true;
  }
}

function start(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new BadRequest("ERR invalid JSON: the body is not UTF-8");
  body = bytes;
  at = 0;
  skipSpace();
}

function finish(): void {
  skipSpace();
  const complete = at === body.length;
  body = NOTHING;
  if (!complete) throw new BadRequest("ERR invalid JSON: unexpected data after the array");
}

function readArray(): Command {
  expect(OPEN, "expected a command as an array");
  writer.begin();
  skipSpace();
  if (body[at] === CLOSE) throw new BadRequest("ERR empty command");
  for (;;) {
    skipSpace();
    readArg();
    skipSpace();
    const byte = body[at++];
    if (byte === COMMA) continue;
    if (byte === CLOSE) return writer.end();
    throw invalid();
  }
}

function readArg(): void {
  const byte = body[at];
  if (byte === QUOTE) readString();
  else if (byte === OPEN || byte === 0x7b) {
    throw new BadRequest("ERR an argument is an array or an object; send it as a string");
  } else readLiteral();
}

function readString(): void {
  const from = at + 1;
  let i = from;
  let escaped = false;
  for (; ; i++) {
    const byte = body[i];
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) {
      escaped = true;
      i++;
    } else if (byte === undefined) throw new BadRequest("ERR invalid JSON: unterminated string");
    else if (byte < 0x20) throw new BadRequest("ERR invalid JSON: control character in a string");
  }
  at = i + 1;
  if (!escaped) {
    writer.bytes(body, from, i);
    return;
  }
  let text: string;
  try {
    text = JSON.parse(body.toString("utf8", from - 1, at));
  } catch {
    throw new BadRequest("ERR invalid JSON: unknown escape in a string");
  }
  if (LONE_SURROGATE.test(text)) throw new BadRequest("ERR a string has a lone surrogate");
  writer.text(text);
}

function readLiteral(): void {
  let end = at;
  while (end < body.length && !isDelimiter(body[end]!)) end++;
  const literal = body.toString("latin1", at, end);
  if (literal === "null") throw new BadRequest("ERR an argument is null; send a string or a number");
  if (literal !== "true" && literal !== "false" && !NUMBER.test(literal)) throw invalid();
  writer.bytes(body, at, end);
  at = end;
}

function isDelimiter(byte: number): boolean {
  return byte === COMMA || byte === CLOSE || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(): void {
  while (isSpace(body[at])) at++;
}

function expect(wanted: number, message: string): void {
  if (body[at++] !== wanted) throw new BadRequest(`ERR invalid JSON: ${message}`);
}

function invalid(): BadRequest {
  return new BadRequest("ERR invalid JSON");
}
