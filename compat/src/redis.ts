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

/** A client with the reference's members and no others, so that packages that add their own to it fit. */
export interface Redis extends Commands<Immediate>, Namespaces<Immediate>, Builders<Immediate> {
  /** Collects commands that `exec()` sends as one request. */
  pipeline(): Pipeline;
  /** Collects commands that `exec()` runs as one transaction. */
  multi(): Pipeline;
  /** Sends any command, word by word. */
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

/** @template Config what the constructor takes, which differs between the entries. */
export interface RedisConstructor<Config> {
  new (config: Config, env?: object): Redis;
  new (requester: Requester): Redis;
  readonly prototype: Redis;
}

/** The reference's class on warmline's client of a platform. */
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

/** The names of all options, so that those which packages hand on of their own can be left out. */
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

/** Options without those that are not the client's: as the reference, this class leaves them unread. */
function knownOptions(config: object): RedisOptions {
  return Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(OPTIONS, name)));
}

/** Defines own properties of the client, which work when detached. */
function giveErrorsAsText(client: WarmlineRedis): void {
  const { pipeline, multi } = client;
  Object.assign(client, {
    pipeline: () => withErrorsAsText(pipeline()),
    multi: () => withErrorsAsText(multi()),
  });
}
