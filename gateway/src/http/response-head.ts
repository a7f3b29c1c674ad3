import { STATUS_CODES } from "node:http";

const NO_BODY = 204;
/** Heads of responses with shorter bodies than this, in bytes, are kept ready as a whole. */
const MAX_READY_BODY = 1_024;

/** The part of a response's head that many responses share. */
interface Ready {
  readonly status: number;
  readonly type: string;
  readonly keep: boolean;
  /** The head up to the length of the body. */
  readonly prefix: Buffer;
  /** Heads without more than that, by the length of the body. */
  readonly whole: Buffer[];
}

/** Writes the heads of responses. What is the same in most of them is kept ready, and renewed when the date changes. */
export class ResponseHeads {
  readonly #keepAlive: string;
  readonly #common: string;
  /** End of the second that the date of the ready heads is in, in ms by the monotonic clock. */
  #until = 0;
  /** The lines of the headers that change, the date among them. */
  #date = "";
  #ready: Ready[] = [];

  /**
   * @param keepAlive idle timeout of a connection in ms; advertised to clients
   * @param common headers of every response, name and value in turn
   * @param changing returns further ones, and is called when the date changes
   */
  constructor(
    keepAlive: number,
    common: readonly string[] = [],
    private readonly changing: () => readonly string[] = () => [],
  ) {
    this.#common = linesOf(common);
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1_000)}\r\n`;
  }

  /**
   * Returns a response in one piece, or as head and body if a copy would cost more than a second write.
   * @param keep whether the connection stays
   * @param more further headers, name and value in turn
   */
  encode(
    status: number,
    type: string,
    keep: boolean,
    more: readonly string[],
    body: Buffer,
    sendsBody: boolean,
  ): Buffer[] {
    const ready = this.#readyFor(status, type, keep);
    const isUsual = more.length === 0 && body.length < MAX_READY_BODY;
    let head = isUsual ? ready.whole[body.length] : undefined;
    if (!head) {
      const rest = status === NO_BODY ? "" : `Content-Length: ${body.length}\r\n`;
      head = Buffer.concat([ready.prefix, Buffer.from(`${rest}${linesOf(more)}\r\n`, "latin1")]);
      if (isUsual) ready.whole[body.length] = head;
    }
    if (!sendsBody) return [head];
    if (body.length > MAX_COPIED_BODY) return [head, body];
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.set(head);
    bytes.set(body, head.length);
    return [bytes];
  }

  /** The head of a response whose length is not known. Unless it is chunked, the connection ends with it. */
  unmeasured(status: number, type: string, keep: boolean, chunked: boolean, more: readonly string[]): Buffer {
    const lines = chunked ? "Transfer-Encoding: chunked\r\n" : "";
    const { prefix } = this.#readyFor(status, type, keep);
    return Buffer.concat([prefix, Buffer.from(`${lines}${linesOf(more)}\r\n`, "latin1")]);
  }

  stream(chunked: boolean, more: readonly string[]): Buffer {
    // Some proxies buffer a response before they pass it on, unless the second header is present.
    const headers = ["Cache-Control", "no-cache", "X-Accel-Buffering", "no", ...more];
    return this.unmeasured(200, "text/event-stream", false, chunked, headers);
  }

  #readyFor(status: number, type: string, keep: boolean): Ready {
    const now = performance.now();
    if (now >= this.#until) {
      const time = Date.now();
      const second = Math.floor(time / 1_000) * 1_000;
      this.#until = now + second + 1_000 - time;
      this.#date = `${linesOf(this.changing())}Date: ${new Date(second).toUTCString()}\r\n`;
      this.#ready = [];
    }
    for (const each of this.#ready) {
      if (each.status === status && each.type === type && each.keep === keep) return each;
    }
    const prefix = Buffer.from(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${type}\r\n` +
        `${this.#common}${this.#date}` +
        (keep ? this.#keepAlive : "Connection: close\r\n"),
      "latin1",
    );
    const ready: Ready = { status, type, keep, prefix, whole: [] };
    this.#ready.push(ready);
    return ready;
  }
}

/** The lines of headers that are given as name and value in turn. */
function linesOf(headers: readonly string[]): string {
  let lines = "";
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

/** Bodies up to this many bytes are copied behind their heads, so that one write sends both. */
export const MAX_COPIED_BODY = 32 * 1_024;
