import type {
  Builders,
  Commands,
  Immediate,
  Middleware,
  Namespaces,
  ReadonlyScript,
  RedisOptions,
  Script,
  Subscriber,
  RedisConstructor as WarmlineConstructor,
  Redis as WarmlineRedis,
} from "warmline";
import type { Requester } from "./options.js";
import { type Pipeline, withErrorsAsText } from "./pipeline.js";
import { search } from "./upstash-only/search.js";
import { vector } from "./upstash-only/vector.js";

/** A client with exactly the members of @upstash/redis, so that it fits packages that add members. */
export interface Redis extends Commands<Immediate>, Namespaces<Immediate>, Builders<Immediate> {
  /** Collects commands that `exec()` sends as one request. */
  pipeline(): Pipeline;
  /** Collects commands that `exec()` runs as one transaction. */
  multi(): Pipeline;
  /** Sends any command, given as its name and arguments. */
  exec<TResult = unknown>(command: readonly [name: string, ...args: unknown[]]): Promise<TResult>;
  /** A Lua script that is sent by its digest. */
  createScript<TResult = unknown, TReadonly extends boolean = false>(
    script: string,
    options?: { readonly?: TReadonly | boolean },
  ): TReadonly extends true ? ReadonlyScript<TResult> : Script<TResult>;
  subscribe<TMessage = unknown>(channels: string | string[]): Subscriber<TMessage>;
  psubscribe<TMessage = unknown>(patterns: string | string[]): Subscriber<TMessage>;
  /** Puts `middleware` around every request of this client. */
  use(middleware: Middleware): void;
  readYourWritesSyncToken: string | undefined;
  /** Does nothing: there is no telemetry. Upstash's packages call it. */
  addTelemetry(telemetry: object): void;
  /** Search indexes of Upstash's own server. Every call rejects with an UpstashError. */
  readonly search: typeof search;
  /** Vector indexes of Upstash's own server. Every call rejects with an UpstashError. */
  readonly vector: typeof vector;
}

/** @template Config the options of an entry's constructor. */
export interface RedisConstructor<Config> {
  new (config: Config, env?: object): Redis;
  new (requester: Requester): Redis;
  readonly prototype: Redis;
}

/** Returns the class of @upstash/redis on warmline's client for a platform. */
export function compatible<C extends object>(Client: WarmlineConstructor): C {
  class CompatibleClient extends Client {
    constructor(config: object) {
      super(("request" in config ? config : knownOptions(config)) as RedisOptions);
      giveErrorsAsText(this);
    }

    override use(middleware: Middleware): void {
      super.use(middleware);
      giveErrorsAsText(this);
    }

    addTelemetry(): void {}

    get search() {
      return search;
    }

    get vector() {
      return vector;
    }
  }
  return CompatibleClient as unknown as C;
}

/** The names of all options. Packages pass their own options too, which are left out. */
const OPTIONS: Record<keyof RedisOptions, true> = {
  agent: true,
  automaticDeserialization: true,
  backend: true,
  circuit: true,
  cache: true,
  codec: true,
  deadline: true,
  debug: true,
  enableAutoPipelining: true,
  enableTelemetry: true,
  exactlyOnceTtl: true,
  keepAlive: true,
  latencyLogging: true,
  maxConnections: true,
  maxReplySize: true,
  near: true,
  preconnect: true,
  prefix: true,
  readYourWrites: true,
  responseEncoding: true,
  responseFormat: true,
  retry: true,
  signal: true,
  proxy: true,
  timeout: true,
  tls: true,
  token: true,
  tracing: true,
  transport: true,
  url: true,
  writes: true,
};

/** Returns the options that the client knows. Like @upstash/redis, this class ignores others. */
function knownOptions(config: object): RedisOptions {
  return Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(OPTIONS, name)));
}

/** Replaces `pipeline` and `multi` by own properties, which work when detached. */
function giveErrorsAsText(client: WarmlineRedis): void {
  const { pipeline, multi } = client;
  Object.assign(client, {
    pipeline: () => withErrorsAsText(pipeline()),
    multi: () => withErrorsAsText(multi()),
  });
}
