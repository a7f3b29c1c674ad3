import type { UpstreamFailure } from "../redis/failure.js";
import type { ChangingListener } from "../redis/pubsub/listener.js";
import { confirmationFrame, GAP, HEARTBEAT } from "./event-frames.js";
import type { Exchange } from "./exchange.js";

/** A larger event counts in the budget before it is written. */
const LARGE_EVENT = 64 * 1_024;
/** Timeout in ms for a reader to take the rest when its stream ends. */
const END_WITHIN = 250;

/** One reader of server-sent events, from the request to the end of its connection. */
export class EventStream implements ChangingListener {
  readonly #exchange: Exchange;
  readonly #first: readonly Buffer[];
  readonly #maxBuffer: number;
  readonly #onDropped: () => void;

  /**
   * @param first the first frames of the stream
   * @param maxBuffer maximum bytes buffered for the reader
   * @param onDropped called when the stream was closed because its reader was too slow
   */
  constructor(exchange: Exchange, first: readonly Buffer[], maxBuffer: number, onDropped: () => void) {
    this.#exchange = exchange;
    this.#first = first;
    this.#maxBuffer = maxBuffer;
    this.#onDropped = onDropped;
  }

  /** Bytes that the reader has not taken. */
  get backlog(): number {
    return this.#exchange.backlog;
  }

  onReady(): void {
    this.#exchange.startStream();
    for (const frame of this.#first) this.#write(frame);
  }

  onMessage(encoded: Buffer): void {
    this.#write(encoded);
  }

  onGap(): void {
    this.#write(GAP);
  }

  onChanged(kind: string, name: Buffer, count: number): void {
    this.#write(confirmationFrame(kind, name, count));
  }

  onRefusal(error: string): void {
    if (this.#exchange.streaming) this.#end();
    else this.#exchange.error(400, error);
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#exchange.streaming) this.#end();
    else this.#exchange.failure(failure);
  }

  /** Sends a heartbeat, which shows the reader and every proxy that the stream is alive. */
  beat(): void {
    this.#write(HEARTBEAT);
  }

  /** Sends an event. Returns false, and sends nothing, if there is no memory for it. */
  offer(frame: Buffer): boolean {
    const exchange = this.#exchange;
    if (!exchange.streaming) return true;
    // One large message is no sign of a slow reader, so only the bytes already buffered count.
    if (exchange.backlog > this.#maxBuffer) {
      this.#onDropped();
      exchange.destroy();
      return true;
    }
    if (frame.length > LARGE_EVENT && !exchange.reserveEvent(frame.length)) return false;
    if (!exchange.stream(frame)) this.#onDropped();
    return true;
  }

  #write(frame: Buffer): void {
    if (!this.offer(frame)) this.offer(GAP);
  }

  #end(): void {
    this.#exchange.endStream();
    setTimeout(() => this.#exchange.destroy(), END_WITHIN).unref();
  }
}
