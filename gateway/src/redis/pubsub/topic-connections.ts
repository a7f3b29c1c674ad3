import { lineOf } from "../../resp/replies.js";
import { redirectionOf } from "../cluster/redirection.js";
import type { Sharding } from "../cluster/sharding.js";
import type { RedisSocketOptions } from "../redis-socket.js";
import type { Cancel } from "../upstream.js";
import { SubscriptionConnection } from "./subscription-connection.js";
import type { TopicName } from "./topic.js";

const INITIAL_BACKOFF = 50;
const MAX_BACKOFF = 2_000;
/** Interval in ms between searches for the node of a sharded channel that no node serves at present. */
const SEARCH_INTERVAL = 100;
/** Redirections in a row that a sharded channel follows without delay. */
const MAX_REDIRECTIONS = 3;
/** The names of the connections that are to no particular node of a cluster. */
const ANY_NODE = "";
const ANY_NODE_SHARDED = "sharded";

export interface ConnectedTopic extends TopicName {
  /** The slot of a sharded channel. */
  readonly slot: number;
  /** The name of the connection that it is subscribed to on, if there is one. */
  connection: string | null;
  /** Redirections since it was last confirmed. */
  redirections: number;
}

export interface TopicConnectionsOptions extends RedisSocketOptions {
  /** Returns the nodes of sharded channels; null if one server has all. A server can be found to be a cluster later. */
  readonly sharding: () => Sharding | null;
  /** Called when a connection with subscriptions was lost while it was in use. */
  readonly onLost?: (reason: string) => void;
}

export interface TopicConnectionsHandler<T extends ConnectedTopic> {
  /** Redis confirmed the subscription. */
  onSubscribed(topic: T): void;
  /** Redis refused the subscription with this error, for good. */
  onRefused(topic: T, error: string): void;
  /** The subscription was lost. It is made again. */
  onLost(topic: T): void;
  onMessage(topic: T, push: readonly Buffer[]): void;
  /** A message was too large to be passed on. Its channel is one of these. */
  onTooLarge(topics: Iterable<T>): void;
}

/** A connection for subscriptions that is opened again when it is lost. */
interface NamedConnection<T extends ConnectedTopic> {
  readonly name: string;
  readonly subscriptions: SubscriptionConnection<T>;
  lastError: string;
  attempts: number;
  retry: NodeJS.Timeout | undefined;
}

/**
 * The connections on which topics are subscribed to: one for channels and patterns, another one for sharded channels, or on
 * a cluster one to each node that serves some of them. Sharded channels follow their slots. A connection that was lost is
 * opened again, and its topics are subscribed to anew.
 */
export class TopicConnections<T extends ConnectedTopic> {
  readonly #connections = new Map<string, NamedConnection<T>>();
  readonly #sharded = new Set<T>();
  #search: NodeJS.Timeout | undefined;
  #stopWatching: Cancel | null = null;

  constructor(
    private readonly options: TopicConnectionsOptions,
    private readonly handler: TopicConnectionsHandler<T>,
  ) {}

  get open(): number {
    let open = 0;
    for (const { subscriptions } of this.#connections.values()) if (subscriptions.isUp) open++;
    return open;
  }

  /** Whether it has neither topics nor a connection. */
  get isUnused(): boolean {
    for (const { subscriptions } of this.#connections.values()) if (!subscriptions.isUnused) return false;
    return true;
  }

  add(topic: T): void {
    if (topic.sort === "ssubscribe") this.#sharded.add(topic);
    this.#assign(topic);
  }

  remove(topic: T): void {
    this.#connectionOf(topic)?.subscriptions.remove(topic);
    if (!this.#sharded.delete(topic) || this.#sharded.size > 0) return;
    this.#stopWatching?.();
    this.#stopWatching = null;
  }

  /** Returns the reason why a topic is not confirmed. */
  problemOf(topic: T | undefined): string {
    const connection = topic && this.#connectionOf(topic);
    if (!connection) return "no node of the cluster is known to serve the channel";
    if (connection.subscriptions.isUp) return "Redis did not confirm the subscription in time";
    return `Redis could not be reached: ${connection.lastError}`;
  }

  close(): void {
    clearTimeout(this.#search);
    for (const { subscriptions, retry } of this.#connections.values()) {
      clearTimeout(retry);
      subscriptions.close();
    }
  }

  #connectionOf({ connection }: T): NamedConnection<T> | undefined {
    return connection === null ? undefined : this.#connections.get(connection);
  }

  /** Subscribes to a topic on the connection where it belongs now. */
  #assign(topic: T): void {
    const name = this.#nameFor(topic);
    if (name === topic.connection) return;
    if (topic.connection !== null) {
      this.#connectionOf(topic)?.subscriptions.remove(topic);
      topic.connection = null;
      this.handler.onLost(topic);
    }
    if (name === undefined) {
      this.#searchLater();
      return;
    }
    const connection = this.#connectionTo(name);
    topic.connection = name;
    connection.subscriptions.add(topic);
    if (!connection.retry) connection.subscriptions.open();
  }

  /** Finds the connection of each sharded channel anew. */
  #assignSharded = (): void => {
    clearTimeout(this.#search);
    this.#search = undefined;
    for (const topic of [...this.#sharded]) this.#assign(topic);
  };

  #searchLater(): void {
    this.#search ??= setTimeout(this.#assignSharded, SEARCH_INTERVAL).unref();
  }

  #nameFor({ sort, slot }: T): string | undefined {
    if (sort !== "ssubscribe") return ANY_NODE;
    const sharding = this.options.sharding();
    if (!sharding) return ANY_NODE_SHARDED;
    this.#stopWatching ??= sharding.onChange(this.#assignSharded);
    return sharding.nodeOf(slot);
  }

  #connectionTo(name: string): NamedConnection<T> {
    const known = this.#connections.get(name);
    if (known) return known;
    // Nodes come and go.
    for (const [other, { subscriptions, retry }] of this.#connections)
      if (subscriptions.isUnused && !retry) this.#connections.delete(other);
    const isNode = name !== ANY_NODE && name !== ANY_NODE_SHARDED;
    const options = isNode ? this.options.sharding()!.pushOptions(name) : this.options;
    const connection: NamedConnection<T> = {
      name,
      subscriptions: new SubscriptionConnection<T>(options, {
        onSubscribed: (topic) => {
          topic.redirections = 0;
          this.handler.onSubscribed(topic);
        },
        onError: (topic, reply) => this.#onError(connection, topic, reply),
        onEnded: (topic) => this.#onEnded(connection, topic),
        onMessage: (topic, push) => this.handler.onMessage(topic, push),
        onTooLarge: (topics) => this.handler.onTooLarge(topics),
        onDown: (reason, wasUp) => this.#onDown(connection, reason, wasUp),
      }),
      lastError: "no connection to Redis yet",
      attempts: 0,
      retry: undefined,
    };
    this.#connections.set(name, connection);
    return connection;
  }

  #onDown(connection: NamedConnection<T>, reason: string, wasUp: boolean): void {
    connection.lastError = reason;
    // The backoff starts anew after a connection lost in use. It grows while opening fails.
    if (wasUp) connection.attempts = 0;
    const { subscriptions } = connection;
    const topics = [...subscriptions.topics];
    if (topics.length === 0) return;
    if (wasUp) this.options.onLost?.(reason);
    for (const topic of topics) this.handler.onLost(topic);
    this.options.sharding()?.suspect(connection.name);
    const longest = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** connection.attempts++);
    connection.retry = setTimeout(() => {
      connection.retry = undefined;
      for (const topic of [...subscriptions.topics]) this.#assign(topic);
      if (!subscriptions.isUnused) subscriptions.open();
    }, longest * Math.random());
  }

  /** Redis refused a subscription: because another node serves the channel's slot, or for good. */
  #onError(connection: NamedConnection<T>, topic: T, reply: Buffer): void {
    const redirection = topic.sort === "ssubscribe" ? redirectionOf(reply, null) : null;
    if (!redirection) {
      this.handler.onRefused(topic, lineOf(reply));
      return;
    }
    connection.subscriptions.forget(topic);
    topic.connection = null;
    if (redirection.kind === "moved") this.options.sharding()?.moved(redirection, connection.name);
    if (redirection.kind === "moved" && ++topic.redirections <= MAX_REDIRECTIONS) this.#assign(topic);
    else this.#searchLater();
  }

  /** Redis ended a subscription by itself: the channel's slot has moved. */
  #onEnded(connection: NamedConnection<T>, topic: T): void {
    connection.subscriptions.forget(topic);
    topic.connection = null;
    this.handler.onLost(topic);
    this.options.sharding()?.suspect(connection.name);
    this.#assign(topic);
  }
}
