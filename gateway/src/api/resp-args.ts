import { BadRequest } from "../http/bad-request.js";
import { Command } from "../resp/command.js";

const STAR = 0x2a;
const DOLLAR = 0x24;
const CR = 0x0d;
const LF = 0x0a;

let at = 0;

/**
 * Reads a body that is one command in RESP2, which goes to Redis as it is.
 * @throws {BadRequest} when it is not exactly one array of bulk strings
 */
export function readRespCommand(body: Buffer): Command {
  at = 0;
  const command = readOne(body);
  if (at !== body.length) throw malformed("unexpected data after the command");
  return command;
}

/** Reads a body that is one or more commands in RESP2, one after another, some at a time. */
export class RespCommands {
  readonly #body: Buffer;
  #at = 0;

  /** @throws {BadRequest} when the body holds no command */
  constructor(body: Buffer) {
    if (body.length === 0) throw new BadRequest("ERR empty pipeline");
    this.#body = body;
  }

  /**
   * Appends the next commands to `into`, at most so many. Returns whether there are more.
   * @throws {BadRequest} when the body is anything else
   */
  read(into: Command[], most: number): boolean {
    at = this.#at;
    for (let i = 0; i < most && at < this.#body.length; i++) into.push(readOne(this.#body));
    this.#at = at;
    return at < this.#body.length;
  }
}

function readOne(body: Buffer): Command {
  const from = at;
  const size = readLength(body, STAR);
  if (size === 0) throw new BadRequest("ERR empty command");
  for (let i = 0; i < size; i++) {
    at = readLength(body, DOLLAR) + at;
    if (body[at] !== CR || body[at + 1] !== LF)
      throw malformed("a bulk string of another length than declared");
    at += 2;
  }
  return new Command(body.subarray(from, at), size);
}

function readLength(body: Buffer, type: number): number {
  if (body[at++] !== type) throw malformed("expected an array of bulk strings");
  const from = at;
  let length = 0;
  for (; body[at] !== CR; at++) {
    const byte = body[at];
    if (byte === undefined || byte < 0x30 || byte > 0x39 || at - from >= 10)
      throw malformed("a length that is not a number");
    length = length * 10 + byte - 0x30;
  }
  const digits = at - from;
  if (digits === 0 || (digits > 1 && body[from] === 0x30)) throw malformed("a length that is not a number");
  if (body[at + 1] !== LF) throw malformed("a line without CRLF");
  at += 2;
  return length;
}

function malformed(what: string): BadRequest {
  return new BadRequest(`ERR invalid RESP: ${what}`);
}
