import type { Redis } from "../client/redis.js";
import { RedisError } from "../errors.js";
import { executorOf } from "../execution/executor-key.js";
import type { Script } from "../features/script.js";
import type { CachedSettings } from "./options.js";
import { CHECK_TAGS, DELETE_TAG, LOOK_UP, RELEASE, STORE } from "./scripts.js";

/** A stored result. */
export interface StoredResult {
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

/** The state of an entry. */
export type Lookup =
  | { readonly state: "found"; readonly result: StoredResult }
  | { readonly state: "leased"; readonly lease: Lease; readonly stale: StoredResult | undefined }
  | { readonly state: "wait"; readonly ms: number };

/** The reply of {@link LOOK_UP}. */
type LookupReply = [
  state: "fresh" | "stale" | "wait" | "lease",
  more: string | number,
  value: string | null,
  id: string,
  version: number,
  tags: string,
  newest: number,
];

/** Lets Upstash lock only the keys of a script, and not the whole database. Other servers refuse it. */
const KEY_LOCKING = "#!lua flags=allow-key-locking\n";

/** The results of one cached function in Redis. */
export class ResultStore {
  readonly #client: Redis;
  readonly #name: string;
  readonly #settings: CachedSettings;
  /** Time in ms for which the deletion of a tag may concern an entry. */
  readonly #keep: number;
  readonly #scripts = new Map<string, Script<any>>();
  /** Whether entries and the deletions of tags are in different slots of a cluster. */
  #isSplit = false;
  #lacksKeyLocking = false;

  /** @param client sends writes again, and reads replies as text. */
  constructor(client: Redis, name: string, settings: CachedSettings) {
    this.#client = client;
    this.#name = name;
    this.#settings = settings;
    this.#keep = settings.lease + settings.lifetime;
  }

  /** Whether a result is only stored if none of its tags was deleted during its computation. */
  get checksTagsWhenStoring(): boolean {
    return !this.#isSplit;
  }

  /**
   * Reads an entry, or takes the lease.
   * @param token identifies the caller.
   * @param ignored the id of an entry that counts as none.
   * @param timeout in ms. Default: that of the client.
   */
  async lookUp(key: string, token: string, ignored = "", timeout?: number): Promise<Lookup> {
    const { lease, fresh, lifetime, tags } = this.#settings;
    const args = (without: string) => [token, lease, fresh, lifetime, without, this.#keep];
    const run = (keys: string[], without: string): Promise<LookupReply> =>
      this.#run(LOOK_UP, keys, args(without), timeout);
    const entry = this.#entryKey(key);
    if (!tags) return toLookup(await run([entry], ignored));
    if (!this.#isSplit) {
      try {
        return toLookup(await run([entry, this.#tagsKey], ignored));
      } catch (error) {
        if (!(error instanceof RedisError && error.code === "CROSSSLOT")) throw error;
        this.#isSplit = true;
      }
    }
    const check = (...more: (string | number)[]): Promise<number> =>
      this.#run(CHECK_TAGS, [this.#tagsKey], [this.#keep, ...more], timeout);
    for (let without = ignored; ; ) {
      const [reply, newest] = await Promise.all([run([entry], without), check()]);
      const [state, more, value, id, version, ownTags] = reply;
      const isLive =
        value === null || ownTags === "" || version >= newest || (await check(version, ownTags)) === 1;
      if (isLive || state === "lease")
        return toLookup([state, more, isLive ? value : null, id, version, ownTags, newest]);
      without = id;
    }
  }

  /**
   * Stores a result, and ends the lease.
   * @returns whether it was stored. It is refused if the lease has ended, or if the entry or one of the tags was deleted.
   */
  async store(key: string, lease: Lease, text: string, tags: string): Promise<boolean> {
    const args = [lease.id, text, this.#settings.lifetime, lease.version, tags];
    return (await this.#run(STORE, this.#keysFor(key), args)) === 1;
  }

  /** Ends the lease without a result. */
  async release(key: string, lease: Lease): Promise<void> {
    await this.#run(RELEASE, [this.#entryKey(key)], [lease.id]);
  }

  async delete(key: string): Promise<void> {
    await this.#client.del(this.#entryKey(key));
  }

  async deleteTag(tag: string): Promise<void> {
    await this.#run(DELETE_TAG, [this.#tagsKey], [this.#keep, tag]);
  }

  #entryKey(key: string): string {
    return `${this.#name}:cached:${key}`;
  }

  get #tagsKey(): string {
    return `${this.#name}:cached`;
  }

  #keysFor(key: string): string[] {
    const hasBoth = this.#settings.tags !== undefined && !this.#isSplit;
    return hasBoth ? [this.#entryKey(key), this.#tagsKey] : [this.#entryKey(key)];
  }

  async #run(lua: string, keys: string[], args: (string | number)[], timeout?: number): Promise<any> {
    const { isThirdParty } = executorOf(this.#client).context.protocol;
    if (isThirdParty && !this.#lacksKeyLocking) {
      try {
        return await this.#script(KEY_LOCKING + lua, timeout).exec(keys, args);
      } catch (error) {
        // The server is not Upstash's.
        if (!(error instanceof RedisError && /shebang|flag/i.test(error.message))) throw error;
        this.#lacksKeyLocking = true;
      }
    }
    return this.#script(lua, timeout).exec(keys, args);
  }

  #script(text: string, timeout: number | undefined): Script<any> {
    if (timeout !== undefined) return this.#client.with({ timeout }).createScript(text);
    let script = this.#scripts.get(text);
    if (!script) {
      script = this.#client.createScript(text);
      this.#scripts.set(text, script);
    }
    return script;
  }
}

function toLookup([state, more, value, id, , , newest]: LookupReply): Lookup {
  const result = value === null ? undefined : { text: value, id };
  if (state === "wait") return { state: "wait", ms: more as number };
  if (state === "lease")
    return { state: "leased", lease: { id: more as string, version: newest }, stale: result };
  return { state: "found", result: result! };
}
