import { lineOf } from "../../resp/replies.js";
import { redirectionOf } from "../cluster/redirection.js";
import { slotOf } from "../cluster/slot.js";
import { UpstreamFailure } from "../failure.js";
import type { PushConnectionOptions } from "../push-connection.js";
import type { Cancel, Sharding } from "../upstream.js";
import { keyOf, type Sort, SubscriptionConnection } from "./subscription-connection.js";

const INITIAL_BACKOFF = 50;
const MAX_BACKOFF = 2_000;
/** How long a sharded channel waits that no node serves at present, in ms, unless slots move before. */
const PLACE_AGAIN = 100;
/** How often in a row a sharded channel follows a redirection at once. */
const MAX_REDIRECTIONS = 3;
/** The connections that are to no particular node of a cluster. */
const ANY_NODE = "";
const ANY_NODE_SHARDED = "sharded";

/** A channel, or a pattern. */
export interface TopicName {
  readonly sort: Sort;
  readonly name: Buffer;
}

/** A listener to channels or patterns. */
export interface Listener {
  /** Called when all requested channels and patterns are subscribed to. Messages follow. */
  onReady(): void;
  /** A message as {@link SubscriptionsOptions.encode} made it; the bytes are shared by all that listen to it. */
  onMessage(encoded: Buffer): void;
  /** Messages may have been missed up to here. */
  onGap(): void;
  /** Called with Redis's error text when it refused to subscribe. No further call follows. */
  onRefusal(error: string): void;
  /** There is no subscription, or it has ended. Nothing is called any more. */
  onFailure(failure: UpstreamFailure): void;
}

/** A listener whose channels can change. */
export interface ChangingListener extends Listener {
  /**
   * A change has taken effect for one channel or pattern.
   * @param kind such as `subscribe` or `punsubscribe`
   * @param count how many channels and patterns the listener has now
   */
  onChanged(kind: string, name: Buffer, count: number): void;
}

/** The channels and patterns of a listener. */
export interface Subscription {
  /** Number of channels and patterns. */
  readonly size: number;
  /** Returns the number of channels and patterns after a change. */
  sizeAfter(add: readonly TopicName[], remove: readonly TopicName[]): number;
  /**
   * Unsubscribes from channels, then subscribes to others. Changes without effect are confirmed as well.
   * @param done called once: with null when Redis has confirmed all, else with Redis's error text or the failure for
   * those that it has not, which are given up again
   */
  change(
    add: readonly TopicName[],
    remove: readonly TopicName[],
    done: (problem: string | UpstreamFailure | null) => void,
  ): void;
  cancel(): void;
}

export interface SubscriptionsOptions extends PushConnectionOptions {
  /** Makes what listeners get of a message: `message`, channel, payload or `pmessage`, pattern, channel, payload. */
  readonly encode: (push: readonly Buffer[]) => Buffer;
  /** Where sharded channels are; null where one server has all. It may turn out later that there are several. */
  readonly sharding: () => Sharding | null;
}

/** A channel or pattern with at least one listener. */
interface Topic extends TopicName {
  readonly members: Set<Member>;
  /** The slot of a sharded channel. */
  readonly slot: number;
  /** The connection that it is subscribed to on. */
  place: Place | null;
  /** Whether Redis has confirmed it on the connection of now. */
  up: boolean;
  /** Redirections since it was last confirmed. */
  redirections: number;
}

interface Member {
  readonly listener: Listener;
  readonly topics: Set<Topic>;
  /** Topics that are to be confirmed before it starts, or after a connection was lost. */
  readonly awaited: Set<Topic>;
  /** Topics that were added later and are not confirmed, and what waits for that. */
  readonly added: Map<Topic, Change[]>;
  started: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A change of a member's topics that is not confirmed yet. */
interface Change {
  readonly topics: Set<Topic>;
  readonly timer: NodeJS.Timeout;
  readonly done: (problem: string | UpstreamFailure | null) => void;
  problem: string | UpstreamFailure | null;
}

/** A connection for subscriptions that is made again when it is lost. */
interface Place {
  readonly name: string;
  readonly connection: SubscriptionConnection<Topic>;
  lastError: string;
  attempts: number;
  retry: NodeJS.Timeout | undefined;
}

/**
 * All subscriptions as one user of Redis: a channel or pattern is subscribed to once, however many listen, and given up
 * with its last listener. All share one connection, but for sharded channels, which have another one; on a cluster one to
 * each node that serves some of them, which they follow when their slots move. A connection that was lost is made again
 * and everything subscribed to anew.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #topics = new Map<string, Topic>();
  readonly #members = new Set<Member>();
  readonly #places = new Map<string, Place>();
  #placing: NodeJS.Timeout | undefined;
  #stopWatching: Cancel | null = null;
  #sharded = 0;
  #closed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Connections open now. */
  get connections(): number {
    let open = 0;
    for (const { connection } of this.#places.values()) if (connection.isUp) open++;
    return open;
  }

  /** Whether it has neither listeners nor a connection. */
  get isUnused(): boolean {
    if (this.#members.size > 0) return false;
    for (const { connection } of this.#places.values()) if (!connection.isUnused) return false;
    return true;
  }

  /** Listens to every name, each a name of its own. The listener is never called before this returns. */
  add(names: readonly TopicName[], listener: ChangingListener): Subscription {
    const member: Member = {
      listener,
      topics: new Set(),
      awaited: new Set(),
      added: new Map(),
      started: false,
      timer: undefined,
    };
    this.#members.add(member);
    for (const name of names) {
      const topic = this.#join(member, name);
      if (!topic.up) member.awaited.add(topic);
    }
    if (this.#closed) setImmediate(() => this.#fail(member, closing()));
    else {
      member.timer = setTimeout(
        () => this.#fail(member, this.#timeoutFailure(member.awaited)),
        this.#options.timeout,
      );
      if (member.awaited.size === 0) setImmediate(() => this.#settled(member));
    }
    return {
      get size() {
        return member.topics.size;
      },
      sizeAfter: (add, remove) => {
        const keys = new Set([...member.topics].map(({ sort, name }) => keyOf(sort, name)));
        for (const { sort, name } of remove) keys.delete(keyOf(sort, name));
        for (const { sort, name } of add) keys.add(keyOf(sort, name));
        return keys.size;
      },
      change: (add, remove, done) => this.#change(member, listener, add, remove, done),
      cancel: () => this.#remove(member),
    };
  }

  /** Ends every subscription. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#placing);
    for (const { connection, retry } of this.#places.values()) {
      clearTimeout(retry);
      connection.close();
    }
    for (const member of [...this.#members]) this.#fail(member, closing());
  }

  #change(
    member: Member,
    listener: ChangingListener,
    add: readonly TopicName[],
    remove: readonly TopicName[],
    done: Change["done"],
  ): void {
    if (!this.#members.has(member)) {
      done(ended());
      return;
    }
    for (const { sort, name } of remove) {
      const topic = this.#topics.get(keyOf(sort, name));
      if (topic && member.topics.has(topic)) this.#leave(member, topic);
      listener.onChanged(sort.replace("sub", "unsub"), name, member.topics.size);
    }
    const change: Change = {
      topics: new Set(),
      timer: setTimeout(() => {
        const problem = this.#timeoutFailure(change.topics);
        for (const topic of [...change.topics]) {
          for (const each of member.added.get(topic) ?? []) each.problem ??= problem;
          this.#leave(member, topic);
        }
      }, this.#options.timeout),
      done,
      problem: null,
    };
    for (const name of add) {
      const known = this.#topics.get(keyOf(name.sort, name.name));
      const isThere = known !== undefined && member.topics.has(known);
      const topic = isThere ? known : this.#join(member, name);
      if (topic.up || (isThere && !member.added.has(topic))) {
        listener.onChanged(topic.sort, topic.name, member.topics.size);
        continue;
      }
      change.topics.add(topic);
      const waiting = member.added.get(topic);
      if (waiting) waiting.push(change);
      else member.added.set(topic, [change]);
    }
    if (change.topics.size === 0) this.#end(change);
  }

  /** A topic of a change is confirmed, or given up. */
  #resolve(change: Change, topic: Topic): void {
    if (change.topics.delete(topic) && change.topics.size === 0) this.#end(change);
  }

  #end({ timer, done, problem }: Change): void {
    clearTimeout(timer);
    done(problem);
  }

  #join(member: Member, { sort, name }: TopicName): Topic {
    const key = keyOf(sort, name);
    let topic = this.#topics.get(key);
    if (!topic) {
      const isSharded = sort === "ssubscribe";
      topic = {
        sort,
        name,
        members: new Set(),
        slot: isSharded ? slotOf(name, 0, name.length) : -1,
        place: null,
        up: false,
        redirections: 0,
      };
      this.#topics.set(key, topic);
      if (isSharded) this.#sharded++;
      if (!this.#closed) this.#put(topic);
    }
    topic.members.add(member);
    member.topics.add(topic);
    return topic;
  }

  #leave(member: Member, topic: Topic): void {
    topic.members.delete(member);
    member.topics.delete(topic);
    const wasAwaited = member.awaited.delete(topic);
    const changes = member.added.get(topic) ?? [];
    member.added.delete(topic);
    if (topic.members.size === 0) this.#drop(topic);
    for (const change of changes) this.#resolve(change, topic);
    if (wasAwaited && member.awaited.size === 0) this.#settled(member);
  }

  #drop(topic: Topic): void {
    this.#topics.delete(keyOf(topic.sort, topic.name));
    topic.place?.connection.remove(topic);
    if (topic.sort !== "ssubscribe" || --this.#sharded > 0) return;
    this.#stopWatching?.();
    this.#stopWatching = null;
  }

  /** Subscribes to a topic on the connection where it belongs now. */
  #put(topic: Topic): void {
    const name = this.#placeOf(topic);
    if (name === topic.place?.name) return;
    if (topic.place) {
      topic.place.connection.remove(topic);
      topic.place = null;
      this.#lost(topic);
    }
    if (name === undefined) {
      this.#putLater();
      return;
    }
    const place = this.#place(name);
    topic.place = place;
    place.connection.add(topic);
    if (!place.retry) place.connection.open();
  }

  /** Finds the connection of each sharded channel anew. */
  #putSharded = (): void => {
    clearTimeout(this.#placing);
    this.#placing = undefined;
    for (const topic of [...this.#topics.values()]) if (topic.sort === "ssubscribe") this.#put(topic);
  };

  #putLater(): void {
    this.#placing ??= setTimeout(this.#putSharded, PLACE_AGAIN).unref();
  }

  #placeOf({ sort, slot }: Topic): string | undefined {
    if (sort !== "ssubscribe") return ANY_NODE;
    const sharding = this.#options.sharding();
    if (!sharding) return ANY_NODE_SHARDED;
    this.#stopWatching ??= sharding.onChange(this.#putSharded);
    return sharding.nodeOf(slot);
  }

  #place(name: string): Place {
    const known = this.#places.get(name);
    if (known) return known;
    // Nodes come and go.
    for (const [other, { connection, retry }] of this.#places)
      if (connection.isUnused && !retry) this.#places.delete(other);
    const isNode = name !== ANY_NODE && name !== ANY_NODE_SHARDED;
    const options = isNode ? this.#options.sharding()!.pushOptions(name) : this.#options;
    const place: Place = {
      name,
      connection: new SubscriptionConnection<Topic>(options, {
        onSubscribed: (topic) => this.#confirmed(topic),
        onError: (topic, reply) => this.#onError(place, topic, reply),
        onEnded: (topic) => this.#onEnded(place, topic),
        onMessage: (topic, push) => this.#deliver(topic, push),
        onTooLarge: (topics) => this.#onTooLarge(topics),
        onDown: (reason, wasUp) => this.#onDown(place, reason, wasUp),
      }),
      lastError: "no connection to Redis yet",
      attempts: 0,
      retry: undefined,
    };
    this.#places.set(name, place);
    return place;
  }

  #onDown(place: Place, reason: string, wasUp: boolean): void {
    place.lastError = reason;
    // The backoff starts anew after a connection lost in use. It grows while opening fails.
    if (wasUp) place.attempts = 0;
    const topics = [...place.connection.topics];
    if (topics.length === 0) return;
    for (const topic of topics) this.#lost(topic);
    this.#options.sharding()?.suspect(place.name);
    const longest = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** place.attempts++);
    place.retry = setTimeout(() => {
      place.retry = undefined;
      for (const topic of [...place.connection.topics]) this.#put(topic);
      if (!place.connection.isUnused) place.connection.open();
    }, longest * Math.random());
  }

  #lost(topic: Topic): void {
    topic.up = false;
    for (const member of topic.members) if (!member.added.has(topic)) member.awaited.add(topic);
  }

  #onTooLarge(topics: Iterable<Topic>): void {
    // The recipients of the message are not known any more.
    const members = new Set([...topics].flatMap(({ members }) => [...members]));
    for (const member of members) if (member.started) member.listener.onGap();
  }

  #deliver(topic: Topic, push: readonly Buffer[]): void {
    // Before the confirmation it is a message of an earlier subscription that is just being given up.
    if (!topic.up) return;
    let encoded: Buffer | undefined;
    for (const member of topic.members) {
      if (!member.started) continue;
      encoded ??= this.#options.encode(push);
      member.listener.onMessage(encoded);
    }
  }

  #confirmed(topic: Topic): void {
    topic.up = true;
    topic.redirections = 0;
    for (const member of [...topic.members]) {
      const changes = member.added.get(topic);
      if (changes) {
        member.added.delete(topic);
        (member.listener as ChangingListener).onChanged(topic.sort, topic.name, member.topics.size);
        for (const change of changes) this.#resolve(change, topic);
      } else {
        member.awaited.delete(topic);
        if (member.awaited.size === 0) this.#settled(member);
      }
    }
  }

  #settled(member: Member): void {
    // The connection may have been lost, or the listener have gone, since this was due.
    if (member.awaited.size > 0 || !this.#members.has(member)) return;
    if (member.started) {
      member.listener.onGap();
      return;
    }
    clearTimeout(member.timer);
    member.started = true;
    member.listener.onReady();
  }

  /** Redis refused a subscription: because another node serves the channel's slot, or for good. */
  #onError(place: Place, topic: Topic, reply: Buffer): void {
    const redirection = topic.sort === "ssubscribe" ? redirectionOf(reply) : null;
    if (!redirection) {
      this.#refused(topic, lineOf(reply));
      return;
    }
    place.connection.forget(topic);
    topic.place = null;
    if (redirection.kind === "moved") this.#options.sharding()?.moved(redirection, place.name);
    if (redirection.kind === "moved" && ++topic.redirections <= MAX_REDIRECTIONS) this.#put(topic);
    else this.#putLater();
  }

  /** Redis ended a subscription by itself: the channel's slot has moved. */
  #onEnded(place: Place, topic: Topic): void {
    place.connection.forget(topic);
    topic.place = null;
    this.#lost(topic);
    this.#options.sharding()?.suspect(place.name);
    this.#put(topic);
  }

  #refused(topic: Topic, error: string): void {
    for (const member of [...topic.members]) {
      const changes = member.added.get(topic);
      if (changes) {
        for (const change of changes) change.problem = error;
        this.#leave(member, topic);
      } else {
        this.#remove(member);
        member.listener.onRefusal(error);
      }
    }
  }

  #fail(member: Member, failure: UpstreamFailure): void {
    if (!this.#members.has(member)) return;
    this.#remove(member);
    member.listener.onFailure(failure);
  }

  #remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    clearTimeout(member.timer);
    for (const changes of member.added.values()) for (const change of changes) change.problem ??= ended();
    for (const topic of [...member.topics]) this.#leave(member, topic);
  }

  /** Why topics are not confirmed in time. */
  #timeoutFailure(topics: ReadonlySet<Topic>): UpstreamFailure {
    const [topic] = topics;
    const place = topic?.place;
    const text = !place
      ? "no node of the cluster is known to serve the channel"
      : place.connection.isUp
        ? "Redis did not confirm the subscription in time"
        : `Redis could not be reached: ${place.lastError}`;
    return new UpstreamFailure("unreachable", text);
  }
}

function closing(): UpstreamFailure {
  return new UpstreamFailure("closing", "the gateway is closing");
}

function ended(): UpstreamFailure {
  return new UpstreamFailure("closing", "the event stream has ended");
}
