import type { Builders, Commands, Namespaces } from "../commands/index.js";
import { commandMethod, commandNames } from "../commands/methods.js";
import { SEND, type Target } from "../commands/modules/target.js";
import { boundProperty, onDemand, valueProperty } from "../commands/on-demand.js";
import type { Immediate, Key } from "../commands/reply-mode.js";
import type { CommandSpec } from "../commands/spec.js";
import { ArgumentError, ConfigError } from "../errors.js";
import { CommandExecutor } from "../execution/executor.js";
import type { Middleware, Requester, RequestHandler } from "../execution/middleware.js";
import { resolveSettings, withOptions } from "../execution/settings.js";
import type { Iterators } from "../features/iterators.js";
import type * as LazyFeatures from "../features/lazy-features.js";
import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";
import { createSubscriber, type Subscriber } from "../features/subscribe/subscriber.js";
import type { UpdateOptions, Updater } from "../features/update.js";
import { findUnknownOption } from "../options/option-names.js";
import {
  assertConfig,
  type CallOptions,
  type Endpoint,
  isEnvironment,
  parseEndpoint,
  type RedisOptions,
  readEndpointFromEnv,
} from "../options/options.js";
import type { HttpRequest } from "../protocol/http.js";
import { type BatchPath, Protocol } from "../protocol/rest-protocol.js";
import type { ConnectionStats, Transport } from "../transport/transport.js";
import { createPipeline, type Pipeline } from "./pipeline.js";
import { createScript, type ReadonlyScript, type Script } from "./script.js";

/** A client of one endpoint. Make one outside the handler; making more costs next to nothing. */
export interface Redis
  extends Commands<Immediate>,
    Namespaces<Immediate>,
    Builders<Immediate>,
    Iterators,
    Target<Immediate> {
  /** Collects commands that `exec()` sends as one request. Its order to other requests is as with `with()`. */
  pipeline(): Pipeline;
  /** Collects commands that `exec()` runs as one transaction: all of them, without other clients' commands in between. */
  multi(): Pipeline;
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
    options?: { readonly?: R | boolean },
  ): R extends true ? ReadonlyScript<T, Args> : Script<T, Args>;
  /**
   * Reads a key, changes its value by a function, and stores the result unless another client changed the key
   * meanwhile; then it starts over. The key keeps its time to live.
   * @param change gets the value or null; returns the new value, null to delete the key, undefined to leave it. It may
   * be called several times.
   * @returns what is stored now.
   * @throws WarmlineError if other clients changed the key at every attempt.
   */
  update<T = unknown>(key: Key, change: Updater<T>, options?: UpdateOptions): Promise<T | null>;
  /**
   * Listens to channels. Messages are read by the client's codec, as values are.
   * @throws ArgumentError if a name can't be sent. The subscriber emits any other error.
   */
  subscribe<TMessage = unknown>(channels: string | readonly string[]): Subscriber<TMessage>;
  /** Listens to every channel that fits one of these glob patterns. */
  psubscribe<TMessage = unknown>(patterns: string | readonly string[]): Subscriber<TMessage>;
  /**
   * Streams the commands that Redis runs, line by line: `for await (const line of redis.monitor())`. Leaving the loop ends
   * the stream. `redis.with({ signal }).monitor()` can be ended from outside. If the stream is lost, the loop throws.
   */
  monitor(): AsyncGenerator<string, void, undefined>;
  /**
   * Returns the same client with other settings, for one call or many. What a class of your own keeps in fields goes along.
   *
   * Its commands are requests of their own. A request may reach Redis before one that was issued earlier, also in the same
   * turn: await the first where the order matters.
   */
  with(options: CallOptions): this;
  /** The endpoint's sync token: hand it to another process, and its reads see what was written here. */
  readYourWritesSyncToken: string | undefined;
  /** Puts `middleware` around every request of this client, outside of what was put before. */
  use(middleware: Middleware): void;
  /** Settles once a connection has been opened ahead of need, or could not be. Never rejects. */
  ready(): Promise<void>;
  /** Counts of what happened to this origin's connections since the process began. */
  stats(): ConnectionStats;
  /** Closes the origin's idle connections; a command after that opens a new one. */
  close(): void;
}

/** Makes clients. */
export interface RedisConstructor {
  /** @throws ConfigError when an option is malformed. A missing url or token rejects the first command instead. */
  new (options?: RedisOptions): Redis;
  /** A client whose requests something else carries. */
  new (requester: Requester): Redis;
  /**
   * A client of the endpoint that the environment names: the first complete pair of WARMLINE_URL and
   * WARMLINE_TOKEN, UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, KV_REST_API_URL and KV_REST_API_TOKEN.
   */
  fromEnv(options?: Omit<RedisOptions, "url" | "token">): Redis;
  /** A client of the endpoint that `env` names, such as the environment passed to a handler of Cloudflare Workers. */
  fromEnv(env: object, options?: Omit<RedisOptions, "url" | "token">): Redis;
  /** The prototype of every client's methods. */
  readonly prototype: Redis;
}

/** Runtime-specific parts of a client. */
export interface Platform {
  env(): Record<string, string | undefined>;
  /** Whether a client opens a connection when it is created, by default. */
  preconnects?(): boolean;
  createTransport(endpoint: Endpoint, options: RedisOptions, probe: HttpRequest): Transport;
  /** The lazy features, or a function that loads them on first use, for entries whose size matters. */
  lazyFeatures: typeof LazyFeatures | (() => Promise<typeof LazyFeatures>);
  /** Returns the SHA-1 digest of a text in hexadecimal digits, where the runtime has it synchronously. */
  sha1?(text: string): string;
  /** Returns a caller that runs functions in the current asynchronous context, where responses arrive in another one. */
  contextNow?(): <T>(read: () => T) => T;
  /** Returns a function to call before each command of a client, if needed. Its promise is awaited. */
  beforeCalls?(options: RedisOptions): (() => Promise<unknown> | undefined) | undefined;
}

/** The key of a function that returns the client's executor: an inspected client does not show its token. */
const EXECUTOR = Symbol("executor");
const PROTOTYPE = Symbol("prototype");

/** The client class of a platform. */
export function createRedisClass(platform: Platform): RedisConstructor {
  /** Clients with the same options share an executor. Options that are not plain data get one of their own. */
  const executors = new Map<string, CommandExecutor>();
  let last: { readonly options: RedisOptions; readonly executor: CommandExecutor } | undefined;
  const getExecutor = (options: RedisOptions): CommandExecutor => {
    // A handler that makes its client anew gives the same again: to compare them takes a fraction of making a key.
    if (last && equal(last.options, options)) return last.executor;
    const isPlain = (item: unknown) =>
      item === null || Number.isFinite(item) || /string|boolean|undefined/.test(typeof item);
    if (!Object.values(options).every(isPlain)) return createExecutor(platform, options);
    const key = JSON.stringify(options);
    let executor = executors.get(key);
    if (!executor) {
      executor = createExecutor(platform, options);
      if (executors.size < 100) executors.set(key, executor);
    }
    last = { options: { ...options }, executor };
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
      const env = isEnv ? (first as Record<string, string | undefined>) : platform.env();
      const options: RedisOptions = isEnv ? (second ?? {}) : first;
      assertConfig(
        options.url === undefined && options.token === undefined,
        "fromEnv() reads url and token from the environment: pass them to new Redis() instead",
      );
      return new this({ ...options, ...readEndpointFromEnv(env) }) as unknown as Redis;
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
  Object.defineProperty(RedisClient.prototype, "use", boundProperty("use", use));
  Object.setPrototypeOf(RedisClient.prototype, inherited);
  return RedisClient as unknown as RedisConstructor;
}

/** Puts middleware around the requests of one client. */
const use = (client: { readonly [PROTOTYPE]: object }) => (middleware: Middleware) => {
  // From here on this client differs from those that it shared its methods with.
  const executor = executorOf(client).withMiddleware(middleware);
  // A replaced method that calls the original one would bypass the middleware.
  for (const name of Object.keys(client)) if (getMethod(name)) Reflect.deleteProperty(client, name);
  Object.setPrototypeOf(client, bind(executor, client[PROTOTYPE]));
  Object.defineProperty(client, EXECUTOR, { value: () => executor, configurable: true });
};

/** Whether two objects have the same properties. */
function equal<T extends object>(one: T, other: T): boolean {
  for (const name in other) if (one[name] !== other[name] || !(name in one)) return false;
  for (const name in one) if (!(name in other)) return false;
  return true;
}

/** The executor of a client; undefined where the object is none, as in a method that was taken out. */
function executorOf(client: object): CommandExecutor {
  return (client as { [EXECUTOR]?: () => CommandExecutor })[EXECUTOR]?.() as CommandExecutor;
}

/** Where there is no endpoint; nothing is sent there. */
const NOWHERE: Endpoint = { origin: "http://localhost", path: "", token: "none" };

function createExecutor(platform: Platform, options: RedisOptions, requester?: Requester): CommandExecutor {
  const settings = resolveSettings(options);
  const endpoint = requester ? undefined : parseEndpoint(options);
  const missing = endpoint instanceof ConfigError;
  if (missing) console.warn(`warmline: ${endpoint.message}`);
  const usable = missing ? NOWHERE : (endpoint ?? NOWHERE);
  const plain = options.responseEncoding === false || requester !== undefined;
  const protocol = new Protocol(
    usable,
    options.responseFormat !== "json" && !plain,
    !plain,
    options.readYourWrites !== false && !requester,
  );
  const transport = platform.createTransport(usable, options, protocol.ping());
  if (usable !== NOWHERE && (options.preconnect ?? platform.preconnects?.())) void transport.preconnect();
  const beforeCall = platform.beforeCalls?.(options);
  const requestHandler: RequestHandler | undefined = requester && ((request) => requester.request(request));
  return new CommandExecutor(
    { platform, transport, protocol, endpoint, requestHandler, beforeCall },
    settings,
  );
}

const tables = new WeakMap<CommandExecutor, Map<object, object>>();

function boundMethods(executor: CommandExecutor, prototype: object): object {
  let byPrototype = tables.get(executor);
  if (!byPrototype) {
    byPrototype = new Map();
    tables.set(executor, byPrototype);
  }
  let methods = byPrototype.get(prototype);
  if (!methods) {
    methods = bind(executor, prototype);
    byPrototype.set(prototype, methods);
  }
  return methods;
}

/** An object with every method bound to the executor, above the prototype, whose own methods win. */
function bind(executor: CommandExecutor, prototype: object): object {
  const taken = (name: string) => {
    for (let at: object | null = prototype; at && at !== inherited; at = Object.getPrototypeOf(at)) {
      if (Object.hasOwn(at, name)) return true;
    }
    return name in Object.prototype;
  };
  const methods = onDemand(
    prototype,
    (name) => valueProperty(getMethod(name)?.(executor, prototype)),
    methodNames,
    taken,
  );
  return Object.defineProperties(methods, {
    [EXECUTOR]: { value: () => executor },
    [PROTOTYPE]: { value: prototype },
  });
}

/** Makes what stands under a name, if anything does. */
function getMethod(name: string): Bound | undefined {
  // The client's own first: to find that a name is no command's, all specs are made.
  const own = clientMethods[name];
  const make = own ? undefined : commandMethod(name);
  return make ? (executor) => make((spec, args) => executor.run(spec, args)) : own;
}

type Bound = (executor: CommandExecutor, prototype: object) => unknown;

const pipeline =
  (path: BatchPath): Bound =>
  (executor) =>
  () =>
    createPipeline(executor, path);

const subscribeBy =
  (method: SubscribeMethod): Bound =>
  (executor) =>
  (names: string | readonly string[], ...more: unknown[]) => {
    if (more.length === 0) return createSubscriber(executor, method, names);
    const message = 'takes one argument: add a listener with .on("message", listener)';
    throw new ArgumentError(`${method}() ${message}`, { command: method.toUpperCase() });
  };

const iterateBy =
  (name: "scan" | "hscan" | "sscan" | "zscan"): Bound =>
  (executor) =>
    async function* (...args: unknown[]) {
      yield* (await executor.loadLazyFeatures()).iterate(executor, name, ...args);
    };

const clientMethods: Record<string, Bound> = {
  pipeline: pipeline("pipeline"),
  multi: pipeline("multi-exec"),
  exec: (executor) => async (command: readonly unknown[]) => executor.raw(command),
  createScript:
    (executor) =>
    (script: string, options: { readonly?: boolean } = {}) => {
      checkNames("createScript", options, "readonly");
      return createScript(executor, script, options.readonly ?? false);
    },
  update:
    (executor) =>
    async (key: Key, change: Updater<unknown>, options: UpdateOptions = {}) => {
      checkNames("update", options, "attempts");
      return (await executor.loadLazyFeatures()).update(executor, key, change, options);
    },
  subscribe: subscribeBy("subscribe"),
  psubscribe: subscribeBy("psubscribe"),
  monitor: (executor) =>
    async function* () {
      yield* (await executor.loadLazyFeatures()).monitor(executor);
    },
  scanIterator: iterateBy("scan"),
  hscanIterator: iterateBy("hscan"),
  sscanIterator: iterateBy("sscan"),
  zscanIterator: iterateBy("zscan"),
  with: (executor, prototype) =>
    function (this: object | undefined, options: CallOptions) {
      const client = derived(executor.withSettings(withOptions(executor.settings, options)), prototype);
      // The fields of its user's class, but not what was put in a method's place: that has the settings of before.
      if (this && executorOf(this) === executor) {
        for (const name of Object.keys(this)) {
          if (!getMethod(name))
            Object.defineProperty(client, name, Object.getOwnPropertyDescriptor(this, name)!);
        }
      }
      return client;
    },
  ready: (executor) => () => executor.context.transport.preconnect(),
  stats: (executor) => () => ({ ...executor.context.transport.stats }),
  close: (executor) => () => executor.context.transport.close(),
};

/** @throws ArgumentError for an option that the method does not have. */
function checkNames(method: string, options: object, ...known: string[]): void {
  const unknown = findUnknownOption(options, known);
  if (unknown) throw new ArgumentError(`${method}: ${unknown}`, { command: undefined });
}

const methodNames = () => [...commandNames(), ...Object.keys(clientMethods)];

/**
 * The prototype of every class of clients: its methods are bound whenever they are looked up. Clients for one call or a
 * few have no others, and `super.get(key)` in a class of the user's finds them here.
 */
const inherited = onDemand(
  Object.prototype,
  (name) => {
    const method = getMethod(name);
    return (
      method && {
        get(this: { [PROTOTYPE]: object }) {
          return method(executorOf(this), this[PROTOTYPE]);
        },
      }
    );
  },
  methodNames,
);

/** A client for one call or a few. */
function derived(executor: CommandExecutor, prototype: object): object {
  return Object.create(prototype, {
    [EXECUTOR]: { value: () => executor, configurable: true },
    [PROTOTYPE]: { value: prototype },
  });
}
