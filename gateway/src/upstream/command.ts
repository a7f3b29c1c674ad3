const DOLLAR = 0x24;
const CR = 0x0d;

/**
 * One Redis command as it goes over the wire: a RESP array of bulk strings. It is encoded once, when the
 * request is read, and its words are found again in the encoding by the few that need one.
 */
export class Command {
  #name: string | undefined;

  /**
   * @param bytes the whole encoding, well-formed
   * @param size the number of words, the command's name included
   */
  constructor(
    readonly bytes: Buffer,
    readonly size: number,
    /** Replies that come before its own, to what its bytes begin with. */
    readonly leading = 0,
  ) {}

  /**
   * The first word in upper case, cut at a NUL byte: Redis compares some names as C strings, so that
   * `post\0x` is `post` to it.
   */
  get name(): string {
    this.#name ??= this.upper(0);
    return this.#name;
  }

  /** Word `index` in upper case, cut at a NUL byte; empty when there is no such word. */
  upper(index: number): string {
    const text = this.text(index);
    const nul = text.indexOf("\0");
    return (nul < 0 ? text : text.slice(0, nul)).toUpperCase();
  }

  /** Word `index` byte by byte as text (Latin-1); empty when there is no such word. */
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

/** Builds a command from words that the gateway itself sends. */
export function command(...words: string[]): Command {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return new Command(Buffer.from(`*${words.length}\r\n${parts.join("")}`), words.length);
}
