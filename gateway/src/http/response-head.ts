import { STATUS_CODES } from "node:http";
import { VERSION } from "../version.js";

/** Opaque to clients. One server's writes are always seen by its reads, so that it never changes. */
const SYNC_TOKEN = "0";
const NO_BODY = 204;
/** Heads of responses with shorter bodies than this, in bytes, are kept ready as a whole. */
const USUAL = 1_024;

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
  /** Until when what is ready has the right date, in ms by the monotonic clock. */
  #until = 0;
  #date = "";
  #ready: Ready[] = [];

  /** @param keepAlive how long a connection may be idle, in ms; advertised to clients */
  constructor(keepAlive: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1_000)}\r\n`;
  }

  /**
   * A whole response in one piece, or its head and its body where copying would cost more than it spares.
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
    const isUsual = more.length === 0 && body.length < USUAL;
    let head = isUsual ? ready.whole[body.length] : undefined;
    if (!head) {
      head = headOf(ready, body.length, more);
      if (isUsual) ready.whole[body.length] = head;
    }
    if (!sendsBody) return [head];
    if (body.length > COPIED) return [head, body];
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.set(head);
    bytes.set(body, head.length);
    return [bytes];
  }

  /** The head of a response whose length is not known. Unless it is chunked, the connection ends with it. */
  unmeasured(status: number, type: string, keep: boolean, chunked: boolean, more: readonly string[]): Buffer {
    let lines = chunked ? "Transfer-Encoding: chunked\r\n" : "";
    for (let i = 0; i < more.length; i += 2) lines += `${more[i]}: ${more[i + 1]}\r\n`;
    const { prefix } = this.#readyFor(status, type, keep);
    return Buffer.concat([prefix, Buffer.from(`${lines}\r\n`, "latin1")]);
  }

  /** The head of a stream of events. */
  stream(chunked: boolean, more: readonly string[]): Buffer {
    const lines = ["Cache-Control: no-cache"];
    // Some proxies buffer a response before they pass it on, unless this header is present.
    lines.push("X-Accel-Buffering: no");
    if (chunked) lines.push("Transfer-Encoding: chunked");
    for (let i = 0; i < more.length; i += 2) lines.push(`${more[i]}: ${more[i + 1]}`);
    const { prefix } = this.#readyFor(200, "text/event-stream", false);
    return Buffer.concat([prefix, Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")]);
  }

  #readyFor(status: number, type: string, keep: boolean): Ready {
    const now = performance.now();
    if (now >= this.#until) {
      const time = Date.now();
      const second = Math.floor(time / 1_000) * 1_000;
      this.#until = now + second + 1_000 - time;
      this.#date = new Date(second).toUTCString();
      this.#ready = [];
    }
    for (const each of this.#ready) {
      if (each.status === status && each.type === type && each.keep === keep) return each;
    }
    const prefix = Buffer.from(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${type}\r\n` +
        `Warmline-Gateway: ${VERSION}\r\nupstash-sync-token: ${SYNC_TOKEN}\r\nDate: ${this.#date}\r\n` +
        (keep ? this.#keepAlive : "Connection: close\r\n"),
      "latin1",
    );
    const ready: Ready = { status, type, keep, prefix, whole: [] };
    this.#ready.push(ready);
    return ready;
  }
}

/** A whole head. */
function headOf({ status, prefix }: Ready, length: number, more: readonly string[]): Buffer {
  let rest = status === NO_BODY ? "" : `Content-Length: ${length}\r\n`;
  for (let i = 0; i < more.length; i += 2) rest += `${more[i]}: ${more[i + 1]}\r\n`;
  return Buffer.concat([prefix, Buffer.from(`${rest}\r\n`, "latin1")]);
}

/** Bodies up to this many bytes are copied behind their heads, so that one write sends both. */
export const COPIED = 32 * 1_024;
