import { ConnectionError, ProtocolError, RedisError, WarmlineError } from "../errors.js";
import type { CommandExecutor } from "../execution/executor.js";
import { getStreamEndpoint } from "../features/subscribe/event-stream.js";
import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";
import { onAbort } from "../util/abort.js";
import { setTimeout } from "../util/timers.js";
import {
  ChangeableStream,
  type ChangeableStreamListener,
  ChangeRefused,
  keyOf,
  type TopicName,
} from "./changeable-stream.js";
import { VirtualStream } from "./virtual-stream.js";

/** The status of a change that would exceed the channels of a stream. */
const FULL = 409;

/** A channel or pattern, and the subscriptions to it. */
interface Topic extends TopicName {
  readonly subscriptions: Set<VirtualStream>;
  /** The stream that carries it, or is about to. */
  stream: ChangeableStream | undefined;
  /** Whether the stream carries it. */
  confirmed: boolean;
  /** Whether a change of it is under way. */
  changing: boolean;
}

/**
 * Opens event streams of one channel or pattern each, whose events come over a few streams of warmline-gateway: one, unless it
 * is full. Where the endpoint has no streams that can be changed, each is a request of its own.
 */
export class StreamMultiplexer implements ChangeableStreamListener {
  readonly #client: CommandExecutor;
  readonly #topics = new Map<string, Topic>();
  /** The topics of each stream that has some. */
  readonly #carried = new Map<ChangeableStream, Set<Topic>>();
  /** Topics to be added or removed. */
  readonly #changed = new Set<Topic>();
  /** The stream that further topics are added to. */
  #stream: ChangeableStream | undefined;
  /** Whether a change is scheduled, or waits for a stream to open. */
  #scheduled = false;
  /** Whether the endpoint refused the last stream that can be changed. */
  #refused = false;
  /** Whether the endpoint has event streams, but none that can be changed. */
  #unsupported = false;

  constructor(client: CommandExecutor) {
    this.#client = client;
  }

  /** Opens an event stream, with the arguments and the result of `fetch`. @param url ends with the method and the name. */
  async open(url: string, init: RequestInit): Promise<Response> {
    const [, method = "", escaped = ""] = /\/(\w+)\/([^/]*)$/.exec(url) ?? [];
    const { open = fetch } = getStreamEndpoint(this.#client, method.toUpperCase());
    if (!this.#unsupported && !this.#client.context.protocol.isThirdParty) {
      const name = { method: method as SubscribeMethod, name: decodeURIComponent(escaped) };
      const stream = new VirtualStream(init.signal!, () => open(url, init));
      this.#subscribe(name, stream, init.signal!);
      const shared = await stream.response;
      if (shared) return shared;
    }
    const response = await open(url, init);
    this.#unsupported ||= this.#refused && response.ok && isEventStream(response);
    return response;
  }

  onMessage(stream: ChangeableStream, key: string, event: string): void {
    const topic = this.#topics.get(key);
    // A change that was lost may have left the channel on another stream.
    if (topic?.stream === stream) this.#write(topic, event);
  }

  onAdded(stream: ChangeableStream, key: string): void {
    const topic = this.#topics.get(key);
    if (topic?.stream === stream) this.#confirm(topic);
  }

  onEvent(stream: ChangeableStream, event: string): void {
    for (const topic of this.#carried.get(stream) ?? []) this.#write(topic, event);
  }

  onLost(stream: ChangeableStream): void {
    for (const topic of this.#carried.get(stream) ?? []) {
      this.#assign(topic, undefined);
      const command = topic.method.toUpperCase();
      this.#end(topic, new ConnectionError(`${command}: the stream ended`, { command }));
    }
  }

  #write(topic: Topic, event: string): void {
    for (const subscription of topic.subscriptions) {
      if (!subscription.write(event)) this.#unsubscribe(topic, subscription);
    }
  }

  #subscribe({ method, name }: TopicName, subscription: VirtualStream, signal: AbortSignal): void {
    const key = keyOf(method, name);
    const idle = { stream: undefined, confirmed: false, changing: false };
    const topic: Topic = this.#topics.get(key) ?? { method, name, subscriptions: new Set(), ...idle };
    this.#topics.set(key, topic);
    topic.subscriptions.add(subscription);
    onAbort(signal, () => {
      subscription.end(signal.reason);
      this.#unsubscribe(topic, subscription);
    });
    if (topic.confirmed) this.#confirm(topic);
    else this.#changeSoon(topic);
  }

  #unsubscribe(topic: Topic, subscription: VirtualStream): void {
    topic.subscriptions.delete(subscription);
    this.#changeSoon(topic);
  }

  /** Collects topics, so that one request changes them. */
  #changeSoon(topic: Topic): void {
    this.#changed.add(topic);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => void this.#change(), 0);
  }

  async #change(): Promise<void> {
    if ([...this.#changed].some(isUnassigned) && (!this.#stream || this.#stream.ended)) await this.#open();
    this.#scheduled = false;
    const changed = [...this.#changed];
    this.#changed.clear();
    const added: Topic[] = [];
    const removed = new Map<ChangeableStream, Topic[]>();
    for (const topic of changed) {
      const { changing, stream, subscriptions, method, name } = topic;
      // Changes of one topic keep their order: see #run.
      if (changing) continue;
      if (isUnassigned(topic)) added.push(topic);
      else if (subscriptions.size === 0 && stream)
        removed.set(stream, [...(removed.get(stream) ?? []), topic]);
      else if (subscriptions.size === 0 && this.#topics.get(keyOf(method, name)) === topic)
        this.#topics.delete(keyOf(method, name));
    }
    const stream = this.#stream;
    if (stream && added.length > 0) void this.#run(added, this.#add(added, stream));
    else if (stream) this.#closeUnused(stream);
    for (const [stream, topics] of removed) void this.#run(topics, this.#remove(topics, stream));
  }

  /** Opens the stream that further topics are added to. Topics that wait for it share its failure. */
  async #open(): Promise<void> {
    try {
      this.#stream = await this.#openStream();
      this.#refused = false;
    } catch (error) {
      this.#stream = undefined;
      this.#refused = error instanceof RedisError || error instanceof ProtocolError;
      for (const topic of [...this.#changed].filter(isUnassigned)) {
        if (this.#refused) this.#decline(topic);
        else this.#end(topic, error);
      }
    }
  }

  async #openStream(): Promise<ChangeableStream> {
    const stream = new ChangeableStream(this.#client, this);
    await stream.open("SUBSCRIBE");
    return stream;
  }

  /** Holds other changes of the topics back until this one is over. */
  async #run(topics: readonly Topic[], change: Promise<void>): Promise<void> {
    for (const topic of topics) topic.changing = true;
    await change;
    for (const topic of topics) {
      topic.changing = false;
      this.#changeSoon(topic);
    }
  }

  /** Adds topics to a stream. Subscriptions that it can't carry get a stream of their own, or an error. */
  async #add(topics: readonly Topic[], stream: ChangeableStream): Promise<void> {
    for (const topic of topics) this.#assign(topic, stream);
    try {
      await stream.change(topics, ({ method }) => method);
      for (const topic of topics) if (topic.stream === stream) this.#confirm(topic);
    } catch (error) {
      const open = topics.filter((topic) => topic.stream === stream && !topic.confirmed);
      for (const topic of open) this.#assign(topic, undefined);
      if (open.length > 0) await this.#addElsewhere(open, stream, error);
    }
    this.#closeUnused(stream);
  }

  /** Finds a place for topics that a stream did not take. */
  async #addElsewhere(topics: readonly Topic[], stream: ChangeableStream, error: unknown): Promise<void> {
    if (!(error instanceof ChangeRefused)) {
      for (const topic of topics) this.#end(topic, error);
      // The endpoint may have applied it.
      await this.#remove(topics, stream);
    } else if (error.status === FULL && this.#carried.has(stream)) await this.#addToFresh(topics);
    else if ((error.status === 400 || error.status === FULL) && topics.length > 1) {
      // One of them is refused, or they are too many for one stream.
      const half = Math.ceil(topics.length / 2);
      const rest = topics.slice(half);
      for (const topic of rest) this.#assign(topic, stream);
      await this.#add(topics.slice(0, half), stream);
      const left = rest.filter((topic) => topic.stream === stream);
      if (left.length > 0) await this.#add(left, this.#stream ?? stream);
    } else {
      // 404: the change may have reached another gateway behind the same address.
      if (error.status !== 400 && this.#stream === stream) this.#stream = undefined;
      for (const topic of topics) this.#decline(topic);
    }
  }

  /** Opens another stream for topics, and for further ones if it takes them. */
  async #addToFresh(topics: readonly Topic[]): Promise<void> {
    try {
      const stream = await this.#openStream();
      await this.#add(topics, stream);
      if (this.#carried.has(stream)) this.#stream = stream;
    } catch {
      for (const topic of topics) this.#decline(topic);
    }
  }

  async #remove(topics: readonly Topic[], stream: ChangeableStream): Promise<void> {
    for (const topic of topics) this.#assign(topic, undefined);
    this.#closeUnused(stream);
    // A channel that stays on the stream costs messages that are dropped.
    if (!stream.ended)
      await stream.change(topics, ({ method }) => method.replace("sub", "unsub")).catch(() => {});
  }

  #closeUnused(stream: ChangeableStream): void {
    if (!this.#carried.has(stream)) stream.close();
  }

  #assign(topic: Topic, stream: ChangeableStream | undefined): void {
    if (topic.stream) {
      const others = this.#carried.get(topic.stream);
      others?.delete(topic);
      if (others?.size === 0) this.#carried.delete(topic.stream);
    }
    if (stream) this.#carried.set(stream, (this.#carried.get(stream) ?? new Set()).add(topic));
    topic.stream = stream;
    topic.confirmed = false;
  }

  #confirm(topic: Topic): void {
    const { method, name, subscriptions } = topic;
    topic.confirmed = true;
    const event = `data: ${method},${name.replace(/[\r\n]/g, " ")},1\n\n`;
    for (const subscription of subscriptions) subscription.begin(event);
  }

  #decline({ subscriptions }: Topic): void {
    for (const subscription of subscriptions) subscription.decline();
    subscriptions.clear();
  }

  #end({ method, subscriptions }: Topic, error: unknown): void {
    const named = error instanceof WarmlineError ? error.forCommand(method.toUpperCase()) : error;
    for (const subscription of subscriptions) subscription.end(named);
    subscriptions.clear();
  }
}

/** Whether a topic has subscriptions that no stream carries. */
const isUnassigned = ({ subscriptions, stream }: Topic) => subscriptions.size > 0 && !stream;

const isEventStream = ({ headers }: Response) =>
  !!headers.get("content-type")?.startsWith("text/event-stream");
