import type { Cancel } from "../upstream.js";
import { type DeliveryOptions, DeliveryQueue, type QueuedTopic, type Recipient } from "./delivery-queue.js";
import type { Listener } from "./listener.js";

interface Member extends Recipient {
  isGone: boolean;
}

/** Passes lines on to all of its listeners, in turns with other work: see {@link DeliveryQueue}. */
export class Broadcast {
  readonly #members = new Set<Member>();
  readonly #deliveries: DeliveryQueue;
  readonly #topic: QueuedTopic = { waitingBytes: 0, gapFor: null };
  /** The present members. Null if that has to be found out. */
  #audience: readonly Member[] | null = null;

  constructor(options: DeliveryOptions) {
    this.#deliveries = new DeliveryQueue(options);
  }

  get listeners(): Listener[] {
    return Array.from(this.#members, ({ listener }) => listener);
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Adds a listener until the returned function is called. */
  add(listener: Listener): Cancel {
    const member: Member = { listener, isGone: false };
    this.#members.add(member);
    this.#audience = null;
    return () => {
      member.isGone = true;
      this.#members.delete(member);
      this.#audience = null;
    };
  }

  line(line: Buffer): void {
    this.#audience ??= [...this.#members];
    this.#deliveries.message(this.#topic, this.#audience, [line], line.length);
  }

  /** A line could not be passed on. */
  gap(): void {
    for (const member of this.#members) this.#deliveries.tell(member, (listener) => listener.onGap());
  }

  /** Removes all listeners, and returns them. */
  clear(): Listener[] {
    const { listeners } = this;
    for (const member of this.#members) member.isGone = true;
    this.#members.clear();
    this.#audience = null;
    return listeners;
  }
}
