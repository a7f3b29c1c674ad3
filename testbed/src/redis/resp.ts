/** A decoded RESP2 reply. An error reply is a value, since in an array it concerns only one element. */
export type Resp = string | number | null | RespError | Resp[];

/** An error reply. */
export class RespError extends Error {
  override readonly name = "RespError";
}

/** Encodes a command as Redis wants it: an array of bulk strings. */
export function encodeCommand(args: readonly (string | number | Uint8Array)[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`*${args.length}\r\n`)];
  for (const word of args) {
    const bytes = typeof word === "object" ? word : Buffer.from(String(word));
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n"));
  }
  return Buffer.concat(parts);
}

/** Reads RESP2 values from a stream of bytes; bulk strings become text. */
export class RespReader {
  #rest: Buffer = Buffer.alloc(0);
  #at = 0;

  /** Takes bytes and returns the values that are complete. */
  push(bytes: Uint8Array): Resp[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const values: Resp[] = [];
    for (;;) {
      this.#at = 0;
      const value = this.#value();
      if (value === undefined) return values;
      this.#rest = this.#rest.subarray(this.#at);
      values.push(value);
    }
  }

  #line(): string | undefined {
    const end = this.#rest.indexOf("\r\n", this.#at);
    if (end < 0) return undefined;
    const text = this.#rest.toString("utf8", this.#at, end);
    this.#at = end + 2;
    return text;
  }

  #value(): Resp | undefined {
    const line = this.#line();
    if (line === undefined) return undefined;
    const rest = line.slice(1);
    switch (line[0]) {
      case "+":
        return rest;
      case "-":
        return new RespError(rest);
      case ":":
        return Number(rest);
      case "$":
        return this.#bulk(Number(rest));
      case "*":
        return this.#array(Number(rest));
      default:
        throw new Error(`Not RESP2: a value cannot begin with ${JSON.stringify(line.slice(0, 20))}`);
    }
  }

  #bulk(length: number): string | null | undefined {
    if (length < 0) return null;
    const begin = this.#at;
    if (this.#rest.length < begin + length + 2) return undefined;
    this.#at = begin + length + 2;
    return this.#rest.toString("utf8", begin, begin + length);
  }

  #array(length: number): Resp[] | null | undefined {
    if (length < 0) return null;
    const values: Resp[] = [];
    while (values.length < length) {
      const value = this.#value();
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  }
}
