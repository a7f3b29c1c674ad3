import type { Duplex } from "node:stream";

/**
 * A RESP2 reply in a form that can be compared and printed: its type byte and its text (`:1`, `+OK`, `$text`, `-ERR ...`,
 * `$-1` for null, `*-1` for the null array), or an array of replies.
 */
export type Reply = string | readonly Reply[];

/** Sends commands over one connection and returns their replies with their types. */
export class ReplyClient {
  readonly #stream: Duplex;
  #bytes: Buffer = Buffer.alloc(0);
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = [];

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    stream.on("error", () => {});
    stream.on("close", () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("connection closed"));
    });
  }

  /** Sends all commands in one write. Resolves with their replies, in order. */
  run(commands: readonly (readonly string[])[]): Promise<Reply[]> {
    return Promise.all(this.send(commands));
  }

  /**
   * Sends a blocking command, and resolves when it blocks. A PING goes before it in the same write. The server runs both before it sends
   * the PING's reply, and before any command of another client.
   * @returns the promise of the command's reply, in an object so that `await` does not wait for it
   */
  async begin(command: readonly string[]): Promise<{ reply: Promise<Reply> }> {
    const [pong, reply] = this.send([["PING"], command]) as [Promise<Reply>, Promise<Reply>];
    reply.catch(() => {});
    await pong;
    return { reply };
  }

  /** Sends all commands in one write. Returns the promises of their replies. */
  send(commands: readonly (readonly string[])[]): Promise<Reply>[] {
    const replies = commands.map(
      () => new Promise<Reply>((resolve, reject) => this.#waiting.push({ resolve, reject })),
    );
    this.#stream.write(Buffer.concat(commands.map(encodeCommand)));
    return replies;
  }

  close(): void {
    this.#stream.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const read = readReply(this.#bytes, 0);
      if (!read) return;
      this.#bytes = this.#bytes.subarray(read.end);
      this.#waiting.shift()?.resolve(read.reply);
    }
  }
}

/** Encodes a command as RESP. Each character of an argument is one byte (Latin-1). */
function encodeCommand(args: readonly string[]): Buffer {
  const text = args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join("");
  return Buffer.from(`*${args.length}\r\n${text}`, "latin1");
}

function readReply(bytes: Buffer, at: number): { reply: Reply; end: number } | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd === -1) return undefined;
  const line = bytes.toString("latin1", at, lineEnd);
  const next = lineEnd + 2;
  const length = Number(line.slice(1));
  if (length === -1 || (line[0] !== "$" && line[0] !== "*")) return { reply: line, end: next };
  if (line[0] === "$") {
    const end = next + length + 2;
    return bytes.length < end ? undefined : { reply: `$${bytes.toString("latin1", next, end - 2)}`, end };
  }
  const items: Reply[] = [];
  let end = next;
  for (let index = 0; index < length; index++) {
    const item = readReply(bytes, end);
    if (!item) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
}
