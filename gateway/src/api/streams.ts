import { randomBytes } from "node:crypto";
import type { Permissions } from "../access/permissions.js";
import type { Activity } from "../redis/activity.js";
import { CLOSING, UpstreamFailure } from "../redis/failure.js";
import { Followers } from "../redis/follow/followers.js";
import { parsePosition } from "../redis/follow/stream-page.js";
import { Broadcast } from "../redis/pubsub/broadcast.js";
import type { DeliveryOptions } from "../redis/pubsub/delivery-queue.js";
import { Monitor } from "../redis/pubsub/monitor.js";
import { type Subscription, Subscriptions } from "../redis/pubsub/subscriptions.js";
import type { Sort, TopicName } from "../redis/pubsub/topic.js";
import type { Cancel, Upstream } from "../redis/upstream.js";
import { commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import type { Settings } from "../settings/options.js";
import type { CommandFeed } from "../trace/command-feed.js";
import type { TracedCommand } from "../trace/traced-command.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { SlicedWork } from "../util/sliced-work.js";
import { BadRequest } from "./bad-request.js";
import { parseChannelLists, SORTS, tooManyChannels } from "./channel-lists.js";
import { confirmationFrame, eventFrame, FrameEncoder, followFrame, lineFrame } from "./event-frames.js";
import { EventStream } from "./event-stream.js";
import { type Exchange, JSON_TYPE } from "./exchange.js";
import { unescapeBytes } from "./path-args.js";

type StreamSetting = "maxStreams" | "maxStreamChannels" | "streamBuffer" | "streamHeartbeat";

export interface StreamsOptions {
  readonly settings: Pick<Settings, StreamSetting | "maxBlockingConnections">;
  /** The limit on bytes buffered for all requests together. */
  readonly budget: BufferBudget;
  /** The commands for `/console/commands`. Null without the console. */
  readonly feed: CommandFeed | null;
  /** Called with the reason when a connection to Redis that event streams share was lost. */
  readonly onLost: (reason: string) => void;
  /** Notes each use of Redis, such as the start of an event stream. */
  readonly activity: Activity | undefined;
}

/** The sources of one upstream's streams. */
interface PushSources {
  /**
   * The subscriptions by the owner of the token, each with connections of its own: Redis closes a connection that takes its messages
   * too slowly, and only that owner loses messages. Each channel is subscribed to once, however many readers it has.
   */
  readonly subscriptions: Map<string, Subscriptions>;
  readonly monitor: Monitor;
  readonly followers: Followers;
}

/** Maximum number of keys in a command's event on `/console/commands`. */
const MAX_KEYS = 4;

/**
 * The event streams: `/events`, whose channels requests to `/events/<id>` change, `/subscribe/<channel>...`, `/psubscribe/<pattern>...`, `/ssubscribe/<channel>...`, `/monitor`,
 * `/follow/<key>` with the entries of a stream, and `/console/commands` with the commands of all clients.
 */
export class Streams {
  /** Long work that belongs to no single request: encoding and delivering messages. */
  readonly #work = new SlicedWork();
  readonly #encoder: FrameEncoder;
  readonly #sources = new Map<Upstream, PushSources>();
  readonly #open = new Set<EventStream>();
  /** Passes commands on to the readers of `/console/commands`. */
  readonly #watchers: Broadcast;
  #unwatch = () => {};
  /** The streams whose channels can be changed, by their ids. */
  readonly #changeable = new Map<string, { owner: string; subscription: Subscription }>();
  readonly #timer: NodeJS.Timeout;
  /** Number of streams that were ended because their reader was too slow. */
  dropped = 0;

  constructor(private readonly options: StreamsOptions) {
    this.#encoder = new FrameEncoder(options.budget, this.#work);
    this.#watchers = new Broadcast(this.#lines);
    const beat = () => {
      for (const stream of this.#open) stream.beat();
    };
    this.#timer = setInterval(beat, options.settings.streamHeartbeat).unref();
  }

  get open(): number {
    return this.#open.size;
  }

  /** How lines are delivered: those of MONITOR, and the commands of `/console/commands`. */
  get #lines(): DeliveryOptions {
    return { encode: ([line]) => lineFrame(line!), work: this.#work, waiting: this.options.budget };
  }

  /** Number of connections to Redis for subscriptions and MONITOR. */
  get upstreamConnections(): number {
    let connections = 0;
    for (const { subscriptions, monitor } of this.#sources.values()) {
      connections += monitor.connections;
      for (const each of subscriptions.values()) connections += each.connections;
    }
    return connections;
  }

  /** Returns the handler of requests for this path, or null if it is not the path of a stream. */
  match(path: string, permissions: Permissions): ((exchange: Exchange, body: Buffer) => void) | null {
    if (path === "/console/commands" && this.options.feed) return this.#watch(this.options.feed, permissions);
    // Most paths are ruled out by their length or second character.
    if (path.length < 7 || !"efmpsFMPS".includes(path[1]!)) return null;
    if (path === "/events") return (exchange, body) => this.#openChangeable(exchange, permissions, body);
    if (path.startsWith("/events/")) {
      const id = path.slice("/events/".length);
      return (exchange, body) => this.#requestChange(exchange, permissions, id, body);
    }
    if (/^\/monitor$/i.test(path)) {
      const first = lineFrame(Buffer.from('"OK"'));
      return (exchange) => {
        throwIfDenied(permissions.streamDenialReason("monitor", []));
        const { monitor } = this.#sourcesOf(permissions);
        this.#start(exchange, permissions, 1, first, (listener) => monitor.add(listener));
      };
    }
    const [, followed] = /^\/follow\/(.+)$/i.exec(path) ?? [];
    if (followed !== undefined) return (exchange) => this.#follow(exchange, permissions, followed);
    const [, arg, list] = /^\/([ps]?subscribe)\/(.*)$/i.exec(path) ?? [];
    if (arg === undefined) return null;
    const sort = arg.toLowerCase() as Sort;
    return (exchange) => {
      const names = namesIn(list!);
      throwIfDenied(permissions.streamDenialReason(sort, names));
      const topics = names.map((name) => ({ sort, name }));
      this.#subscribe(exchange, permissions, topics, null);
    };
  }

  /** Returns the handler of requests for the commands that pass through the gateway. Their permission is that of MONITOR. */
  #watch(feed: CommandFeed, permissions: Permissions): (exchange: Exchange) => void {
    return (exchange) => {
      throwIfDenied(permissions.streamDenialReason("monitor", []));
      this.#start(exchange, permissions, 1, [], (stream) => {
        if (this.#watchers.isEmpty)
          this.#unwatch = feed.add((command) => this.#watchers.line(Buffer.from(eventOf(command))));
        const cancel = this.#watchers.add(stream);
        setImmediate(() => this.#open.has(stream) && stream.onReady());
        return () => {
          cancel();
          if (this.#watchers.isEmpty) this.#unwatch();
        };
      });
    };
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { subscriptions, monitor, followers } of this.#sources.values()) {
      for (const each of subscriptions.values()) each.close();
      monitor.close();
      followers.close();
    }
    for (const stream of this.#watchers.listeners) stream.onEnd(CLOSING);
  }

  /** Returns the sources of one Redis user's streams. */
  #sourcesOf(permissions: Permissions): PushSources {
    const { upstream } = permissions;
    let sources = this.#sources.get(upstream);
    if (!sources) {
      // Users come and go: those without streams are dropped.
      for (const [other, { subscriptions, monitor, followers }] of this.#sources) {
        const isUnused = [...subscriptions.values(), monitor, followers].every((each) => each.isUnused);
        if (isUnused) this.#sources.delete(other);
      }
      const { connectionOptions } = upstream;
      const { maxBlockingConnections, streamBuffer } = this.options.settings;
      sources = {
        subscriptions: new Map(),
        monitor: new Monitor({ ...connectionOptions, ...this.#lines }),
        followers: new Followers({
          upstream: () => permissions.upstream,
          encode: (entries) => this.#encoder.entries(entries),
          maxBufferedBytes: this.options.budget.limit,
          maxWaiting: Math.floor(maxBlockingConnections / 2),
          maxBacklog: streamBuffer / 2,
        }),
      };
      this.#sources.set(upstream, sources);
    }
    return sources;
  }

  #subscriptionsOf(permissions: Permissions): Subscriptions {
    const { upstream, quota } = permissions;
    const { subscriptions } = this.#sourcesOf(permissions);
    const known = subscriptions.get(quota.owner);
    if (known) return known;
    // Tokens come and go: those without subscriptions are dropped.
    for (const [owner, other] of subscriptions) if (other.isUnused) subscriptions.delete(owner);
    const { budget, onLost } = this.options;
    const made = new Subscriptions({
      ...upstream.connectionOptions,
      encode: (push) => this.#encoder.message(push),
      sharding: () => permissions.upstream.sharding,
      onLost,
      work: this.#work,
      waiting: budget,
    });
    subscriptions.set(quota.owner, made);
    return made;
  }

  /** Returns how many readers of this process get the message of a PUBLISH or SPUBLISH; 0 for other commands. */
  deliveriesOf(command: Command): number {
    const { name } = command;
    if ((name !== "PUBLISH" && name !== "SPUBLISH") || command.size < 2) return 0;
    const sort = name === "PUBLISH" ? "subscribe" : "ssubscribe";
    const channel = command.content(1);
    let deliveries = 0;
    for (const { subscriptions } of this.#sources.values()) {
      for (const each of subscriptions.values()) deliveries += each.deliveriesOf(sort, channel);
    }
    return deliveries;
  }

  /** Opens a stream of the entries of a key, after the id of the header `Last-Event-ID` or of `?from=`. */
  #follow(exchange: Exchange, permissions: Permissions, escaped: string): void {
    const key = unescapeBytes(escaped, false).toString("latin1");
    const { url, headers } = exchange.req;
    const query = new URLSearchParams(url.split("?")[1]);
    for (const name of query.keys()) {
      if (name !== "from" && name !== "_token")
        throw new BadRequest(`ERR unknown query parameter ${name}: /follow takes from and _token`);
    }
    const from = headers["last-event-id"] ?? query.get("from") ?? "0-0";
    const position = parsePosition(from);
    if (!position)
      throw new BadRequest(
        "ERR from and Last-Event-ID must be the id of an entry, such as 1526919030474-0, or - or $",
      );
    const read = commandOf(["XREAD", "STREAMS", key, "0"]);
    throwIfDenied(permissions.denialReason(read, { kind: "single", before: 0 }));
    const { followers } = this.#sourcesOf(permissions);
    this.#start(exchange, permissions, 1, [], (stream) =>
      followers.add(key, position, permissions.quota, {
        get backlog() {
          return stream.backlog;
        },
        onStart(id) {
          stream.onReady();
          stream.onMessage([followFrame(id)]);
        },
        onMessage: (encoded) => stream.offer(encoded),
        onEnd: (problem) => (typeof problem === "string" ? stream.fail(problem) : stream.onEnd(problem)),
      }),
    );
  }

  /** Opens a stream whose first event is its id, by which its channels can be changed. */
  #openChangeable(exchange: Exchange, permissions: Permissions, body: Buffer): void {
    onlyPost(exchange);
    const { maxStreamChannels } = this.options.settings;
    const { added: names } = parseChannelLists(body, true, maxStreamChannels);
    throwIfAnyDenied(permissions, names);
    const id = randomBytes(16).toString("base64url");
    this.#subscribe(exchange, permissions, names, id);
  }

  /** Opens a stream of these channels and patterns. They can be changed by `id`, unless it is null. */
  #subscribe(
    exchange: Exchange,
    permissions: Permissions,
    names: readonly TopicName[],
    id: string | null,
  ): void {
    const { maxStreamChannels } = this.options.settings;
    if (names.length > maxStreamChannels) throw new BadRequest(tooManyChannels(maxStreamChannels));
    const subscriptions = this.#subscriptionsOf(permissions);
    const first = names.map(({ sort, name }, at) => confirmationFrame(sort, name, at + 1));
    if (id !== null) first.unshift(eventFrame("stream", id));
    this.#start(exchange, permissions, names.length, first, (listener) => {
      const subscription = subscriptions.add(names, listener);
      if (id !== null) this.#changeable.set(id, { owner: permissions.quota.owner, subscription });
      return () => {
        if (id !== null) this.#changeable.delete(id);
        subscription.cancel();
      };
    });
  }

  /** Changes the channels of a stream, and responds once Redis has confirmed it. */
  #requestChange(exchange: Exchange, permissions: Permissions, id: string, body: Buffer): void {
    onlyPost(exchange);
    exchange.record.route = "events";
    const { maxStreamChannels } = this.options.settings;
    const { added, removed } = parseChannelLists(body, false, maxStreamChannels);
    throwIfAnyDenied(permissions, added);
    const { quota } = permissions;
    quota.spend(added.length + removed.length);
    const stream = this.#changeable.get(id);
    if (stream?.owner !== quota.owner)
      throw new BadRequest("ERR this token has no open event stream with this id", 404);
    const { subscription } = stream;
    if (subscription.sizeAfter(added, removed) > maxStreamChannels)
      throw new BadRequest(tooManyChannels(maxStreamChannels), 409);
    subscription.change(added, removed, (problem) => {
      if (problem === null)
        exchange.respond(200, JSON_TYPE, Buffer.from(JSON.stringify({ result: subscription.size })));
      else if (typeof problem === "string") exchange.error(400, problem);
      else exchange.unsent(problem.message);
    });
  }

  /** @param channels how many the stream begins with */
  #start(
    exchange: Exchange,
    { quota }: Permissions,
    channels: number,
    first: readonly Buffer[],
    add: (stream: EventStream) => Cancel,
  ): void {
    const { maxStreams, streamBuffer } = this.options.settings;
    if (this.#open.size >= maxStreams) {
      exchange.failure(
        new UpstreamFailure("full", `all ${maxStreams} event streams are in use (setting maxStreams)`),
      );
      return;
    }
    if (exchange.gone) return;
    quota.enterStream(channels);
    const stream = new EventStream(exchange, first, streamBuffer, () => this.dropped++);
    this.#open.add(stream);
    this.options.activity?.use();
    const cancel = add(stream);
    exchange.onOver(() => {
      this.#open.delete(stream);
      quota.leaveStream();
      cancel();
    });
  }
}

function eventOf({ keys, ...command }: TracedCommand): string {
  return JSON.stringify({
    ...command,
    keys: keys.slice(0, MAX_KEYS),
    moreKeys: Math.max(0, keys.length - MAX_KEYS),
  });
}

function throwIfDenied(denial: string | null): void {
  if (denial !== null) throw new BadRequest(denial);
}

function throwIfAnyDenied(permissions: Permissions, names: readonly TopicName[]): void {
  for (const { sort, name } of names) throwIfDenied(permissions.streamDenialReason(sort, [name]));
  if (names.length > 0) return;
  // A stream without channels takes up a stream too.
  const reasons = SORTS.map((sort) => permissions.streamDenialReason(sort, []));
  if (!reasons.includes(null)) throwIfDenied(reasons[0]!);
}

function onlyPost({ req }: Exchange): void {
  if (req.method !== "POST") throw new BadRequest("ERR /events takes only POST", 405, ["Allow", "POST"]);
}

/** The names in a path, each once, in their order. One slash at the end is ignored. */
function namesIn(list: string): Buffer[] {
  const segments = (list.endsWith("/") ? list.slice(0, -1) : list).split("/");
  const names = new Map(
    segments.map((segment) => {
      const name = unescapeBytes(segment, false);
      return [name.toString("latin1"), name];
    }),
  );
  names.delete("");
  if (names.size === 0) throw new BadRequest("ERR the path has no channel");
  return [...names.values()];
}
