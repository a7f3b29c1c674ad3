import { asName, commandName } from "./command-name.js";
import { RespReader } from "./reader.js";

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
    const reader = this.argReader();
    const length = reader.nextLength();
    return commandName(this.bytes, reader.at, reader.at + length);
  }

  /** Argument `index` byte by byte as text (Latin-1); empty when there is no such argument. */
  text(index: number): string {
    if (index < 0 || index >= this.size) return "";
    const reader = this.argReader();
    for (let left = index; left > 0; left--) reader.skip();
    return reader.nextText();
  }

  /** Returns a reader that stands at the first argument. */
  argReader(): RespReader {
    const reader = new RespReader(this.bytes);
    reader.nextLength();
    return reader;
  }
}

/** Builds a command from arguments that the gateway itself sends. */
export function command(...args: string[]): Command {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return new Command(Buffer.from(`*${args.length}\r\n${parts.join("")}`), args.length);
}
