import { STATUS_CODES } from "node:http";
import { VERSION } from "../version.js";

/** Opaque to clients. One server's writes are always seen by its reads, so that it never changes. */
const SYNC_TOKEN = "0";
const NO_BODY = 204;

/** Writes the heads of answers. What is the same in most of them is kept ready, and renewed when the date changes. */
export class AnswerHeads {
  readonly #keepAlive: string;
  #second = 0;
  #date = "";
  readonly #ready = new Map<string, Map<number, Buffer>>();

  /** @param keepAlive how long a connection may be idle, in ms; advertised to clients */
  constructor(keepAlive: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1_000)}\r\n`;
  }

  /**
   * A whole answer in one piece, or its head and its body where copying would cost more than it spares.
   * @param keep whether the connection stays
   * @param more further headers, name and value in turn
   */
  answer(
    status: number,
    type: string,
    keep: boolean,
    more: readonly string[],
    body: Buffer,
    sendsBody: boolean,
  ): Buffer[] {
    const first = this.#prefix(status, type, keep);
    let rest = status === NO_BODY ? "" : `Content-Length: ${body.length}\r\n`;
    for (let i = 0; i < more.length; i += 2) rest += `${more[i]}: ${more[i + 1]}\r\n`;
    rest += "\r\n";
    const size = first.length + rest.length;
    const copied = sendsBody && body.length <= COPIED ? body.length : 0;
    const bytes = Buffer.allocUnsafe(size + copied);
    bytes.set(first);
    writeAscii(bytes, first.length, rest);
    if (copied > 0) bytes.set(body, size);
    return copied === body.length || !sendsBody ? [bytes] : [bytes, body];
  }

  /** The head of a stream of events. */
  stream(chunked: boolean, more: readonly string[]): Buffer {
    const lines = ["Cache-Control: no-cache"];
    // Some proxies collect an answer before they pass it on, unless they are told.
    lines.push("X-Accel-Buffering: no");
    if (chunked) lines.push("Transfer-Encoding: chunked");
    for (let i = 0; i < more.length; i += 2) lines.push(`${more[i]}: ${more[i + 1]}`);
    const first = this.#prefix(200, "text/event-stream", false);
    return Buffer.concat([first, Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")]);
  }

  #prefix(status: number, type: string, keep: boolean): Buffer {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(second * 1_000).toUTCString();
      this.#ready.clear();
    }
    let ofType = this.#ready.get(type);
    if (!ofType) {
      ofType = new Map();
      this.#ready.set(type, ofType);
    }
    const key = keep ? status : -status;
    let prefix = ofType.get(key);
    if (!prefix) {
      prefix = Buffer.from(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${type}\r\n` +
          `Warmline-Gateway: ${VERSION}\r\nupstash-sync-token: ${SYNC_TOKEN}\r\nDate: ${this.#date}\r\n` +
          (keep ? this.#keepAlive : "Connection: close\r\n"),
        "latin1",
      );
      ofType.set(key, prefix);
    }
    return prefix;
  }
}

/** Short text is written letter by letter, which beats a call into native code. */
function writeAscii(to: Buffer, at: number, text: string): void {
  if (text.length > 64) to.write(text, at, "latin1");
  else for (let i = 0; i < text.length; i++) to[at + i] = text.charCodeAt(i);
}

/** Bodies up to this many bytes are copied behind their heads, so that one write sends both. */
const COPIED = 32 * 1_024;
