import { boundMethods, inherited, PROTOTYPE } from "./methods.js";

// That import stays first: bundles keep the order of imports, and gzip finds more repetitions in this one.

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
import type { Pipeline } from "./pipeline.js";
import { createExecutor, type Platform } from "./platform.js";

/** Counts of what happened to an origin's connections, and to the near cache of a client. */
export interface ClientStats extends ConnectionStats {
  /** Counts of the near cache, if the client has one. */
  near?: NearStats;
}

/** The client `Client`, of this class or a subclass, with another type of stored values. */
export type WithValues<Client, V> = keyof Client extends keyof Redis
  ? Redis<V>
  : Redis<V> & Omit<Client, keyof Redis>;

/**
 * A client of one endpoint. Create one outside the handler. More clients cost next to nothing.
 *
 * @typeParam V the type that the client's codec gives stored values: `unknown` for JSON.
 */
export interface Redis<V = unknown>
  extends Commands<Immediate<V>>,
    Namespaces<Immediate<V>>,
    Builders<Immediate<V>>,
    Iterators<V>,
    Target<Immediate<V>> {
  /** Collects commands that `exec()` sends as one request. `with()` describes its order relative to other requests. */
  pipeline(): Pipeline<[], V>;
  /** Collects commands that `exec()` runs as one transaction: all of them, without other clients' commands in between. */
  multi(): Pipeline<[], V>;
  /**
   * Sends any command, argument by argument: `redis.exec(["SET", "key", "value"])`.
   * @throws ArgumentError if the command would change the state of a connection: over HTTP connections are shared.
   */
  exec<T = unknown>(command: readonly [name: string, ...args: unknown[]]): Promise<T>;
  /**
   * Creates a Lua script that is sent by its digest.
   * @param options `readonly`: the script only reads, so it may run on a replica and be sent again.
   */
  createScript<T = unknown, R extends boolean = false, Args extends readonly unknown[] = unknown[]>(
    script: string,
    options?: { readonly?: R | boolean | undefined },
  ): R extends true ? ReadonlyScript<T, Args> : Script<T, Args>;
  /**
   * Reads a key, changes its value by a function, and stores the result. If another client changed the key meanwhile, it starts
   * over. The key keeps its time to live.
   * @param change gets the value or null. Returns the new value, null to delete the key, or undefined to leave it unchanged. It may
   * be called several times.
   * @returns the value that is stored now.
   * @throws WarmlineError if other clients changed the key at every attempt.
   */
  update<T = V>(key: Key, change: Updater<T>, options?: UpdateOptions): Promise<T | null>;
  /**
   * Listens to channels. Messages are decoded by the client's codec, like values.
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
   * Returns a client with other settings, for one call or many. If this client is of a subclass, its fields are copied. With `codec`, the types of
   * stored values change: `redis.with({ codec: "bytes" }).get(key)` gives a Uint8Array or null.
   *
   * Its commands do not share requests with those of this client. A request may reach Redis before an earlier one, also of the same
   * tick: await the first if the order matters.
   */
  with<Name extends CodecName = never, V = never>(
    options: CallOptions<Name, V> & ScopeOptions,
  ): [Name | V] extends [never] ? this : WithValues<this, CodecValue<Name, V>>;
  /** The option `prefix`. It is not added to patterns of `scan`, and not removed from names in replies. */
  readonly keyPrefix: string | undefined;
  /** The endpoint's sync token. Another process that sets it sees the writes of this one. */
  readYourWritesSyncToken: string | undefined;
  /** Wraps every request of this client in `middleware`. The middleware added last is called first. */
  use(middleware: Middleware): void;
  /**
   * Opens a connection before the first command. On Node it also sends a PING on an idle connection that may be dead, so that the first
   * write need not wait for that. Settles when it is done, has failed or has taken a second. Never rejects.
   */
  ready(): Promise<void>;
  /** Counts of what happened to this origin's connections since the process began, and to the client's near cache. */
  stats(): ClientStats;
  /** Closes the origin's idle connections; a command after that opens a new one. */
  close(): void;
}

/** Creates clients. */
export interface RedisConstructor {
  /**
   * @param options the endpoint and settings, or a requester: an object that sends the client's requests.
   * @throws ConfigError if an option is malformed. A missing url or token rejects each command instead.
   */
  new <Name extends CodecName = CodecName, V = any>(
    options?: RedisOptions<Name, V> | Requester,
  ): Redis<CodecValue<Name, V>>;
  /**
   * Creates a client of the endpoint in the environment: the first complete pair of WARMLINE_URL and WARMLINE_TOKEN,
   * UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, KV_REST_API_URL and KV_REST_API_TOKEN. While there is no such pair, each
   * command reads the environment again, and rejects with ConfigError if there is still no pair.
   * @param envOrOptions settings, or the environment if there is no `process.env`, such as that of a handler of Cloudflare
   * Workers.
   * @param options settings, after an environment.
   */
  fromEnv<Name extends CodecName = CodecName, V = any>(
    envOrOptions?: EnvOptions<Name, V> | EndpointEnv,
    options?: EnvOptions<Name, V>,
  ): Redis<CodecValue<Name, V>>;
  /** The prototype of every client's methods. */
  readonly prototype: Redis<any>;
}

/** Creates the client class of a platform. */
export function createRedisClass(platform: Platform): RedisConstructor {
  /** Executors of clients with plain options. Clients with the same options share one. */
  const shared: { readonly options: RedisOptions; readonly executor: CommandExecutor }[] = [];
  const getExecutor = (options: RedisOptions): CommandExecutor => {
    const same = shared.find((candidate) => hasSameProperties(candidate.options, options));
    if (same) return same.executor;
    const executor = createExecutor(platform, options);
    // Options that are compared by value, and the transport, which is compared by identity.
    const isPlain = Object.values(options).every(
      (value) => Object(value) !== value || value === options.transport,
    );
    // A client without an endpoint may find one in the environment later.
    if (isPlain && options.url && options.token && shared.length < 100)
      shared.push({ options: { ...options }, executor });
    return executor;
  };

  class RedisClient {
    declare readonly [PROTOTYPE]: object;

    constructor(options: RedisOptions | Requester = {}, ...surplus: unknown[]) {
      assertConfig(
        typeof options === "object" && options !== null && !Array.isArray(options) && surplus.length === 0,
        "new Redis() needs options, such as { url, token }",
      );
      const executor = "request" in options ? createExecutor(platform, {}, options) : getExecutor(options);
      // Methods are bound once per executor and class, so that a client created in every invocation is one object.
      // biome-ignore lint/correctness/noConstructorReturn: this is how an instance gets the shared methods
      return Object.create(boundMethods(executor, new.target.prototype));
    }

    static fromEnv(first?: object, second?: RedisOptions): Redis {
      const isEnv = second !== undefined || isEnvironment(first ?? {});
      const env = ((isEnv && first) || platform.env()) as Env;
      const options: RedisOptions = (isEnv ? second : first) ?? {};
      assertConfig(
        options.url === undefined && options.token === undefined,
        "fromEnv() reads url and token from the environment: pass them to new Redis()",
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
  // Minification removes the name of a class.
  Object.defineProperty(RedisClient, "name", { value: "Redis" });
  Object.setPrototypeOf(RedisClient.prototype, inherited);
  return RedisClient as unknown as RedisConstructor;
}

/** Whether two objects have the same properties. */
function hasSameProperties<T extends object>(a: T, b: T): boolean {
  for (const name in b) if (a[name] !== b[name] || !(name in a)) return false;
  for (const name in a) if (!(name in b)) return false;
  return true;
}
