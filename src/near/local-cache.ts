import type { Command, Result } from "../execution/command.js";
import { createLimits, type Limits } from "../execution/limits.js";
import type { NearClient, NearHooks, SendBatch } from "../execution/near-hooks.js";
import type { Settings } from "../execution/settings.js";
import { assertConfig } from "../options/assert-config.js";
import type { Endpoint } from "../options/endpoint.js";
import type { NearStats } from "../options/options.js";
import type { NearRequest } from "../protocol/near-requests.js";
import type { RawReply } from "../protocol/reply.js";
import { between, elapsed, moment } from "../util/clock.js";
import { microtask } from "../util/timers.js";
import { cacheableKeys, changedKeys, type MatchKey } from "./cacheable.js";
import { bucketOf, Entries, type Entry } from "./entries.js";
import { type Changes, type Provenance, type ReadStart, type Report, Reports } from "./reports.js";
import { storeReply } from "./stored-reply.js";

/** The settings of a near cache, checked and with defaults. */
interface LocalCacheOptions {
  readonly matches: MatchKey;
  readonly maxStale: number;
  readonly maxBytes: number;
}

/** A reply, with the report of its response. */
interface Received {
  readonly reply: RawReply;
  readonly report: Report | undefined;
}

/** A read that needs a request: for its reply, or for a report that the reply in memory is right. */
interface Read {
  readonly client: NearClient;
  readonly command: Command;
  readonly id: string;
  readonly keys: readonly string[];
  readonly start: ReadStart;
  readonly limits: Limits | undefined;
}

/** A read in flight. */
interface Load extends Provenance {
  readonly buckets: readonly number[];
  readonly client: NearClient;
  /** The commands PTTL for its keys, which are sent along. Empty if it is known that no report covers the keys. */
  readonly lifetimes: readonly Command[];
  /** The reply, for equal reads. */
  reply?: Promise<RawReply>;
  /**
   * The report of a change of its keys since it was sent, or null after a second change or a write of this client. Then the reply is
   * stored only if it came with this report.
   */
  changedBy?: Report | null;
}

/** A request for a report. */
interface ReportRequest {
  readonly client: NearClient;
  readonly done: Promise<unknown>;
  /** Sends the reads that this request did not answer. Its timeout is the time that they have left. */
  clientAfter?: NearClient;
}

/** Bytes of memory that an entry takes besides its reply and its id, and that each of its keys takes. */
const ENTRY_BYTES = 450;
const KEY_BYTES = 150;

/** The replies of a client's reads, in the memory of its process. Reports of changed keys remove them. */
export class LocalCache implements NearHooks {
  readonly stats: NearStats = { hits: 0, verified: 0, misses: 0, invalidated: 0, dropped: 0, bytesSaved: 0 };
  /** Decides whether a key is cached, by its whole name with the client's prefix. */
  #matches: MatchKey;
  readonly #entries: Entries;
  readonly #reports = new Reports((changes, report) => this.#onChanges(changes, report));
  /** Reads in flight that others may share, by their ids. */
  readonly #shared = new Map<string, Load>();
  readonly #loads = new Set<Load>();
  /** Whether a reply of a read has arrived. Before that it is not known whether the endpoint sends reports. */
  #hasReplied = false;
  /** The request for a report that other reads of this tick may share. */
  #reportRequest: ReportRequest | undefined;
  /** The arguments of commands that request a report. */
  readonly #reportArgv = new WeakSet<object>();
  #endpoint: string | undefined;
  #sharesPromises = false;

  constructor(private readonly options: LocalCacheOptions) {
    this.#matches = options.matches;
    this.#entries = new Entries(options.maxBytes);
  }

  attach({ origin, path, token }: Endpoint, sharesPromises: boolean, prefix = ""): void {
    const endpoint = JSON.stringify([origin, path, token, prefix]);
    this.#endpoint ??= endpoint;
    assertConfig(
      this.#endpoint === endpoint,
      "near: this near cache is that of another url, token or prefix: call near() for each",
    );
    this.#sharesPromises = sharesPromises;
    const { matches } = this.options;
    this.#matches = (key) => key.startsWith(prefix) && matches(key.slice(prefix.length));
  }

  onRequest(argv: readonly unknown[]): NearRequest {
    // These are the arguments of one command, or a list of those of several.
    const verifies = this.#reportArgv.has(argv) || argv.some((each) => this.#reportArgv.has(each as object));
    return this.#reports.onRequest(verifies);
  }

  run(client: NearClient, command: Command): Promise<unknown> {
    if (command.write) return this.#write(client, command);
    const { near, scope } = client.settings;
    const keys = near === false || scope ? undefined : cacheableKeys(command, this.#matches);
    if (!keys) return client.send(command);
    // The same limits for all requests of the read: a function that returns the signal is called once per command.
    const limits = createLimits(client.settings);
    const id = idOf(command);
    const start = this.#reports.start();
    const entry = this.#find(id);
    if (entry && this.#isFresh(entry, start, near)) return this.#hit(client, command, entry);
    const read: Read = { client, command, id, keys, start, limits };
    return entry && this.#reports.covers(entry) ? this.#readAfterSync(read) : this.#load(read);
  }

  async runBatch(
    client: NearClient,
    commands: readonly Command[],
    isTransaction: boolean,
    send: SendBatch,
  ): Promise<Result[]> {
    const { near, scope } = client.settings;
    const caches = near !== false && !scope && !isTransaction;
    const results: (Result | Promise<Result>)[] = new Array(commands.length);
    const sent: Command[] = [];
    /** For each command that is sent, its position and the read whose reply is to be stored. */
    const places: { readonly at: number; readonly load?: Load }[] = [];
    const lifetimes: Command[] = [];
    const start = this.#reports.start();
    // A read after a write of its key is sent, because the write drops the reply in memory.
    const changed = commands.map((command) => (command.write ? changedKeys(command, this.#matches) : []));
    commands.forEach((command, at) => {
      if (command.write) this.#drop(changed[at]!);
      const keys = caches && !command.write ? cacheableKeys(command, this.#matches) : undefined;
      if (!keys) {
        places.push({ at });
        sent.push(command);
        return;
      }
      const entry = this.#find(idOf(command));
      if (entry && near === true && this.#isFresh(entry, start, near)) {
        results[at] = this.#resultOf(client, command, this.#use(entry, "hits"));
        return;
      }
      this.stats.misses++;
      const load = this.#beginLoad(client, keys);
      places.push({ at, load });
      sent.push(this.#receiving(command));
      lifetimes.push(...load.lifetimes);
    });
    if (sent.length === 0) return Promise.all(results);
    const loads = places.flatMap(({ load }) => load ?? []);
    try {
      const replies = await send([...sent, ...lifetimes]);
      const ttls = replies.slice(sent.length).map((each) => ("result" in each ? each.result : undefined));
      places.forEach(({ at, load }, place) => {
        const result = replies[place]!;
        const ttlsOfRead = ttls.splice(0, load?.lifetimes.length ?? 0);
        if (!load || !("result" in result)) {
          results[at] = result;
          return;
        }
        const command = commands[at]!;
        const received = result.result as Received;
        this.#store(idOf(command), load, command, received, ttlsOfRead);
        results[at] = this.#resultOf(client, command, received.reply);
      });
    } finally {
      for (const load of loads) this.#loads.delete(load);
      for (const keys of changed) this.#drop(keys);
    }
    return Promise.all(results);
  }

  /** Sends a write. Removes the replies that it may change: when it is sent, and again when it has ended, whatever its outcome. */
  #write(client: NearClient, command: Command): Promise<unknown> {
    const keys = changedKeys(command, this.#matches);
    const drop = () => this.#drop(keys);
    drop();
    const sent = client.send(command);
    sent.then(drop, drop);
    return sent;
  }

  #drop(keys: readonly string[] | "all"): void {
    if (keys.length === 0) return;
    const changes: Changes = keys === "all" ? "*" : new Set(keys.map(bucketOf));
    this.#reports.time++;
    const changed = this.#findChanged(changes, undefined);
    const concerns = (read: Provenance) => keys === "all" || read.keys.some((key) => keys.includes(key));
    for (const [id, load] of this.#shared) if (concerns(load)) this.#shared.delete(id);
    for (const entry of changed) {
      if (!concerns(entry)) continue;
      this.#entries.remove(entry);
      this.stats.dropped++;
    }
  }

  #onChanges(changes: Changes, report: Report | undefined): void {
    if (changes !== "*" && changes.size === 0) return;
    for (const entry of this.#findChanged(changes, report)) {
      this.#entries.remove(entry);
      this.stats.invalidated++;
    }
  }

  /**
   * Marks the reads in flight that changes concern. Returns the entries that they concern.
   * @param report undefined for a write of this client
   */
  #findChanged(changes: Changes, report: Report | undefined): Entry[] {
    for (const load of this.#loads) {
      if (changes !== "*" && !load.buckets.some((bucket) => changes.has(bucket))) continue;
      load.changedBy = load.changedBy === undefined && report ? report : null;
    }
    return this.#entries.within(changes);
  }

  /** Returns a reply in memory, unless one of its keys has expired. Then it is removed. */
  #find(id: string): Entry | undefined {
    const entry = this.#entries.get(id);
    if (!entry || elapsed(entry.sentAt) < entry.timeToLive) return entry;
    this.#entries.remove(entry);
    this.stats.dropped++;
    return undefined;
  }

  #isFresh(entry: Entry, start: ReadStart, near: boolean | "verify"): boolean {
    if (near === "verify") return this.#reports.isVerified(entry, start);
    return this.#reports.staleness(entry, start) < this.options.maxStale;
  }

  #use(entry: Entry, counter: "hits" | "verified"): RawReply {
    this.#entries.use(entry);
    this.stats[counter]++;
    this.stats.bytesSaved += entry.contentBytes;
    return entry.reply;
  }

  async #hit(client: NearClient, command: Command, entry: Entry): Promise<unknown> {
    return client.decode(command, this.#use(entry, "hits"));
  }

  /** Requests a report. If it shows that the reply in memory is still right, returns that, or else sends the command. */
  async #readAfterSync(read: Read): Promise<unknown> {
    const { client, command, id, start, limits } = read;
    const { settings } = client;
    const sync = this.#requestReport(client, limits);
    // An error reply, such as NOPERM for PING, says nothing about the read.
    await sync.done.catch((error) => {
      if (error?.outcome !== "answered") throw error?.forCommand?.(command.spec.name) ?? error;
    });
    const entry = this.#find(id);
    if (entry && this.#isFresh(entry, start, settings.near)) {
      return client.decode(command, this.#use(entry, "verified"));
    }
    if (limits) return this.#load(read);
    // One client for all reads that shared the report, so that they share the next request.
    sync.clientAfter ??= client.withSettings({ timeout: Math.max(1, settings.timeout - elapsed(start.at)) });
    return this.#load({ ...read, client: sync.clientAfter });
  }

  /** Sends a PING whose response reports all changes until now. Reads of one tick with the same limits share it. */
  #requestReport(client: NearClient, limits: Limits | undefined): ReportRequest {
    if (this.#reportRequest && hasSameSettings(this.#reportRequest.client, client))
      return this.#reportRequest;
    const ping = plainCommand("PING");
    this.#reportArgv.add(ping.argv);
    microtask(() => {
      this.#reportRequest = undefined;
    });
    this.#reportRequest = { client, done: client.send(ping, limits) };
    return this.#reportRequest;
  }

  /** Sends a read and stores the reply, or shares the reply of an equal read in flight. */
  async #load(read: Read): Promise<unknown> {
    const { client, command, id, keys, start } = read;
    this.stats.misses++;
    const shared = this.#shared.get(id);
    if (shared && this.#mayShare(shared, client, start)) return client.decode(command, await shared.reply!);
    const load = this.#beginLoad(client, keys);
    load.reply = this.#receive(read, load);
    this.#shared.set(id, load);
    const forget = () => {
      if (this.#shared.get(id) === load) this.#shared.delete(id);
    };
    // Code that serves another request must not await this promise, so only reads of the same tick share it.
    if (!this.#sharesPromises) microtask(forget);
    try {
      return client.decode(command, await load.reply);
    } finally {
      forget();
    }
  }

  /** Whether a read may share the reply of one in flight: it has the same limits, and allows a reply of that age. */
  #mayShare(load: Load, client: NearClient, { at }: ReadStart): boolean {
    const maxAge = client.settings.near === "verify" ? 0 : this.options.maxStale;
    return between(load.sentAt, at) <= maxAge && hasSameSettings(load.client, client);
  }

  async #receive({ client, command, id, limits }: Read, load: Load): Promise<RawReply> {
    try {
      const { lifetimes } = load;
      // In one request, because a write of another client in between could change the time to live.
      const isOneRequest = client.settings.autoPipelining || lifetimes.length === 0;
      const sender = isOneRequest ? client : client.withSettings({ autoPipelining: true });
      const received = sender.send(this.#receiving(command), limits) as Promise<Received>;
      const ttls = lifetimes.map((each) => sender.send(each, limits).catch(() => undefined));
      const value = await received;
      this.#store(id, load, command, value, await Promise.all(ttls));
      return value.reply;
    } finally {
      this.#loads.delete(load);
    }
  }

  #beginLoad(client: NearClient, keys: readonly string[]): Load {
    const tag: Provenance = { keys, sentAt: moment(), time: this.#reports.time, report: undefined };
    const lifetimes =
      this.#hasReplied && !this.#reports.covers(tag) ? [] : keys.map((key) => plainCommand("PTTL", key));
    const load: Load = { ...tag, buckets: keys.map(bucketOf), client, lifetimes };
    this.#loads.add(load);
    return load;
  }

  /** Returns the command with a decoder that returns a {@link Received}. */
  #receiving(command: Command): Command {
    const reports = this.#reports;
    const reply = (raw: RawReply): Received => ({ reply: raw, report: reports.current });
    return { ...command, spec: { ...command.spec, reply }, schema: undefined, inContext: undefined };
  }

  /** Stores a reply, unless one of its keys may have changed since it was read. */
  #store(id: string, load: Load, command: Command, received: Received, ttls: readonly unknown[]): void {
    const { keys, buckets, sentAt, time, changedBy } = load;
    this.#hasReplied = true;
    if (changedBy !== undefined && changedBy !== received.report) return;
    // NaN for a time that was not requested or is not known. Below 0 for a key without a time to live.
    const timesToLive = keys.map((_, at) => Number(ttls[at]));
    const timeToLive = Math.min(...timesToLive.map((ms) => (ms < 0 ? Infinity : ms)));
    // Otherwise only the age of the reply counts: the time 0 is before every report, so no report covers the reply.
    const tag =
      timeToLive > 0
        ? { time, report: received.report, timeToLive }
        : { time: 0, report: undefined, timeToLive: Infinity };
    const { reply, bytes, contentBytes } = storeReply(received.reply, command.codec.text === true);
    const size = bytes + 2 * id.length + KEY_BYTES * keys.length + ENTRY_BYTES;
    const entry = { id, reply, bytes: size, contentBytes, keys, buckets, sentAt, ...tag };
    this.stats.dropped += this.#entries.add(entry);
  }

  async #resultOf(client: NearClient, command: Command, reply: RawReply): Promise<Result> {
    try {
      return { result: await client.decode(command, reply) };
    } catch (error) {
      return { error };
    }
  }
}

/** Whether two clients have the same context and settings, and no function that returns a signal per call. */
function hasSameSettings(a: NearClient, b: NearClient): boolean {
  const names = Object.keys(a.settings) as (keyof Settings)[];
  return (
    typeof a.settings.signal !== "function" &&
    a.context === b.context &&
    names.every((name) => a.settings[name] === b.settings[name])
  );
}

/** The identity of a read: its arguments, and whether its reply is read as text or as bytes. */
const idOf = ({ argv, codec }: Command): string => (codec.text ? "t" : "b") + JSON.stringify(argv);

/** Returns a command that only reads, and whose value is its raw reply. */
function plainCommand(name: string, ...args: string[]): Command {
  const spec = { name, write: false, encodeArgs: () => [], reply: (raw: RawReply) => raw };
  const codec = { encode: String, decode: String, text: true };
  return {
    name,
    spec,
    args,
    argv: [name, ...args],
    codec,
    write: false,
    repeatable: true,
    wait: undefined,
    bytes: false,
  };
}
