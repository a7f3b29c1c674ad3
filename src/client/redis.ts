import type { Builders, Commands, Namespaces } from "../commands/index.js";
import { SEND, type Target } from "../commands/modules/target.js";
import type { Immediate, Key } from "../commands/reply-mode.js";
import type { CommandSpec } from "../commands/spec.js";
import type { CommandExecutor } from "../execution/executor.js";
import { executorOf } from "../execution/executor-key.js";
import type { Middleware, Requester } from "../execution/middleware.js";
import type { Iterators } from "../features/iterators.js";
import type { ReadonlyScript, Script } from "../features/script.js";
import type { Subscriber } from "../features/subscribe/subscriber.js";
import type { UpdateOptions, Updater } from "../features/update.js";
import { assertConfig } from "../options/assert-config.js";
import { ENV, type Env, isEnvironment, readEndpointFromEnv } from "../options/endpoint.js";
import type {
  CallOptions,
  CodecName,
  CodecValue,
  EndpointEnv,
  EnvOptions,
  NearStats,
  RedisOptions,
  ScopeOptions,
} from "../options/options.js";
import type { ConnectionStats } from "../transport/transport.js";
import { boundMethods, inherited, PROTOTYPE } from "./methods.js";
import type { Pipeline } from "./pipeline.js";
import { createExecutor, type Platform } from "./platform.js";

/** Counts of what happened to an origin's connections, and to the near cache of a client. */
export interface ClientStats extends ConnectionStats {
  /** Counts of the near cache, if the client has one. */
  near?: NearStats;
}

/** The client `Client`, of this class or one of its own, with another type of stored values. */
export type WithValues<Client, V> = keyof Client extends keyof Redis
  ? Redis<V>
  : Redis<V> & Omit<Client, keyof Redis>;

/**
 * A client of one endpoint. Make one outside the handler; making more costs next to nothing.
 *
 * @typeParam V the type that the client's codec gives stored values: `unknown` for JSON.
 */
export interface Redis<V = unknown>
  extends Commands<Immediate<V>>,
    Namespaces<Immediate<V>>,
    Builders<Immediate<V>>,
    Iterators<V>,
    Target<Immediate<V>> {
  /** Collects commands that `exec()` sends as one request. Its order to other requests is as with `with()`. */
  pipeline(): Pipeline<[], V>;
  /** Collects commands that `exec()` runs as one transaction: all of them, without other clients' commands in between. */
  multi(): Pipeline<[], V>;
  /**
   * Sends any command, argument by argument: `redis.exec(["SET", "key", "value"])`.
   * @throws ArgumentError when the command changes the state of a connection, which are shared over HTTP.
   */
  exec<T = unknown>(command: readonly [name: string, ...args: unknown[]]): Promise<T>;
  /**
   * A Lua script that is sent by its digest.
   * @param options `readonly`: it only reads, and so may run on a replica and be repeated.
   */
  createScript<T = unknown, R extends boolean = false, Args extends readonly unknown[] = unknown[]>(
    script: string,
    options?: { readonly?: R | boolean | undefined },
  ): R extends true ? ReadonlyScript<T, Args> : Script<T, Args>;
  /**
   * Reads a key, changes its value by a function, and stores the result unless another client changed the key
   * meanwhile; then it starts over. The key keeps its time to live.
   * @param change gets the value or null; returns the new value, null to delete the key, undefined to leave it. It may
   * be called several times.
   * @returns what is stored now.
   * @throws WarmlineError if other clients changed the key at every attempt.
   */
  update<T = V>(key: Key, change: Updater<T>, options?: UpdateOptions): Promise<T | null>;
  /**
   * Listens to channels. Messages are read by the client's codec, as values are.
   * @throws ArgumentError if a name can't be sent. The subscriber emits any other error.
   */
  subscribe<TMessage = V>(channels: string | readonly string[]): Subscriber<TMessage>;
  /** Listens to every channel that fits one of these glob patterns. */
  psubscribe<TMessage = V>(patterns: string | readonly string[]): Subscriber<TMessage>;
  /**
   * Listens to sharded channels, which `spublish` sends to. It needs an endpoint that has them, such as warmline-gateway.
   * @see https://redis.io/commands/ssubscribe/
   */
  ssubscribe<TMessage = V>(channels: string | readonly string[]): Subscriber<TMessage>;
  /**
   * Streams the commands that Redis runs, line by line: `for await (const line of redis.monitor())`. Leaving the loop ends
   * the stream. `redis.with({ signal }).monitor()` can be ended from outside. If the stream is lost, the loop throws.
   */
  monitor(): AsyncGenerator<string, void, undefined>;
  /**
   * Returns the same client with other settings, for one call or many. What a class of your own keeps in fields goes along.
   * With `codec`, the types of stored values change: `redis.with({ codec: "bytes" }).get(key)` gives a Uint8Array or null.
   *
   * Its commands are requests of their own. A request may reach Redis before one that was issued earlier, also in the same
   * turn: await the first where the order matters.
   */
  with<Name extends CodecName = never, V = never>(
    options: CallOptions<Name, V> & ScopeOptions,
  ): [Name | V] extends [never] ? this : WithValues<this, CodecValue<Name, V>>;
  /** The option `prefix`, for patterns of `scan` and for names in replies, which have it. */
  readonly keyPrefix: string | undefined;
  /** The endpoint's sync token: hand it to another process, and its reads see what was written here. */
  readYourWritesSyncToken: string | undefined;
  /** Puts `middleware` around every request of this client, outside of what was put before. */
  use(middleware: Middleware): void;
  /**
   * Opens a connection ahead of need. On Node it also checks an idle connection that may be dead, by a PING, so that the
   * first write need not wait for one. Settles when that is done, has failed or has taken a second. Never rejects.
   */
  ready(): Promise<void>;
  /** Counts of what happened to this origin's connections since the process began, and to the client's near cache. */
  stats(): ClientStats;
  /** Closes the origin's idle connections; a command after that opens a new one. */
  close(): void;
}

/** Makes clients. */
export interface RedisConstructor {
  /**
   * @param options the endpoint and settings, or a requester: an object that sends the client's requests by itself.
   * @throws ConfigError when an option is malformed. A missing url or token rejects the first command instead.
   */
  new <Name extends CodecName = CodecName, V = any>(
    options?: RedisOptions<Name, V> | Requester,
  ): Redis<CodecValue<Name, V>>;
  /**
   * A client of the endpoint that the environment names: the first complete pair of WARMLINE_URL and
   * WARMLINE_TOKEN, UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, KV_REST_API_URL and KV_REST_API_TOKEN. While there
   * is no such pair, each command reads the environment again, and is rejected with ConfigError if there still is none.
   * @param envOrOptions settings, or the environment where there is no `process.env`, such as the one passed to a handler of
   * Cloudflare Workers.
   * @param options settings, after an environment.
   */
  fromEnv<Name extends CodecName = CodecName, V = any>(
    envOrOptions?: EnvOptions<Name, V> | EndpointEnv,
    options?: EnvOptions<Name, V>,
  ): Redis<CodecValue<Name, V>>;
  /** The prototype of every client's methods. */
  readonly prototype: Redis<any>;
}

/** The client class of a platform. */
export function createRedisClass(platform: Platform): RedisConstructor {
  /** Clients with the same options share an executor. Options that are not plain data get one of their own. */
  const known: { readonly options: RedisOptions; readonly executor: CommandExecutor }[] = [];
  const getExecutor = (options: RedisOptions): CommandExecutor => {
    const same = known.find((each) => equal(each.options, options));
    if (same) return same.executor;
    const executor = createExecutor(platform, options);
    const isPlain = Object.values(options).every(
      (value) => Object(value) !== value || value === options.transport,
    );
    // A client without an endpoint may find one in the environment later.
    if (isPlain && options.url && options.token && known.length < 100)
      known.push({ options: { ...options }, executor });
    return executor;
  };

  class RedisClient {
    declare readonly [PROTOTYPE]: object;

    constructor(options: RedisOptions | Requester = {}, ...more: unknown[]) {
      assertConfig(
        typeof options === "object" && options !== null && more.length === 0,
        "new Redis() needs an object of options, such as { url, token }",
      );
      const executor = "request" in options ? createExecutor(platform, {}, options) : getExecutor(options);
      // Methods bound once per core and class, not once per client: a client made in every invocation is one object.
      // biome-ignore lint/correctness/noConstructorReturn: this is how an instance gets the shared methods
      return Object.create(boundMethods(executor, new.target.prototype));
    }

    static fromEnv(first: object = {}, second?: RedisOptions): Redis {
      const isEnv = second !== undefined || isEnvironment(first);
      const env = isEnv ? (first as Env) : platform.env();
      const options: RedisOptions = isEnv ? (second ?? {}) : first;
      assertConfig(
        options.url === undefined && options.token === undefined,
        "fromEnv() reads url and token from the environment: pass them to new Redis() instead",
      );
      return new this({
        ...options,
        ...readEndpointFromEnv(env),
        [ENV]: env,
      } as RedisOptions) as unknown as Redis;
    }

    get keyPrefix(): string | undefined {
      return executorOf(this).context.prefix;
    }

    get readYourWritesSyncToken(): string | undefined {
      return executorOf(this).context.protocol.syncToken;
    }

    set readYourWritesSyncToken(token: string | undefined) {
      executorOf(this).context.protocol.syncToken = token ?? "";
    }

    [SEND](spec: CommandSpec, args: unknown[]): Promise<unknown> {
      return executorOf(this).run(spec, args);
    }
  }
  // Minified classes have lost their names.
  Object.defineProperty(RedisClient, "name", { value: "Redis" });
  Object.setPrototypeOf(RedisClient.prototype, inherited);
  return RedisClient as unknown as RedisConstructor;
}

/** Whether two objects have the same properties. */
function equal<T extends object>(one: T, other: T): boolean {
  for (const name in other) if (one[name] !== other[name] || !(name in one)) return false;
  for (const name in one) if (!(name in other)) return false;
  return true;
}
