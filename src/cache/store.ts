import type { Redis } from "../client/redis.js";
import { RedisError } from "../errors.js";
import { executorOf } from "../execution/executor-key.js";
import type { Script } from "../features/script.js";
import type { CachedSettings } from "./options.js";
import { CHECK_TAGS, DELETE_TAG, LOOK_UP, RELEASE, STORE } from "./scripts.js";

/** A stored result. */
interface StoredResult {
  readonly text: string;
  /** Identifies the entry. */
  readonly id: string;
}

/** The right to compute and store a result. */
export interface Lease {
  readonly id: string;
  /** The version of the newest deletion of a tag before the computation. */
  readonly version: number;
}

/** Returns the time in ms that a request may take, at least 1. */
export type TimeLeft = () => number;

/** The state of an entry. */
type Lookup =
  | { readonly state: "found"; readonly result: StoredResult }
  | { readonly state: "leased"; readonly lease: Lease; readonly stale: StoredResult | undefined }
  | { readonly state: "wait"; readonly ms: number };

/** The reply of {@link LOOK_UP}. */
type LookupReply = [
  state: "fresh" | "stale" | "wait" | "lease",
  leaseOrWait: string | number,
  value: string | null,
  id: string,
  version: number,
  tags: string,
  newest: number,
];

/** First line of a script for Upstash, which then locks only the script's keys. Other servers refuse this line. */
const KEY_LOCKING = "#!lua flags=allow-key-locking\n";

/** A request gets a client with a shorter timeout only once more than this time in ms of the timeout has passed. */
const SLACK = 10;

/** The results of one cached function in Redis. */
export class ResultStore {
  /** Timeout of the client in ms. */
  readonly timeout: number;
  /** Time in ms for which the deletion of a tag may concern an entry. */
  readonly #keep: number;
  readonly #scripts = new Map<string, Script<any>>();
  /** Whether entries and the deletions of tags are in different slots of a cluster: then storing a result checks no tags. */
  isSplit = false;
  #lacksKeyLocking = false;

  /** @param client has the codec `text`, and sends writes at least once. */
  constructor(
    private readonly client: Redis,
    private readonly name: string,
    private readonly settings: CachedSettings,
  ) {
    this.timeout = executorOf(client).settings.timeout;
    this.#keep = settings.lease + settings.lifetime;
  }

  /** Reads an entry, unless its id is `ignored`, or takes the lease for the caller whose `token` it is. */
  async lookUp(key: string, token: string, left: TimeLeft, ignored = ""): Promise<Lookup> {
    const { lease, fresh, lifetime, tags } = this.settings;
    const args = (ignoredId: string) => [token, lease, fresh, lifetime, ignoredId, this.#keep];
    const run = (keys: string[], ignoredId: string, client?: Redis): Promise<LookupReply> =>
      this.#run(LOOK_UP, keys, args(ignoredId), left, client);
    const entry = this.#entryKey(key);
    if (tags && !this.isSplit) {
      try {
        return toLookup(await run([entry, this.#tagsKey], ignored));
      } catch (error) {
        if (getCode(error) !== "CROSSSLOT") throw error;
        this.isSplit = true;
      }
    }
    const check = (client?: Redis, ...versionAndTags: (string | number)[]): Promise<number> =>
      this.#run(CHECK_TAGS, [this.#tagsKey], [this.#keep, ...versionAndTags], left, client);
    for (let ignoredId = ignored; ; ) {
      // Commands of one client share a request.
      const client = this.#clientFor(left);
      const [reply, newest] = await Promise.all([run([entry], ignoredId, client), tags ? check(client) : 0]);
      const [state, leaseOrWait, value, id, version, entryTags] = reply;
      // An instance without the option tags may read the result of an instance with it.
      const isLive =
        value === null ||
        entryTags === "" ||
        (tags && version >= newest) ||
        (await check(undefined, version, entryTags)) === 1;
      if (isLive || state === "lease")
        return toLookup([state, leaseOrWait, isLive ? value : null, id, version, entryTags, newest]);
      ignoredId = id;
    }
  }

  /**
   * Stores a result, and ends the lease.
   * @returns whether it was stored. It is refused if the lease has ended, or if the entry or one of the tags was deleted.
   */
  async store(key: string, lease: Lease, text: string, tags: string, left: TimeLeft): Promise<boolean> {
    const keys = [this.#entryKey(key)];
    if (this.settings.tags && !this.isSplit) keys.push(this.#tagsKey);
    const args = [lease.id, text, this.settings.lifetime, lease.version, tags];
    return (await this.#run(STORE, keys, args, left)) === 1;
  }

  /** Ends the lease without a result. */
  async release(key: string, lease: Lease, left: TimeLeft): Promise<void> {
    await this.#run(RELEASE, [this.#entryKey(key)], [lease.id], left);
  }

  async delete(key: string): Promise<void> {
    await this.client.del(this.#entryKey(key));
  }

  async deleteTag(tag: string): Promise<void> {
    await this.#run(DELETE_TAG, [this.#tagsKey], [this.#keep, tag], () => this.timeout);
  }

  #entryKey(key: string): string {
    return `${this.name}:cached:${key}`;
  }

  get #tagsKey(): string {
    return `${this.name}:cached`;
  }

  /** Runs a script. Each request gets the time that is left as its timeout. */
  #run(
    lua: string,
    keys: string[],
    args: (string | number)[],
    left: TimeLeft,
    client = this.#clientFor(left),
  ): Promise<any> {
    const { isThirdParty } = executorOf(this.client).context.protocol;
    const text = isThirdParty && !this.#lacksKeyLocking ? KEY_LOCKING + lua : lua;
    return this.#script(text, client)
      .evalsha(keys, args)
      .catch((error: unknown) => {
        if (getCode(error) !== "NOSCRIPT") throw error;
        return this.#clientFor(left).eval(text, keys, args);
      })
      .catch((error: unknown) => {
        // The server is not Upstash. Redis before version 7 compiles the line as Lua.
        if (text === lua || !/shebang|flag|compiling/.test((error as Error).message)) throw error;
        this.#lacksKeyLocking = true;
        return this.#run(lua, keys, args, left);
      });
  }

  #clientFor(left: TimeLeft): Redis {
    const timeout = left();
    return timeout > this.timeout - SLACK ? this.client : this.client.with({ timeout });
  }

  #script(text: string, client: Redis): Script<any> {
    if (client !== this.client) return client.createScript(text);
    const script = this.#scripts.get(text) ?? client.createScript(text);
    this.#scripts.set(text, script);
    return script;
  }
}

const getCode = (error: unknown) => (error instanceof RedisError ? error.code : undefined);

function toLookup([state, leaseOrWait, value, id, , , newest]: LookupReply): Lookup {
  const result = value === null ? undefined : { text: value, id };
  if (state === "wait") return { state: "wait", ms: leaseOrWait as number };
  if (state === "lease")
    return { state: "leased", lease: { id: leaseOrWait as string, version: newest }, stale: result };
  return { state: "found", result: result! };
}
