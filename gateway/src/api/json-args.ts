import { isUtf8 } from "node:buffer";
import type { Command } from "../resp/command.js";
import { CommandWriter } from "../resp/command-writer.js";
import {
  BACKSLASH,
  CLOSE_BRACKET,
  COMMA,
  CR,
  LF,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from "../util/bytes.js";
import { BadRequest } from "./bad-request.js";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Matches only a surrogate that is not one of a pair. */
const LONE_SURROGATE = /\p{Cs}/u;

/** The commands of all requests share its allocations. */
const writer = new CommandWriter();

/**
 * Reads one command, a JSON array of strings, numbers and booleans, straight from the bytes of a body. Numbers
 * keep the digits they were written with.
 * @throws {BadRequest} when the body is anything else
 */
export function readJsonCommand(body: Buffer): Command {
  const commands = new JsonCommands(body);
  const command = commands.next();
  commands.finish();
  return command;
}

/** Reads a body of JSON that is one command, or an array of commands, some at a time. */
export class JsonCommands {
  #at = 0;

  constructor(private readonly body: Buffer) {
    if (!isUtf8(body)) throw new BadRequest("ERR invalid JSON: the body is not UTF-8");
  }

  /**
   * Appends the next commands of an array to `into`, at most `max`. Returns whether there are more.
   * @throws {BadRequest} when the body is anything else, or holds no command
   */
  read(into: Command[], max: number): boolean {
    if (this.#at === 0) this.#open("expected an array of commands", "ERR empty pipeline");
    for (let i = 0; i < max; i++) {
      into.push(this.next());
      if (!this.#readSeparator()) {
        this.finish();
        return false;
      }
    }
    return true;
  }

  /** Reads the beginning of an array that is not empty. */
  #open(otherwise: string, ifEmpty: string): void {
    this.#skipSpace();
    if (this.body[this.#at++] !== OPEN_BRACKET) throw new BadRequest(`ERR invalid JSON: ${otherwise}`);
    this.#skipSpace();
    if (this.body[this.#at] === CLOSE_BRACKET) throw new BadRequest(ifEmpty);
  }

  /** Reads what comes after an element of an array. Returns whether another one follows. */
  #readSeparator(): boolean {
    this.#skipSpace();
    const byte = this.body[this.#at++];
    if (byte !== COMMA && byte !== CLOSE_BRACKET) throw invalid();
    return byte === COMMA;
  }

  /** @throws {BadRequest} when anything but white space follows */
  finish(): void {
    this.#skipSpace();
    if (this.#at !== this.body.length)
      throw new BadRequest("ERR invalid JSON: unexpected data after the array");
  }

  /** Reads one command. @throws {BadRequest} if there is no valid command */
  next(): Command {
    this.#open("expected a command as an array", "ERR empty command");
    writer.begin();
    do this.#readArg();
    while (this.#readSeparator());
    return writer.end();
  }

  #readArg(): void {
    this.#skipSpace();
    const byte = this.body[this.#at];
    if (byte === QUOTE) this.#readString();
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      throw new BadRequest("ERR an argument is an array or an object; send it as a string");
    } else this.#readLiteral();
  }

  #readString(): void {
    const body = this.body;
    const from = this.#at + 1;
    let i = from;
    let escaped = false;
    for (; ; i++) {
      const byte = body[i];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        i++;
      } else if (byte === undefined) throw new BadRequest("ERR invalid JSON: unterminated string");
      else if (byte < SPACE) throw new BadRequest("ERR invalid JSON: control character in a string");
    }
    this.#at = i + 1;
    if (!escaped) {
      writer.bytes(body, from, i);
      return;
    }
    let text: string;
    try {
      text = JSON.parse(body.toString("utf8", from - 1, this.#at));
    } catch {
      throw new BadRequest("ERR invalid JSON: unknown escape in a string");
    }
    if (LONE_SURROGATE.test(text)) throw new BadRequest("ERR a string has a lone surrogate");
    writer.text(text);
  }

  #readLiteral(): void {
    const body = this.body;
    const from = this.#at;
    let end = from;
    while (end < body.length && !isDelimiter(body[end]!)) end++;
    const literal = body.toString("latin1", from, end);
    if (literal === "null") throw new BadRequest("ERR an argument is null; send a string or a number");
    if (literal !== "true" && literal !== "false" && !NUMBER.test(literal)) throw invalid();
    writer.bytes(body, from, end);
    this.#at = end;
  }

  #skipSpace(): void {
    while (isSpace(this.body[this.#at])) this.#at++;
  }
}

function isDelimiter(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

function invalid(): BadRequest {
  return new BadRequest("ERR invalid JSON");
}
