import { asName, commandName } from "./command-name.js";
import { RespReader } from "./reader.js";

/** Arguments before this one are found without an index: most commands have no more. */
const UNINDEXED = 8;

/**
 * One Redis command as it goes over the wire: a RESP array of bulk strings. It is encoded once, when the request is read. The
 * little code that needs an argument reads it from the encoding.
 */
export class Command {
  #name: string | undefined;
  /**
   * Where the arguments from {@link UNINDEXED} on start, and where the last one ends. It is made when one of them is needed, so
   * that finding any argument takes constant time. Its 4 bytes for an argument are less than the encoding of an empty one.
   */
  #starts: Uint32Array | undefined;

  /**
   * @param bytes the whole encoding, well-formed
   * @param size the number of arguments, including the command's name
   */
  constructor(
    readonly bytes: Buffer,
    readonly size: number,
    /** Number of replies that come before its own: its bytes may begin with other commands, such as ASKING. */
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

  /** Argument `index` as Latin-1 text (one character per byte); empty when there is no such argument. */
  text(index: number): string {
    return index >= 0 && index < this.size ? this.argReader(index).nextText() : "";
  }

  /** The bytes of argument `index`, which must be there. */
  content(index: number): Buffer {
    return this.argReader(index).nextContent();
  }

  /** The encodings of the arguments `[from, to)`, which must be there. */
  slice(from: number, to: number): Buffer {
    return this.bytes.subarray(this.argReader(from).at, this.argReader(to).at);
  }

  /** Returns a reader positioned at argument `index`, by default the first, or at the end if that is {@link size}. */
  argReader(index = 0): RespReader {
    if (index >= UNINDEXED) {
      this.#starts ??= this.#findStarts();
      return new RespReader(this.bytes, this.#starts[index - UNINDEXED]);
    }
    const reader = new RespReader(this.bytes);
    reader.nextLength();
    for (let left = index; left > 0; left--) reader.skip();
    return reader;
  }

  #findStarts(): Uint32Array {
    const reader = this.argReader(UNINDEXED - 1);
    const starts = new Uint32Array(this.size - UNINDEXED + 1);
    for (let i = 0; i < starts.length; i++) {
      reader.skip();
      starts[i] = reader.at;
    }
    return starts;
  }
}

/** Builds a command from arguments that the gateway itself sends. */
export function command(...args: string[]): Command {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return new Command(Buffer.from(`*${args.length}\r\n${parts.join("")}`), args.length);
}
