import { Command } from "../resp/command.js";
import { CR, DOLLAR, LF, NINE, STAR, ZERO } from "../util/bytes.js";
import { BadRequest } from "./bad-request.js";

/** A length has at most this many digits. */
const MAX_DIGITS = 10;

/**
 * Reads a body that is one command in RESP2, which goes to Redis as it is.
 * @throws {BadRequest} when it is not exactly one array of bulk strings
 */
export function readRespCommand(body: Buffer): Command {
  const commands = new RespCommands(body);
  const command = commands.next();
  if (!commands.isAtEnd) throw malformed("unexpected data after the command");
  return command;
}

/** Reads a body that is one or more commands in RESP2, one after another. Unlike a `RespReader` it checks every byte. */
export class RespCommands {
  #at = 0;

  constructor(private readonly body: Buffer) {}

  get isAtEnd(): boolean {
    return this.#at === this.body.length;
  }

  /**
   * Appends the next commands to `into`, at most `max`. Returns whether there are more.
   * @throws {BadRequest} when the body is anything else, or holds no command
   */
  read(into: Command[], max: number): boolean {
    if (this.body.length === 0) throw new BadRequest("ERR empty pipeline");
    for (let i = 0; i < max && !this.isAtEnd; i++) into.push(this.next());
    return !this.isAtEnd;
  }

  /** Reads one command. @throws {BadRequest} if there is no valid command */
  next(): Command {
    const body = this.body;
    const from = this.#at;
    const size = this.#readLength(STAR);
    if (size === 0) throw new BadRequest("ERR empty command");
    for (let i = 0; i < size; i++) {
      const length = this.#readLength(DOLLAR);
      const end = this.#at + length;
      if (body[end] !== CR || body[end + 1] !== LF)
        throw malformed("a bulk string of another length than declared");
      this.#at = end + 2;
    }
    return new Command(body.subarray(from, this.#at), size);
  }

  #readLength(type: number): number {
    const body = this.body;
    if (body[this.#at] !== type) throw malformed("expected an array of bulk strings");
    const from = this.#at + 1;
    let at = from;
    let length = 0;
    for (; body[at] !== CR; at++) {
      const byte = body[at];
      if (byte === undefined || byte < ZERO || byte > NINE || at - from >= MAX_DIGITS)
        throw malformed("a length that is not a number");
      length = length * 10 + byte - ZERO;
    }
    const digits = at - from;
    if (digits === 0 || (digits > 1 && body[from] === ZERO)) throw malformed("a length that is not a number");
    if (body[at + 1] !== LF) throw malformed("a line without CRLF");
    this.#at = at + 2;
    return length;
  }
}

function malformed(what: string): BadRequest {
  return new BadRequest(`ERR invalid RESP: ${what}`);
}
