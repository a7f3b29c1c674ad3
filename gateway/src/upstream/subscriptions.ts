import type { Command } from "./command.js";
import { CommandWriter } from "./command-writer.js";
import { UpstreamFailure } from "./failure.js";
import { Feed, type FeedOptions } from "./feed.js";
import { Fifo } from "./fifo.js";
import { readPush } from "./push.js";
import type { Cancel } from "./upstream.js";

const MINUS = 0x2d;
const FIRST_BACKOFF = 50;
const LONGEST_BACKOFF = 2_000;
/** How long the connection is kept after the last subscription, in ms. */
const KEPT_UNUSED = 30_000;

/** By channel or by pattern. */
export type Sort = "subscribe" | "psubscribe";

/** Whoever listens to channels or patterns. */
export interface Listener {
  /** All that was asked for is subscribed to; messages follow. */
  onReady(): void;
  /** A message as {@link SubscriptionsOptions.encode} made it; the bytes are shared by all that listen to it. */
  onMessage(encoded: Buffer): void;
  /** Messages may have been missed up to here. */
  onGap(): void;
  /** Redis refused to subscribe, in its own words. Nothing is called any more. */
  onRefusal(error: string): void;
  /** There is no subscription, or it has ended. Nothing is called any more. */
  onFailure(failure: UpstreamFailure): void;
}

export interface SubscriptionsOptions extends FeedOptions {
  /** Makes what listeners get of a message: `message`, channel, payload or `pmessage`, pattern, channel, payload. */
  readonly encode: (push: readonly Buffer[]) => Buffer;
}

/** A channel or pattern that somebody listens to. */
interface Topic {
  readonly sort: Sort;
  readonly name: Buffer;
  readonly members: Set<Member>;
  /** Whether Redis has confirmed it on the connection of now. */
  up: boolean;
}

interface Member {
  readonly listener: Listener;
  readonly topics: readonly Topic[];
  /** Topics that are not confirmed. */
  readonly awaited: Set<Topic>;
  started: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A reply that is due: each SUBSCRIBE and UNSUBSCRIBE names one topic, so that an error finds its own. */
interface Due {
  readonly topic: Topic;
  readonly subscribes: boolean;
}

/**
 * All subscriptions over one connection: a channel or pattern is subscribed to once, however many listen, and given
 * up with its last listener. A connection that was lost is made again and everything subscribed to anew.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #topics = new Map<string, Topic>();
  readonly #writer = new CommandWriter();
  #due = new Fifo<Due>();
  #feed: Feed | null = null;
  #up = false;
  #attempts = 0;
  #trouble = "no connection to Redis yet";
  #retry: NodeJS.Timeout | undefined;
  #unused: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Connections open now: one or none. */
  get connections(): number {
    return this.#up ? 1 : 0;
  }

  /** Whether it has neither listeners nor a connection. */
  get isUnused(): boolean {
    return this.#topics.size === 0 && this.#feed === null;
  }

  /** Listens to every name, each a name of its own. The listener is never called before this returns. */
  add(sort: Sort, names: readonly Buffer[], listener: Listener): Cancel {
    const topics = names.map((name) => this.#topic(sort, name));
    const member: Member = { listener, topics, awaited: new Set(), started: false, timer: undefined };
    for (const topic of topics) {
      topic.members.add(member);
      if (!topic.up) member.awaited.add(topic);
    }
    if (this.#closed) setImmediate(() => this.#fail(member, closing()));
    else {
      member.timer = setTimeout(() => this.#fail(member, this.#late()), this.#options.timeout);
      if (member.awaited.size === 0) setImmediate(() => this.#settled(member));
      this.#open();
    }
    return () => this.#remove(member);
  }

  /** Ends every subscription. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#unused);
    this.#feed?.close();
    this.#feed = null;
    this.#up = false;
    for (const member of this.#members()) this.#fail(member, closing());
  }

  #topic(sort: Sort, name: Buffer): Topic {
    const key = keyOf(sort, name);
    let topic = this.#topics.get(key);
    if (!topic) {
      topic = { sort, name, members: new Set(), up: false };
      this.#topics.set(key, topic);
      if (this.#up) this.#ask(topic, true);
    }
    return topic;
  }

  #open(): void {
    clearTimeout(this.#unused);
    if (this.#feed || this.#retry) return;
    this.#feed = new Feed(this.#options, {
      onUp: () => this.#onUp(),
      onReply: (reply) => this.#onReply(reply),
      onDown: (trouble) => this.#onDown(trouble),
    });
    this.#feed.open();
  }

  #onUp(): void {
    this.#up = true;
    for (const topic of this.#topics.values()) this.#ask(topic, true);
    this.#rest();
  }

  #onDown(trouble: string): void {
    this.#trouble = trouble;
    this.#feed = null;
    // What was lost in use is made again at once; what can't be had is waited for.
    if (this.#up) this.#attempts = 0;
    this.#up = false;
    this.#due = new Fifo();
    if (this.#topics.size === 0) return;
    for (const topic of this.#topics.values()) {
      topic.up = false;
      for (const member of topic.members) member.awaited.add(topic);
    }
    const longest = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** this.#attempts++);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#topics.size > 0) this.#open();
    }, longest * Math.random());
  }

  #onReply(reply: Buffer | null): void {
    if (!reply) {
      // Whose message it was is not known any more.
      for (const member of this.#members()) if (member.started) member.listener.onGap();
      return;
    }
    if (reply[0] === MINUS) {
      const due = this.#due.shift();
      if (due?.subscribes) this.#refused(due.topic, reply.toString("utf8", 1, reply.length - 2));
      return;
    }
    const push = readPush(reply);
    const kind = push[0]?.toString("latin1");
    if (kind === "message") this.#deliver("subscribe", push);
    else if (kind === "pmessage") this.#deliver("psubscribe", push);
    else this.#confirmed();
  }

  #deliver(sort: Sort, push: readonly Buffer[]): void {
    const topic = this.#topics.get(keyOf(sort, push[1]!));
    // Before the confirmation it is a message of an earlier subscription that is just being given up.
    if (!topic?.up) return;
    let encoded: Buffer | undefined;
    for (const member of topic.members) {
      if (!member.started) continue;
      encoded ??= this.#options.encode(push);
      member.listener.onMessage(encoded);
    }
  }

  #confirmed(): void {
    const due = this.#due.shift();
    if (!due?.subscribes || !this.#isHeard(due.topic)) return;
    const { topic } = due;
    topic.up = true;
    for (const member of topic.members) {
      member.awaited.delete(topic);
      if (member.awaited.size === 0) this.#settled(member);
    }
  }

  #settled(member: Member): void {
    // The connection may have been lost, or the listener have gone, since this was due.
    if (member.awaited.size > 0 || !this.#isMember(member)) return;
    if (member.started) {
      member.listener.onGap();
      return;
    }
    clearTimeout(member.timer);
    member.started = true;
    member.listener.onReady();
  }

  #refused(topic: Topic, error: string): void {
    for (const member of [...topic.members]) {
      this.#remove(member);
      member.listener.onRefusal(error);
    }
  }

  #fail(member: Member, failure: UpstreamFailure): void {
    if (!this.#isMember(member)) return;
    this.#remove(member);
    member.listener.onFailure(failure);
  }

  #remove(member: Member): void {
    clearTimeout(member.timer);
    for (const topic of member.topics) {
      if (!topic.members.delete(member) || topic.members.size > 0) continue;
      this.#topics.delete(keyOf(topic.sort, topic.name));
      if (this.#up) this.#ask(topic, false);
    }
    this.#rest();
  }

  /** Keeps an unused connection for a while: the next subscription is often not far. */
  #rest(): void {
    clearTimeout(this.#unused);
    if (this.#topics.size > 0 || !this.#up) return;
    this.#unused = setTimeout(() => {
      this.#feed?.close();
      this.#feed = null;
      this.#up = false;
    }, KEPT_UNUSED).unref();
  }

  #ask(topic: Topic, subscribes: boolean): void {
    const { sort, name } = topic;
    this.#due.push({ topic, subscribes });
    this.#feed!.send(this.#command(subscribes ? sort : sort.replace("sub", "unsub"), name));
  }

  #command(word: string, name: Buffer): Command {
    this.#writer.begin();
    this.#writer.text(word.toUpperCase());
    this.#writer.bytes(name, 0, name.length);
    return this.#writer.end();
  }

  #isHeard(topic: Topic): boolean {
    return this.#topics.get(keyOf(topic.sort, topic.name)) === topic;
  }

  #isMember(member: Member): boolean {
    return member.topics[0]!.members.has(member);
  }

  #members(): Set<Member> {
    return new Set([...this.#topics.values()].flatMap((topic) => [...topic.members]));
  }

  #late(): UpstreamFailure {
    const text = this.#up
      ? "Redis did not confirm the subscription in time"
      : `Redis could not be reached: ${this.#trouble}`;
    return new UpstreamFailure("unreachable", text);
  }
}

function keyOf(sort: Sort, name: Buffer): string {
  return sort[0] + name.toString("latin1");
}

function closing(): UpstreamFailure {
  return new UpstreamFailure("closing", "the gateway is closing");
}
