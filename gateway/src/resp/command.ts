import { asName, commandName } from "./command-name.js";

const DOLLAR = 0x24;
const CR = 0x0d;

/**
 * One Redis command as it goes over the wire: a RESP array of bulk strings. It is encoded once, when the
 * request is read, and its arguments are found again in the encoding by the few that need one.
 */
export class Command {
  #name: string | undefined;

  /**
   * @param bytes the whole encoding, well-formed
   * @param size the number of arguments, the command's name included
   */
  constructor(
    readonly bytes: Buffer,
    readonly size: number,
    /** Replies that come before its own, to what its bytes begin with. */
    readonly leading = 0,
  ) {}

  /** The first argument in upper case, as Redis takes it: see {@link commandName}. */
  get name(): string {
    this.#name ??= this.#firstArg();
    return this.#name;
  }

  /** Argument `index` in upper case, cut at a NUL byte; empty when there is no such argument. */
  upper(index: number): string {
    return asName(this.text(index));
  }

  #firstArg(): string {
    if (this.size === 0) return "";
    const { bytes } = this;
    let at = 1;
    while (bytes[at++] !== DOLLAR);
    let length = 0;
    for (; bytes[at] !== CR; at++) length = length * 10 + bytes[at]! - 0x30;
    at += 2;
    return commandName(bytes, at, at + length);
  }

  /** Argument `index` byte by byte as text (Latin-1); empty when there is no such argument. */
  text(index: number): string {
    if (index < 0 || index >= this.size) return "";
    const { bytes } = this;
    let at = bytes.indexOf(DOLLAR);
    for (let i = 0; ; i++) {
      let length = 0;
      for (at++; bytes[at] !== CR; at++) length = length * 10 + bytes[at]! - 0x30;
      at += 2;
      if (i === index) return bytes.toString("latin1", at, at + length);
      at += length + 2;
    }
  }
}

/** Builds a command from arguments that the gateway itself sends. */
export function command(...args: string[]): Command {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return new Command(Buffer.from(`*${args.length}\r\n${parts.join("")}`), args.length);
}
