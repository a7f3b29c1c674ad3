import { randomBytes } from "node:crypto";
import { type Subscription, Subscriptions } from "../redis/pubsub/subscriptions.js";
import type { Upstream } from "../redis/upstream.js";
import { command } from "../resp/command.js";

/**
 * The channel on which gateways that share a Redis learn of each other. No token may publish on it. A script may, but a forged
 * message can only end an offer of numbers, not begin one, since gateways answer every hello.
 */
export const GATEWAYS_CHANNEL = "warmline:gateways";
/** Time in ms within which others answer a hello. */
const ANSWER_TIME = 3_000;
/** A process that did nothing for this time, in ms, may have left a hello unanswered. Others wait longer for an answer. */
const STALL = 1_500;
/** Interval in ms of hellos while requests flow or others are there, and of attempts to subscribe. */
const HELLO_INTERVAL = 10_000;
const TICK = 250;
/** Says whether the server is a replica: what is published there reaches nobody at its primary. */
const ROLE = command("INFO", "replication");
const IS_REPLICA = /^role:slave/m;

/**
 * Finds out whether other gateways use the same Redis. Each says hello when it starts and from time to time, and others answer at
 * once. Without an answer a gateway is alone, until it hears from another one or can't hear any more. Then its numbers so far are
 * no longer run, since another one may have taken it for ended. At a replica it is never alone: the others may be at the primary,
 * after a failover that this gateway has not noticed yet.
 */
export class Presence {
  /** Since when no other process can have run a numbered request, in s by the monotonic clock; null if that is not known. */
  aloneSince: number | null = null;
  /** Called when this gateway may have been taken for ended. */
  onMissed: () => void = () => {};
  readonly #id = randomBytes(9).toString("hex");
  readonly #subscriptions: Subscriptions;
  #subscription: Subscription | null = null;
  #isUsed = false;
  #helloAt = Number.NEGATIVE_INFINITY;
  /** Whether another gateway was heard since the last hello. */
  #hasHeard = false;
  #answers: NodeJS.Timeout | undefined;
  #tickedAt = performance.now();
  readonly #timer: NodeJS.Timeout;

  /** @param isResting whether it begins with {@link wake} */
  constructor(
    private readonly upstream: Upstream,
    private isResting = false,
  ) {
    this.#subscriptions = new Subscriptions({
      ...upstream.connectionOptions,
      encode: ([, , payload]) => [payload!],
      sharding: () => upstream.sharding,
      onLost: () => this.#missed(),
    });
    this.#timer = setInterval(() => this.#tick(), TICK).unref();
  }

  /** Returns whether there are no others, so that clients may number their requests. Called while requests flow. */
  use(): boolean {
    this.#isUsed = true;
    return this.aloneSince !== null;
  }

  /** Called before a request is run: this process may have been stopped for long. */
  check(): void {
    if (performance.now() - this.#tickedAt > STALL) this.#missed();
    this.#tickedAt = performance.now();
  }

  /** Neither speaks nor listens until {@link wake}. Others may take it for ended, so its numbers end as well. */
  rest(): void {
    this.isResting = true;
    this.#subscription?.cancel();
    this.#subscription = null;
    this.#missed();
  }

  wake(): void {
    this.isResting = false;
    this.#helloAt = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#answers);
    if (this.#subscription) this.#publish("bye");
    this.#subscriptions.close();
  }

  #tick(): void {
    this.check();
    if (this.isResting || performance.now() - this.#helloAt < HELLO_INTERVAL) return;
    if (!this.#subscription) this.#subscribe();
    else if (this.#isUsed || this.aloneSince === null) this.#hello();
  }

  #subscribe(): void {
    this.#helloAt = performance.now();
    this.#subscription = this.#subscriptions.add(
      [{ sort: "subscribe", name: Buffer.from(GATEWAYS_CHANNEL) }],
      {
        onReady: () => this.#hello(),
        onGap: () => this.#hello(),
        onMessage: (message) => this.#onMessage(String((message as readonly Buffer[])[0])),
        onChanged() {},
        onEnd: () => {
          this.#subscription = null;
          this.#missed();
        },
      },
    );
  }

  #hello(): void {
    this.#helloAt = performance.now();
    this.#isUsed = false;
    this.#hasHeard = false;
    clearTimeout(this.#answers);
    // Without its own hello it can't hear others either.
    this.#answers = setTimeout(() => this.#missed(), ANSWER_TIME).unref();
    this.upstream.send([ROLE], {
      cancelled: false,
      onReply: (reply) => {
        if (IS_REPLICA.test(reply.toString("latin1"))) this.#missed();
        else this.#publish("hello");
      },
      onFailure() {},
    });
  }

  #onMessage(message: string): void {
    const [kind, id] = message.split(" ");
    if (id !== this.#id) {
      this.#hasHeard = kind !== "bye";
      this.aloneSince = null;
      if (kind === "hello") this.#publish("here");
      else if (kind === "bye") this.#hello();
    } else if (kind === "hello") {
      const now = performance.now() / 1_000;
      clearTimeout(this.#answers);
      this.#answers = setTimeout(() => {
        if (!this.#hasHeard) this.aloneSince ??= now;
      }, ANSWER_TIME).unref();
    }
  }

  #missed(): void {
    clearTimeout(this.#answers);
    this.aloneSince = null;
    this.onMissed();
  }

  #publish(kind: string): void {
    const ignored = { cancelled: false, onReply() {}, onFailure() {} };
    this.upstream.send([command("PUBLISH", GATEWAYS_CHANNEL, `${kind} ${this.#id}`)], ignored);
  }
}
