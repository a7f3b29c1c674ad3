import { isUtf8 } from "node:buffer";
import type { Limits } from "../execution/limits.js";
import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";
import type { CommandSender } from "./command-sender.js";
import { EventStream, type EventStreamListener } from "./event-stream.js";
import type { ConnectorContext } from "./options.js";
import { array } from "./resp-reply.js";

interface Subscription {
  readonly method: SubscribeMethod;
  readonly name: Buffer;
  readonly stream: EventStream;
}

/** Callbacks of {@link Subscriptions}. */
export interface SubscriptionsListener {
  /** Takes a message or a confirmation. A promise holds back the stream until it resolves. */
  onPush(push: Buffer): Promise<void> | undefined;
  /** See {@link EventStreamListener.onLost}. */
  onLost(cause: Error): void;
}

/** The subscriptions of one Redis connection. They share one event stream where the endpoint allows that. */
export class Subscriptions implements EventStreamListener {
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #streams = new Set<EventStream>();

  constructor(
    private readonly context: ConnectorContext,
    private readonly sender: CommandSender,
    private readonly listener: SubscriptionsListener,
  ) {}

  get size(): number {
    return this.#subscriptions.size;
  }

  /** Subscribes, and confirms each name. Rejects with the first error. */
  async subscribe(method: SubscribeMethod, names: readonly Buffer[], limits: Limits): Promise<void> {
    const added: Buffer[] = [];
    for (const name of names) {
      if (this.#subscriptions.has(subscriptionKey(method, name))) this.#confirm(method, name);
      else if (!added.some((other) => other.equals(name))) added.push(name);
    }
    if (added.length === 0) return;
    for (const stream of this.#streams) {
      if (stream.changeable && added.every(isUtf8) && (await stream.add(method, added, limits))) return;
    }
    const stream = new EventStream(this.context, this.sender, this);
    this.#streams.add(stream);
    try {
      await stream.open(method, added, limits);
    } finally {
      this.#closeUnused();
    }
  }

  /** Unsubscribes, and confirms each name. @param names if empty, all names of the method. */
  async unsubscribe(method: SubscribeMethod, names: readonly Buffer[], limits: Limits): Promise<void> {
    const all = [...this.#subscriptions.values()].filter((subscription) => subscription.method === method);
    const removed = names.length > 0 ? names : all.map(({ name }) => name);
    const kind = method.replace("sub", "unsub");
    const changes = new Map<EventStream, Buffer[]>();
    for (const name of removed) {
      const stream = this.#subscriptions.get(subscriptionKey(method, name))?.stream;
      if (stream) changes.set(stream, [...(changes.get(stream) ?? []), name]);
      this.#subscriptions.delete(subscriptionKey(method, name));
      this.#confirm(method, name, kind);
    }
    if (removed.length === 0) this.#confirm(method, null, kind);
    this.#closeUnused();
    for (const [stream, names] of changes)
      if (this.#streams.has(stream)) await stream.remove(method, names, limits);
  }

  close(): void {
    this.#subscriptions.clear();
    this.#closeUnused();
  }

  onSubscribed(stream: EventStream, method: SubscribeMethod, name: Buffer): void {
    this.#subscriptions.set(subscriptionKey(method, name), { method, name, stream });
    this.#confirm(method, name);
  }

  onMessage(stream: EventStream, kind: string, parts: readonly Buffer[]): Promise<void> | undefined {
    const method = kind.replace("message", "subscribe") as SubscribeMethod;
    // After UNSUBSCRIBE, messages may still arrive.
    if (this.#subscriptions.get(subscriptionKey(method, parts[0]!))?.stream !== stream) return undefined;
    return this.listener.onPush(array([kind, ...parts]));
  }

  onLost(cause: Error): void {
    this.listener.onLost(cause);
  }

  /** Confirms a name, with a count as in Redis: sharded channels are counted apart from channels and patterns. */
  #confirm(method: SubscribeMethod, name: Buffer | null, kind: string = method): void {
    const isSharded = method === "ssubscribe";
    let count = 0;
    for (const other of this.#subscriptions.values())
      if ((other.method === "ssubscribe") === isSharded) count++;
    void this.listener.onPush(array([kind, name, count]));
  }

  #closeUnused(): void {
    const used = new Set([...this.#subscriptions.values()].map(({ stream }) => stream));
    for (const stream of this.#streams) {
      if (used.has(stream)) continue;
      this.#streams.delete(stream);
      stream.close();
    }
  }
}

const subscriptionKey = (method: SubscribeMethod, name: Buffer) => `${method} ${name.toString("latin1")}`;
