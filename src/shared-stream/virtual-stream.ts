import { toBytes } from "../protocol/bytes.js";

/** Characters that a reader may be behind before it gets a stream of its own. */
const MAX_BEHIND = 1024 * 1024;

/** The headers of an event stream of warmline-gateway, which has heartbeats. */
const HEADERS = { "content-type": "text/event-stream", "warmline-gateway": "" };

/** An event stream for one subscription, whose events come from a stream that carries several. */
export class VirtualStream {
  /** The response, or undefined if the shared stream can't carry the subscription. */
  readonly response: Promise<Response | undefined>;
  readonly #signal: AbortSignal;
  readonly #reopen: () => Promise<Response>;
  #resolve!: (response: Response | undefined) => void;
  #reject!: (error: unknown) => void;
  /** Events that were not read yet. */
  #text = "";
  #state: "opening" | "open" | "slow" | "ended" = "opening";
  #wake = () => {};

  /**
   * @param signal ends the stream with its reason.
   * @param reopen opens a stream for this subscription alone.
   */
  constructor(signal: AbortSignal, reopen: () => Promise<Response>) {
    this.#signal = signal;
    this.#reopen = reopen;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Begins the stream with an event. Without effect if it has begun. */
  begin(event: string): void {
    if (this.#state !== "opening") return;
    this.#state = "open";
    this.#text = event;
    const chunks = this.#chunks();
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { value, done } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      },
      { highWaterMark: 0 },
    );
    this.#resolve(new Response(body, { headers: HEADERS }));
  }

  /**
   * Adds an event.
   * @returns false if the reader was too far behind. It gets no further events.
   */
  write(event: string): boolean {
    if (this.#state !== "open") return true;
    // One large message is no sign of a slow reader.
    if (this.#text.length > MAX_BEHIND) this.#state = "slow";
    else this.#text += event;
    this.#wake();
    return this.#state === "open";
  }

  /** Leaves the subscription to a stream of its own if it has not begun. */
  decline(): void {
    this.#resolve(undefined);
  }

  /** Ends the stream after the events that were added. @param error what the response rejects with if it has not begun. */
  end(error: unknown): void {
    this.#reject(error);
    this.#state = "ended";
    this.#wake();
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#text) {
        const text = this.#text;
        this.#text = "";
        yield toBytes(text);
      } else if (this.#state !== "open") break;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    if (this.#state !== "slow") return;
    // Its confirmation is the second one of the subscription, which shows that messages were missed.
    const { body, headers } = await this.#reopen();
    if (!headers.get("content-type")?.startsWith("text/event-stream")) return;
    const reader = body!.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  }
}
