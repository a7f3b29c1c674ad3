import { matchesGlob } from "../../util/glob.js";
import { slotOf } from "../cluster/slot.js";
import { CLOSING, UpstreamFailure } from "../failure.js";
import { type DeliveryOptions, DeliveryQueue, type QueuedTopic, type Recipient } from "./delivery-queue.js";
import type { Listener } from "./listener.js";
import { keyOf, type TopicName } from "./topic.js";
import { type ConnectedTopic, TopicConnections, type TopicConnectionsOptions } from "./topic-connections.js";

/** The product of both lengths up to which a name is matched with a pattern: that takes time in proportion to it. */
const MAX_MATCHED = 10_000;

const ENDED = new UpstreamFailure("closing", "the event stream has ended");

/** The channels and patterns of a listener. */
export type Subscription = Readonly<ReturnType<Subscriptions["add"]>>;

/** A channel or pattern with at least one listener. */
interface Topic extends ConnectedTopic, QueuedTopic {
  readonly members: Set<Member>;
  /** The members that have started. Null if that has to be found out. */
  audience: readonly Member[] | null;
  /** Whether Redis has confirmed it on its present connection. */
  up: boolean;
}

interface Member extends Recipient {
  readonly topics: Set<Topic>;
  /** Topics that are to be confirmed before it starts, or after a connection was lost. */
  readonly awaited: Set<Topic>;
  /** Topics that were added later and are not confirmed, and what waits for that. */
  readonly added: Map<Topic, Change[]>;
  started: boolean;
  isGone: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A change of a member's topics that is not confirmed yet. */
interface Change {
  readonly topics: Set<Topic>;
  readonly timer: NodeJS.Timeout;
  readonly done: (problem: string | UpstreamFailure | null) => void;
  problem: string | UpstreamFailure | null;
}

/**
 * All subscriptions as one user of Redis: a channel or pattern is subscribed to once, however many listen, and given up
 * with its last listener.
 */
export class Subscriptions {
  readonly #topics = new Map<string, Topic>();
  readonly #patterns = new Set<Topic>();
  readonly #members = new Set<Member>();
  readonly #connections: TopicConnections<Topic>;
  readonly #deliveries: DeliveryQueue;
  #closed = false;

  constructor(private readonly options: TopicConnectionsOptions & DeliveryOptions) {
    this.#deliveries = new DeliveryQueue(options);
    this.#connections = new TopicConnections<Topic>(options, {
      onSubscribed: (topic) => this.#confirmed(topic),
      onRefused: (topic, error) => this.#refused(topic, error),
      onLost: (topic) => this.#lost(topic),
      onMessage: (topic, push) => this.#deliver(topic, push),
      onTooLarge: (topics) => this.#onTooLarge(topics),
    });
  }

  /** Connections open now. */
  get connections(): number {
    return this.#connections.open;
  }

  /** Whether it has neither listeners nor a connection. */
  get isUnused(): boolean {
    return this.#members.size === 0 && this.#connections.isUnused;
  }

  /** Listens to all names, no two of which are the same. The listener is never called before this returns. */
  add(names: readonly TopicName[], listener: Listener) {
    const member: Member = {
      listener,
      topics: new Set(),
      awaited: new Set(),
      added: new Map(),
      started: false,
      isGone: false,
      timer: undefined,
    };
    this.#members.add(member);
    for (const name of names) {
      const topic = this.#join(member, name);
      if (!topic.up) member.awaited.add(topic);
    }
    if (this.#closed) setImmediate(() => this.#fail(member, CLOSING));
    else {
      member.timer = setTimeout(
        () => this.#fail(member, this.#timeoutFailure(member.awaited)),
        this.options.timeout,
      );
      if (member.awaited.size === 0) setImmediate(() => this.#settled(member, null));
    }
    return {
      /** Number of channels and patterns. */
      get size() {
        return member.topics.size;
      },
      /** Returns the number of channels and patterns after a change. */
      sizeAfter: (add: readonly TopicName[], remove: readonly TopicName[]) => {
        const keys = new Set([...member.topics].map(({ sort, name }) => keyOf(sort, name)));
        for (const { sort, name } of remove) keys.delete(keyOf(sort, name));
        for (const { sort, name } of add) keys.add(keyOf(sort, name));
        return keys.size;
      },
      /**
       * Unsubscribes from channels, then subscribes to others. Changes without effect are confirmed as well.
       * @param done called once: with null when Redis has confirmed all, else with Redis's error text, or the failure. Names
       * that are not confirmed are then given up again
       */
      change: (add: readonly TopicName[], remove: readonly TopicName[], done: Change["done"]) =>
        this.#change(member, add, remove, done),
      cancel: () => this.#remove(member),
    };
  }

  /** Returns the number of times that a message on a channel is delivered to a listener. Long patterns count as matching long names. */
  deliveriesOf(sort: "subscribe" | "ssubscribe", channel: Buffer): number {
    let count = this.#topics.get(keyOf(sort, channel))?.members.size ?? 0;
    if (sort === "ssubscribe") return count;
    for (const pattern of this.#patterns) if (mayMatch(pattern.name, channel)) count += pattern.members.size;
    return count;
  }

  close(): void {
    this.#closed = true;
    this.#connections.close();
    for (const member of [...this.#members]) this.#fail(member, CLOSING);
  }

  #change(
    member: Member,
    add: readonly TopicName[],
    remove: readonly TopicName[],
    done: Change["done"],
  ): void {
    if (!this.#members.has(member)) {
      done(ENDED);
      return;
    }
    for (const { sort, name } of remove) {
      const topic = this.#topics.get(keyOf(sort, name));
      if (topic && member.topics.has(topic)) this.#leave(member, topic);
      this.#changed(member, sort.replace("sub", "unsub"), name);
    }
    const change: Change = {
      topics: new Set(),
      timer: setTimeout(() => {
        const problem = this.#timeoutFailure(change.topics);
        for (const topic of [...change.topics]) {
          for (const each of member.added.get(topic) ?? []) each.problem ??= problem;
          this.#leave(member, topic);
        }
      }, this.options.timeout),
      done,
      problem: null,
    };
    for (const name of add) {
      const known = this.#topics.get(keyOf(name.sort, name.name));
      const isThere = known !== undefined && member.topics.has(known);
      const topic = isThere ? known : this.#join(member, name);
      if (topic.up || (isThere && !member.added.has(topic))) {
        this.#changed(member, topic.sort, topic.name);
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
      topic = {
        sort,
        name,
        members: new Set(),
        slot: sort === "ssubscribe" ? slotOf(name, 0, name.length) : -1,
        connection: null,
        up: false,
        redirections: 0,
        audience: null,
        waitingBytes: 0,
        gapFor: null,
      };
      this.#topics.set(key, topic);
      if (sort === "psubscribe") this.#patterns.add(topic);
      if (!this.#closed) this.#connections.add(topic);
    }
    topic.members.add(member);
    topic.audience = null;
    member.topics.add(topic);
    return topic;
  }

  #leave(member: Member, topic: Topic): void {
    topic.members.delete(member);
    topic.audience = null;
    member.topics.delete(topic);
    const wasAwaited = member.awaited.delete(topic);
    const { connection } = topic;
    const changes = member.added.get(topic) ?? [];
    member.added.delete(topic);
    if (topic.members.size === 0) {
      this.#topics.delete(keyOf(topic.sort, topic.name));
      this.#patterns.delete(topic);
      this.#connections.remove(topic);
    }
    for (const change of changes) this.#resolve(change, topic);
    if (wasAwaited) this.#settled(member, connection);
  }

  #lost(topic: Topic): void {
    topic.up = false;
    for (const member of topic.members) if (!member.added.has(topic)) member.awaited.add(topic);
  }

  #onTooLarge(topics: Iterable<Topic>): void {
    // The recipients of the message are not known any more.
    const members = new Set([...topics].flatMap(({ members }) => [...members]));
    for (const member of members) if (member.started) this.#gap(member);
  }

  #gap(member: Member): void {
    this.#deliveries.tell(member, (listener) => listener.onGap());
  }

  #changed(member: Member, kind: string, name: Buffer): void {
    const { size } = member.topics;
    this.#deliveries.tell(member, (listener) => listener.onChanged(kind, name, size));
  }

  #deliver(topic: Topic, push: readonly Buffer[]): void {
    // Before the confirmation it is a message of an earlier subscription that is just being given up.
    if (!topic.up) return;
    topic.audience ??= [...topic.members].filter(({ started }) => started);
    const { audience } = topic;
    const size = push.reduce((sum, part) => sum + part.length, 0);
    if (audience.length > 0) this.#deliveries.message(topic, audience, push, size);
  }

  #confirmed(topic: Topic): void {
    topic.up = true;
    for (const member of [...topic.members]) {
      const changes = member.added.get(topic);
      if (changes) {
        member.added.delete(topic);
        this.#changed(member, topic.sort, topic.name);
        for (const change of changes) this.#resolve(change, topic);
      } else if (member.awaited.delete(topic)) this.#settled(member, topic.connection);
    }
  }

  /**
   * Called when a member no longer awaits a topic.
   * @param connection the name of the topic's connection
   */
  #settled(member: Member, connection: string | null): void {
    // The connection may have been lost, or the listener have gone, since this was due.
    if (!this.#members.has(member)) return;
    if (!member.started) {
      if (member.awaited.size > 0) return;
      clearTimeout(member.timer);
      member.started = true;
      for (const topic of member.topics) topic.audience = null;
      member.listener.onReady();
      return;
    }
    // Topics of other connections do not count: they may stay lost for long.
    if (![...member.awaited].some((topic) => topic.connection === connection)) this.#gap(member);
  }

  #refused(topic: Topic, error: string): void {
    for (const member of [...topic.members]) {
      const changes = member.added.get(topic);
      if (changes) {
        for (const change of changes) change.problem = error;
        this.#leave(member, topic);
      } else this.#fail(member, error);
    }
  }

  #fail(member: Member, problem: string | UpstreamFailure): void {
    if (!this.#members.has(member)) return;
    this.#remove(member);
    member.listener.onEnd(problem);
  }

  #remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    member.isGone = true;
    clearTimeout(member.timer);
    for (const changes of member.added.values()) for (const change of changes) change.problem ??= ENDED;
    for (const topic of [...member.topics]) this.#leave(member, topic);
  }

  /** The failure of topics that are not confirmed in time. */
  #timeoutFailure(topics: ReadonlySet<Topic>): UpstreamFailure {
    const [topic] = topics;
    return new UpstreamFailure("unreachable", this.#connections.problemOf(topic));
  }
}

/** Whether a pattern matches a name. If finding out would take long, it counts as matching. */
function mayMatch(pattern: Buffer, name: Buffer): boolean {
  return pattern.length * name.length > MAX_MATCHED || matchesGlob(pattern, name);
}
