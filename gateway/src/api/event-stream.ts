import { STREAM_SHARE } from "../http/connection.js";
import type { UpstreamFailure } from "../redis/failure.js";
import type { EncodedFrame, Frame } from "../redis/frame.js";
import type { Listener } from "../redis/pubsub/listener.js";
import { confirmationFrame, eventFrame, GAP, HEARTBEAT, sizeOf } from "./event-frames.js";
import type { Exchange } from "./exchange.js";

/** A larger event counts in the budget before it is written. */
const LARGE_EVENT = 64 * 1_024;
/** Timeout in ms for a reader to take the rest when its stream ends. */
const END_WITHIN = 250;

/** One reader of server-sent events, from the request to the end of its connection. */
export class EventStream implements Listener {
  /** The size of the last event above `maxBuffer`, until its reader has taken it; else 0. */
  #largeEvent = 0;
  /** Resolves when the frames that are being encoded were sent; null if there are none. */
  #encoding: Promise<void> | null = null;

  /**
   * @param first the first frames of the stream
   * @param maxBuffer maximum bytes buffered for the reader, besides one event that is larger
   * @param onDropped called when the stream was closed because its reader was too slow
   */
  constructor(
    private readonly exchange: Exchange,
    private readonly first: readonly Buffer[],
    private readonly maxBuffer: number,
    private readonly onDropped: () => void,
  ) {}

  /** Bytes that the reader has not taken. */
  get backlog(): number {
    return this.exchange.connection.backlog;
  }

  onReady(): void {
    this.exchange.startStream();
    for (const frame of this.first) this.#write([frame]);
  }

  onMessage(encoded: EncodedFrame | Promise<EncodedFrame>): void {
    if (encoded instanceof Promise) this.#inTurn(async () => this.#write(await encoded));
    else this.#inTurn(() => this.#write(encoded));
  }

  onGap(): void {
    this.#inTurn(() => this.#write([GAP]));
  }

  onChanged(kind: string, name: Buffer, count: number): void {
    this.#inTurn(() => this.#write([confirmationFrame(kind, name, count)]));
  }

  onEnd(problem: string | UpstreamFailure): void {
    if (this.exchange.streaming) this.#inTurn(() => this.#end());
    else if (typeof problem === "string") this.exchange.error(400, problem);
    else this.exchange.failure(problem);
  }

  /** Ends the stream with an event that has this error text. Responds with it if the stream has not begun. */
  fail(error: string): void {
    if (this.exchange.streaming) this.offer([eventFrame("error", error)]);
    this.onEnd(error);
  }

  /** Sends a heartbeat, which shows the reader and every proxy that the stream is alive. */
  beat(): void {
    this.#write([HEARTBEAT]);
  }

  /** Sends an event. Returns false, and sends nothing, if there is no memory for it. */
  offer(frame: Frame): boolean {
    const exchange = this.exchange;
    if (!exchange.streaming) return true;
    const { backlog } = exchange.connection;
    // One large event is no sign of a slow reader.
    if (backlog <= this.maxBuffer) this.#largeEvent = 0;
    else if (backlog > this.maxBuffer + this.#largeEvent) {
      this.onDropped();
      exchange.destroy();
      return true;
    }
    const size = sizeOf(frame);
    if (size > LARGE_EVENT && !exchange.connection.sender.reserve(size, STREAM_SHARE)) return false;
    if (size > this.maxBuffer) this.#largeEvent = size;
    if (!exchange.stream(frame)) this.onDropped();
    return true;
  }

  #write(frame: EncodedFrame): void {
    if (!Array.isArray(frame) || !this.offer(frame)) this.offer([GAP]);
  }

  /** Takes a step at once, or after the frames that are being encoded. */
  #inTurn(step: () => void | Promise<void>): void {
    if (!this.#encoding) {
      const sent = step();
      if (sent) this.#waitFor(sent);
    } else this.#waitFor(this.#encoding.then(step));
  }

  #waitFor(sent: Promise<void>): void {
    this.#encoding = sent;
    void sent.then(() => {
      if (this.#encoding === sent) this.#encoding = null;
    });
  }

  #end(): void {
    this.exchange.endStream();
    setTimeout(() => this.exchange.destroy(), END_WITHIN).unref();
  }
}
