import { lineOf } from "../../resp/replies.js";
import { redirectionOf } from "../cluster/redirection.js";
import type { Sharding } from "../cluster/sharding.js";
import type { Cancel, ConnectionOptions } from "../upstream.js";
import { type MessageHandler, SubscriptionConnection } from "./subscription-connection.js";
import type { TopicName } from "./topic.js";

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

export interface TopicConnectionsOptions extends ConnectionOptions {
  /** Returns the nodes of sharded channels; null if one server has all. A server can be found to be a cluster later. */
  readonly sharding: () => Sharding | null;
  /** Called when a connection with subscriptions was lost while it was in use. */
  readonly onLost?: (reason: string) => void;
}

export interface TopicConnectionsHandler<T extends ConnectedTopic> extends MessageHandler<T> {
  /** Redis refused the subscription with this error, for good. */
  onRefused(topic: T, error: string): void;
  /** The subscription was lost. It is made again. */
  onLost(topic: T): void;
}

/**
 * The connections on which topics are subscribed to: one for channels and patterns, another one for sharded channels, or on
 * a cluster one to each node that serves some of them. Sharded channels follow their slots. A connection that was lost is
 * opened again, and its topics are subscribed to anew.
 */
export class TopicConnections<T extends ConnectedTopic> {
  readonly #connections = new Map<string, SubscriptionConnection<T>>();
  readonly #sharded = new Set<T>();
  #search: NodeJS.Timeout | undefined;
  #stopWatching: Cancel | null = null;

  constructor(
    private readonly options: TopicConnectionsOptions,
    private readonly handler: TopicConnectionsHandler<T>,
  ) {}

  get open(): number {
    let open = 0;
    for (const { isUp } of this.#connections.values()) if (isUp) open++;
    return open;
  }

  /** Whether it has neither topics nor a connection. */
  get isUnused(): boolean {
    return [...this.#connections.values()].every((connection) => connection.isUnused);
  }

  add(topic: T): void {
    if (topic.sort === "ssubscribe") this.#sharded.add(topic);
    this.#assign(topic);
  }

  remove(topic: T): void {
    this.#connectionOf(topic)?.remove(topic);
    if (!this.#sharded.delete(topic) || this.#sharded.size > 0) return;
    this.#stopWatching?.();
    this.#stopWatching = null;
  }

  /** Returns the reason why a topic is not confirmed. */
  problemOf(topic: T | undefined): string {
    const connection = topic && this.#connectionOf(topic);
    if (!connection) return "no node of the cluster is known to serve the channel";
    if (connection.isUp) return "Redis did not confirm the subscription in time";
    return `Redis could not be reached: ${connection.lastError}`;
  }

  close(): void {
    clearTimeout(this.#search);
    for (const connection of this.#connections.values()) connection.close();
  }

  #connectionOf({ connection }: T): SubscriptionConnection<T> | undefined {
    return connection === null ? undefined : this.#connections.get(connection);
  }

  /** Subscribes to a topic on the connection where it belongs now. */
  #assign(topic: T): void {
    const name = this.#nameFor(topic);
    if (name === topic.connection) return;
    if (topic.connection !== null) {
      this.#connectionOf(topic)?.remove(topic);
      topic.connection = null;
      this.handler.onLost(topic);
    }
    if (name === undefined) {
      this.#searchLater();
      return;
    }
    const connection = this.#connectionTo(name);
    topic.connection = name;
    connection.add(topic);
    connection.open();
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

  #connectionTo(name: string): SubscriptionConnection<T> {
    const known = this.#connections.get(name);
    if (known) return known;
    // Nodes come and go.
    for (const [other, { isUnused }] of this.#connections) if (isUnused) this.#connections.delete(other);
    const isNode = name !== ANY_NODE && name !== ANY_NODE_SHARDED;
    const options = isNode ? this.options.sharding()!.connectionOptions(name) : this.options;
    const connection = new SubscriptionConnection<T>(name, options, {
      ...this.handler,
      onSubscribed: (topic) => {
        topic.redirections = 0;
        this.handler.onSubscribed(topic);
      },
      onError: (topic, reply) => this.#onError(connection, topic, reply),
      onEnded: (topic) => this.#onEnded(connection, topic),
      onDown: (reason, wasUp) => this.#onDown(connection, reason, wasUp),
      onRetry: () => {
        for (const topic of connection.topics) this.#assign(topic);
      },
    });
    this.#connections.set(name, connection);
    return connection;
  }

  #onDown({ name, topics }: SubscriptionConnection<T>, reason: string, wasUp: boolean): void {
    if (wasUp) this.options.onLost?.(reason);
    for (const topic of topics) this.handler.onLost(topic);
    this.options.sharding()?.suspect(name);
  }

  /** Redis refused a subscription: because another node serves the channel's slot, or for good. */
  #onError(connection: SubscriptionConnection<T>, topic: T, reply: Buffer): void {
    const redirection = topic.sort === "ssubscribe" ? redirectionOf(reply, null) : null;
    if (!redirection) {
      this.handler.onRefused(topic, lineOf(reply));
      return;
    }
    connection.forget(topic);
    topic.connection = null;
    if (redirection.kind === "moved") this.options.sharding()?.moved(redirection, connection.name);
    if (redirection.kind === "moved" && ++topic.redirections <= MAX_REDIRECTIONS) this.#assign(topic);
    else this.#searchLater();
  }

  /** Redis ended a subscription by itself: the channel's slot has moved. */
  #onEnded(connection: SubscriptionConnection<T>, topic: T): void {
    connection.forget(topic);
    topic.connection = null;
    this.handler.onLost(topic);
    this.options.sharding()?.suspect(connection.name);
    this.#assign(topic);
  }
}
