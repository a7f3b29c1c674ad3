import { joinArgs } from "../../resp/args.js";
import { bulkOf, contentsOf, isError } from "../../resp/replies.js";
import { PLUS } from "../../util/bytes.js";
import { Fifo } from "../../util/fifo.js";
import { currentTurn } from "../../util/turn.js";
import { authErrorOf, type Login } from "../credentials/login.js";
import { HELLO_3, RedisSocket, type RedisSocketOptions } from "../redis-socket.js";
import { keyOf, type Sort, type TopicName } from "./topic.js";

/** Time in ms after which messages that are read in one iteration of the event loop let other work proceed. */
const MAX_READ_TIME = 4;
/** Time in ms for which the connection is kept after the last subscription. */
const UNUSED_TIMEOUT = 30_000;
const INITIAL_BACKOFF = 50;
const MAX_BACKOFF = 2_000;

/** The sort of topic that a message belongs to, by the message's kind. */
const SORT_OF: Readonly<Record<string, Sort>> = {
  message: "subscribe",
  pmessage: "psubscribe",
  smessage: "ssubscribe",
};

export interface MessageHandler<T extends TopicName> {
  /** Redis confirmed the subscription. */
  onSubscribed(topic: T): void;
  onMessage(topic: T, push: readonly Buffer[]): void;
  /** A message was too large to be passed on. Its channel is one of these. */
  onTooLarge(topics: Iterable<T>): void;
}

/** Callbacks of a {@link SubscriptionConnection}. */
export interface SubscriptionOwner<T extends TopicName> extends MessageHandler<T> {
  /** Redis refused the subscription with this error reply. */
  onError(topic: T, reply: Buffer): void;
  /** Redis ended the subscription by itself: the channel's slot has moved. */
  onEnded(topic: T): void;
  /** The connection was lost or could not be opened, while there were topics. `wasUp`: it had been in use. */
  onDown(reason: string, wasUp: boolean): void;
  /** The connection is about to be opened again. Topics may be removed before. */
  onRetry(): void;
}

/** A command without a reply yet: SUBSCRIBE or UNSUBSCRIBE, each of one topic so that an error concerns that topic, or AUTH. */
type Due<T> = { readonly topic: T; readonly subscribes: boolean } | { readonly login: Login };

/** Subscriptions on one connection to Redis, which is opened again when it is lost. */
export class SubscriptionConnection<T extends TopicName> {
  readonly #options: RedisSocketOptions;
  readonly #topics = new Map<string, T>();
  #due = new Fifo<Due<T>>();
  #connection: RedisSocket | null = null;
  #attempts = 0;
  #retry: NodeJS.Timeout | undefined;
  lastError = "no connection to Redis yet";
  #unused: NodeJS.Timeout | undefined;
  #stopResting: (() => void) | undefined;
  /** The iteration of the event loop in which messages were read last, and when that began. */
  #turn = -1;
  #readSince = 0;

  constructor(
    /** Identifies the connection to its owner. */
    readonly name: string,
    options: RedisSocketOptions,
    private readonly owner: SubscriptionOwner<T>,
  ) {
    const { credentials, handshake } = options;
    // In RESP2 a connection with subscriptions can't be signed in again.
    this.#options = credentials ? { ...options, resp3: true, handshake: [...handshake, HELLO_3] } : options;
  }

  /** Whether it has neither topics nor a connection. */
  get isUnused(): boolean {
    return this.#topics.size === 0 && this.#connection === null;
  }

  get isUp(): boolean {
    return this.#connection?.upSince != null;
  }

  get topics(): T[] {
    return [...this.#topics.values()];
  }

  /** Subscribes to a topic, once the connection is up. {@link open} makes sure that there is one. */
  add(topic: T): void {
    clearTimeout(this.#unused);
    this.#topics.set(keyOf(topic.sort, topic.name), topic);
    if (this.isUp) this.#send(topic, true);
  }

  remove(topic: T): void {
    if (!this.#isHeld(topic)) return;
    if (this.isUp) this.#send(topic, false);
    this.forget(topic);
  }

  /** Removes a topic whose subscription Redis has ended. */
  forget(topic: T): void {
    this.#topics.delete(keyOf(topic.sort, topic.name));
    this.#rest();
  }

  /** Connects, unless it has, does, or is about to. */
  open(): void {
    if (this.#connection || this.#retry) return;
    const connection = new RedisSocket(this.#options, {
      onUp: () => {
        for (const topic of this.#topics.values()) this.#send(topic, true);
        this.#rest();
      },
      onLogin: (login) => {
        if (!connection.isResp3) return;
        this.#due.push({ login });
        connection.send(login.auth);
      },
      onReply: (reply) => this.#onReply(reply),
      onDown: (reason) => {
        const wasUp = this.isUp;
        this.#reset();
        this.#retryLater(reason, wasUp);
      },
    });
    this.#connection = connection;
    this.#stopResting ??= this.#options.activity?.add({
      rest: () => {
        if (this.#topics.size === 0) this.close();
      },
    });
    connection.open();
  }

  close(): void {
    clearTimeout(this.#unused);
    clearTimeout(this.#retry);
    this.#connection?.close();
    this.#reset();
  }

  #reset(): void {
    this.#stopResting?.();
    this.#stopResting = undefined;
    this.#connection = null;
    this.#due = new Fifo();
  }

  #retryLater(reason: string, wasUp: boolean): void {
    this.lastError = reason;
    // The backoff starts anew after a connection lost in use. It grows while opening fails.
    if (wasUp) this.#attempts = 0;
    if (this.#topics.size === 0) return;
    this.owner.onDown(reason, wasUp);
    const longest = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** this.#attempts++);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.owner.onRetry();
      if (this.#topics.size > 0) this.open();
    }, longest * Math.random());
  }

  #onReply(reply: Buffer | null): void {
    if (!reply) {
      this.owner.onTooLarge(this.#topics.values());
      return;
    }
    if (isError(reply)) {
      const due = this.#due.shift();
      if (!due) return;
      if ("login" in due) this.#options.credentials?.refused(due.login, authErrorOf(reply));
      else if (due.subscribes && this.#isHeld(due.topic)) this.owner.onError(due.topic, reply);
      return;
    }
    if (reply[0] === PLUS) {
      this.#due.shift();
      return;
    }
    const push = contentsOf(reply);
    const kind = push[0]?.toString("latin1") ?? "";
    const sort = SORT_OF[kind];
    if (sort !== undefined) {
      const topic = this.#topics.get(keyOf(sort, push[1]!));
      if (topic) this.owner.onMessage(topic, push);
      this.#yield();
    } else if (kind === "sunsubscribe") this.#onShardUnsubscribed(push[1]!);
    else {
      const due = this.#due.shift();
      if (due && "topic" in due && due.subscribes && this.#isHeld(due.topic))
        this.owner.onSubscribed(due.topic);
    }
  }

  /** Reads on in the next iteration of the event loop if this one has taken long. */
  #yield(): void {
    const connection = this.#connection;
    const now = performance.now();
    if (this.#turn !== currentTurn()) {
      this.#turn = currentTurn();
      this.#readSince = now;
    } else if (connection && !connection.paused && now - this.#readSince > MAX_READ_TIME) {
      connection.pause();
      setImmediate(() => connection.resume());
    }
  }

  /** Called when Redis confirms that a sharded channel was unsubscribed, or ends the subscription since the slot has moved. */
  #onShardUnsubscribed(name: Buffer): void {
    const due = this.#due.peek();
    const isOwn = due && "topic" in due && !due.subscribes && due.topic.sort === "ssubscribe";
    if (isOwn && due.topic.name.equals(name)) {
      this.#due.shift();
      return;
    }
    const topic = this.#topics.get(keyOf("ssubscribe", name));
    if (topic) this.owner.onEnded(topic);
  }

  #isHeld(topic: T): boolean {
    return this.#topics.get(keyOf(topic.sort, topic.name)) === topic;
  }

  /** Keeps an unused connection for a while, since the next subscription often comes soon. */
  #rest(): void {
    clearTimeout(this.#unused);
    if (this.#topics.size > 0 || !this.isUp) return;
    this.#unused = setTimeout(() => this.close(), UNUSED_TIMEOUT).unref();
  }

  #send(topic: T, subscribes: boolean): void {
    const { sort } = topic;
    const name = subscribes ? sort : sort.replace("sub", "unsub");
    this.#due.push({ topic, subscribes });
    const args = [Buffer.from(name.toUpperCase()), topic.name];
    this.#connection!.send(joinArgs(args.length, args.map(bulkOf)));
  }
}
