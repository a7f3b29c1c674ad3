/** A command as a Redis client wrote it. */
export interface RespCommand {
  /** The command in RESP2, as it was written. */
  readonly raw: Buffer;
  /** The name in upper case. */
  readonly name: string;
  /** The name in upper case, then the arguments. */
  readonly argv: readonly [name: string, ...args: Buffer[]];
  /** The arguments. */
  readonly args: readonly Buffer[];
}

/** The bytes are not RESP2 commands. */
export class MalformedCommand extends Error {}

const STAR = 0x2a;
const DOLLAR = 0x24;
const CR = 13;
const LF = 10;

/** Splits a byte stream into RESP2 commands: arrays of bulk strings. Chunks may end anywhere. */
export class CommandReader {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  /** Minimum size in bytes of the next command. Fewer bytes are not parsed. */
  #needed = 1;

  /** Number of bytes of a command that is not complete yet. */
  get pending(): number {
    return this.#size;
  }

  /**
   * Returns the commands that the chunk completes.
   * @throws MalformedCommand if the bytes are not RESP2 commands. The reader can't be used after that.
   */
  read(chunk: Buffer): RespCommand[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const commands: RespCommand[] = [];
    if (this.#size < this.#needed) return commands;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    let at = 0;
    for (;;) {
      const parsed = parse(bytes, at);
      if (typeof parsed === "number") {
        this.#needed = parsed;
        break;
      }
      commands.push(parsed);
      at += parsed.raw.length;
    }
    const rest = bytes.subarray(at);
    this.#chunks.splice(0, this.#chunks.length, rest);
    this.#size = rest.length;
    return commands;
  }
}

/** Returns the command that begins at `start`, or its minimum size in bytes if it is not complete. */
function parse(bytes: Buffer, start: number): RespCommand | number {
  const args: Buffer[] = [];
  let at = start;
  const count = parseLength(bytes, at, STAR);
  if (count === undefined) return bytes.length - start + 1;
  if (count === 0) throw new MalformedCommand("a command without a name");
  at = bytes.indexOf(LF, at) + 1;
  for (let i = 0; i < count; i++) {
    const length = parseLength(bytes, at, DOLLAR);
    // Each missing argument takes at least six bytes. Until they have arrived, the arguments before it are not parsed again.
    if (length === undefined) return Math.max(bytes.length + 1, at + 6 * (count - i)) - start;
    const from = bytes.indexOf(LF, at) + 1;
    at = from + length + 2;
    if (at > bytes.length) return at - start;
    if (bytes[at - 2] !== CR || bytes[at - 1] !== LF)
      throw new MalformedCommand("a bulk string of another length");
    args.push(bytes.subarray(from, at - 2));
  }
  const name = args.shift()!.toString("latin1").toUpperCase();
  return { raw: bytes.subarray(start, at), name, argv: [name, ...args], args };
}

/** Maximum number of characters of a line with a length, without its end. */
const MAX_LINE = 16;

/** Returns the length in the line at `at`, or undefined if the line is not complete. */
function parseLength(bytes: Buffer, at: number, type: number): number | undefined {
  if (at >= bytes.length) return undefined;
  const end = bytes.indexOf(CR, at);
  const complete = end !== -1 && end + 1 < bytes.length;
  if (bytes[at] !== type || (complete ? end : bytes.length) - at > MAX_LINE) {
    throw new MalformedCommand("expected an array of bulk strings");
  }
  if (!complete) return undefined;
  const digits = bytes.toString("latin1", at + 1, end);
  if (!/^\d{1,10}$/.test(digits) || bytes[end + 1] !== LF) throw new MalformedCommand("a malformed length");
  return Number(digits);
}
