import { ConfigError } from "../errors.js";
import type { CodecOption } from "../protocol/codec.js";
import { unknownOption } from "./option-names.js";

/** How a client treats a write whose outcome is unknown. */
export type WriteMode = "at-most-once" | "exactly-once" | "at-least-once";

/** How often, and when, a command that may be sent again is sent again. */
export interface RetryOptions {
  /** How many times a command that may be sent again is sent again. Default 5. */
  retries?: number;
  /**
   * Returns the wait before the nth retry, from 0, in ms. Default: exponential from 50 ms, with jitter. If it throws there
   * are no further retries.
   */
  backoff?: (retryCount: number) => number;
}

/** A Lambda context, or any other object that returns the remaining time, in ms. */
export type Deadline = { getRemainingTimeInMillis(): number } | { remaining(): number };

/** Settings that may differ from call to call: `redis.with({ ... })`. */
export interface CallOptions {
  /**
   * Rejects the call with the signal's reason. A function is called once per command, `exec()` or subscription, in the
   * asynchronous context of its caller; undefined means no signal.
   */
  signal?: AbortSignal | (() => AbortSignal | undefined);
  /** How long a call may take in all, retries included, in ms. Default 10,000. */
  timeout?: number;
  /** Keeps each call inside the time that is left when it is made, less 50 ms. */
  deadline?: Deadline;
  /**
   * How to treat a write whose outcome is unknown. `"at-most-once"` (default) never sends it again and rejects with
   * UnknownOutcomeError; `"at-least-once"` sends it again; `"exactly-once"` runs it in a script that keeps its reply
   * beside its key, so that a repeated delivery returns the first reply.
   */
  writes?: WriteMode;
  /**
   * How values are written and read: `"json"` (default, which loses no digit: see `get`), `"text"`, `"bytes"`, or two
   * functions.
   */
  codec?: CodecOption;
}

/** Options of the reference client that change nothing here: there is no telemetry. */
export interface IdleOptions {
  /** Ignored: the client has a pool of its own. */
  agent?: unknown;
  /** Ignored: there is none. */
  enableTelemetry?: boolean;
  /** Ignored; see the channels of `node:diagnostics_channel`. */
  latencyLogging?: boolean;
}

/** Settings of a client. */
export interface RedisOptions extends CallOptions, IdleOptions {
  /** The endpoint: `https://...` or `http://...`. */
  url?: string | undefined;
  /** The endpoint's bearer token. */
  token?: string | undefined;
  /** Retries of commands that may be sent again; `false` turns them off. */
  retry?: RetryOptions | false;
  /**
   * Whether connections are kept for the next command. Default true; `WARMLINE_KEEPALIVE=0` turns it off. On the entry
   * on `fetch` the runtime decides.
   */
  keepAlive?: boolean;
  /**
   * How requests use the cache of the runtime's `fetch`, on the entry on `fetch`. In Next.js, on every entry: a page
   * that uses the client is rendered for each request, unless this is `"default"`, `"force-cache"` or
   * `"only-if-cached"`: then it may keep what it read, for as long as its `revalidate` says.
   */
  cache?: "default" | "force-cache" | "no-cache" | "no-store" | "only-if-cached" | "reload";
  /** The backend that requests go to on Fastly Compute; for the entry on `fetch` alone. */
  backend?: string;
  /** The most connections to one origin at a time. Default 64. */
  maxConnections?: number;
  /**
   * The most bytes of a response. Default 536,870,912 (512 MiB), as much as warmline-gateway passes on. A larger response
   * ends its connection, and the call rejects with ProtocolError; nothing is sent again.
   */
  maxReplySize?: number;
  /** Opens a connection when the client is created. Default on where AWS_LAMBDA_FUNCTION_NAME is set. */
  preconnect?: boolean;
  /**
   * How long Redis keeps the first reply of an exactly-once write, in ms, counted from the first application. Default
   * 120,000. It must be at least 10,000 ms longer than `timeout`: the last repeat is sent before the call ends, and
   * needs time to arrive.
   */
  exactlyOnceTtl?: number;
  /** How replies travel: `"resp2"` (default) falls back to JSON where the endpoint has none. */
  responseFormat?: "resp2" | "json";
  /**
   * Whether requests ask for encoded strings. Default `"base64"`: where a reply is not in RESP2 and is read as bytes,
   * by `codec: "bytes"`, a codec of your own, `dump` or `update`. After a string that is not base64, later requests to that
   * endpoint do not ask for it. `false`: replies are plain JSON, without RESP2 and without an encoding header, and bytes that
   * are not UTF-8 are lost.
   */
  responseEncoding?: false | "base64";
  /**
   * Whether commands issued in the same turn travel as one request, in the order issued. Default true. Without it each is a
   * request of its own, and their order is open.
   */
  enableAutoPipelining?: boolean;
  /**
   * Whether a read sees what was written before it through this process, also where a replica answers. Default true;
   * it costs an endpoint with replicas a little time.
   */
  readYourWrites?: boolean;
  /** `false` is `codec: "text"`. */
  automaticDeserialization?: boolean;
}

type Check = readonly [holds: (value: unknown) => boolean, wanted: string];

const isBoolean: Check = [(value) => typeof value === "boolean", "true or false"];
const isText: Check = [(value) => typeof value === "string", "text"];
const oneOf = (...values: unknown[]): Check => [
  (value) => values.includes(value),
  `one of ${values.join(", ")}`,
];
// The types are checked where the options are used: with null too, or with null taken for left out.
const isAnything: Check = [() => true, ""];
const isNotNull: Check = [(value) => value !== null, "left out rather than null"];

/** Options of `with()` and their checks. An option that is checked where it is used accepts anything here. */
const CALL_OPTIONS: Record<keyof CallOptions, Check> = {
  signal: isNotNull,
  timeout: isAnything,
  deadline: isNotNull,
  writes: oneOf("at-most-once", "exactly-once", "at-least-once"),
  codec: isAnything,
};

const OPTIONS: Record<keyof RedisOptions, Check> = {
  // An empty one counts as missing.
  url: [(value) => !value || typeof value === "string", "text"],
  token: [(value) => !value || typeof value === "string", "text"],
  ...CALL_OPTIONS,
  retry: [
    (value) => value === false || (typeof value === "object" && value !== null),
    "an object with retries and backoff, or false",
  ],
  keepAlive: isBoolean,
  cache: oneOf("default", "force-cache", "no-cache", "no-store", "only-if-cached", "reload"),
  backend: isText,
  maxConnections: [(value) => Number.isInteger(value) && Number(value) > 0, "a whole number, 1 or more"],
  maxReplySize: isAnything,
  preconnect: isBoolean,
  exactlyOnceTtl: isNotNull,
  responseFormat: oneOf("resp2", "json"),
  enableAutoPipelining: isBoolean,
  readYourWrites: isBoolean,
  automaticDeserialization: isBoolean,
  agent: isAnything,
  enableTelemetry: isBoolean,
  latencyLogging: isBoolean,
  responseEncoding: oneOf(false, "base64"),
};

/** @throws ConfigError unless these are options of a client, each of its type. Undefined counts as left out. */
export function checkOptions(given: RedisOptions): void {
  check(given, OPTIONS);
  const { retry } = given;
  if (retry) check(retry, { retries: isNotNull, backoff: isNotNull }, "retry.");
}

/** @throws ConfigError unless these are options that `with()` may change, each of its type. */
export function checkCallOptions(given: CallOptions): void {
  assertConfig(
    typeof given === "object" && given !== null,
    "with() needs an object of options, such as { timeout: 500 }",
  );
  for (const name of Object.keys(given)) {
    const fixed = Object.hasOwn(OPTIONS, name) && !Object.hasOwn(CALL_OPTIONS, name);
    assertConfig(!fixed, `with() can't change ${name}: pass it to new Redis()`);
  }
  check(given, CALL_OPTIONS);
}

function check(given: object, checks: Record<string, Check>, path = ""): void {
  assertConfig(!Array.isArray(given), "options must be an object");
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, name)) throw new ConfigError(unknownOption(name, Object.keys(checks)));
    const [holds, wanted] = checks[name]!;
    assertConfig(value === undefined || holds(value), `${path}${name} must be ${wanted}`);
  }
}

/** An endpoint, taken apart once per client. */
export interface Endpoint {
  readonly origin: string;
  /** The path that commands are sent to, without a slash at its end. */
  readonly path: string;
  readonly token: string;
}

/** Prefixes of the variables of a complete pair. URL and TOKEN follow them. */
const PREFIXES = ["WARMLINE_", "UPSTASH_REDIS_REST_", "KV_REST_API_"];

/** The first complete pair of url and token in the environment. */
export function readEndpointFromEnv(
  env: Record<string, string | undefined>,
): Pick<RedisOptions, "url" | "token"> {
  for (const prefix of PREFIXES) {
    const url = env[`${prefix}URL`];
    const token = env[`${prefix}TOKEN`];
    if (url && token) return { url, token };
  }
  return {};
}

/** Whether an object is an environment, as Cloudflare hands it to a Worker, rather than options. */
export function isEnvironment(value: object): value is Record<string, string | undefined> {
  return PREFIXES.some((prefix) => `${prefix}URL` in value || `${prefix}TOKEN` in value);
}

/** @throws ConfigError with the message, unless the condition holds. */
export function assertConfig(holds: boolean, message: string): void {
  if (!holds) throw new ConfigError(message);
}

/**
 * @returns the endpoint, or the error that every command is to be rejected with when url or token is missing:
 * a build that only imports a module which creates a client has to pass.
 * @throws ConfigError when the url or the token is malformed.
 */
export function parseEndpoint({ url, token }: RedisOptions): Endpoint | ConfigError {
  if (!url || !token) {
    const missing = url ? "token" : token ? "url" : "url and token";
    const names = PREFIXES.map((prefix) => `${prefix}URL and ${prefix}TOKEN`).join(", or ");
    return new ConfigError(`${missing} missing: pass them to new Redis({ url, token }), or set ${names}`);
  }
  const { origin, protocol, pathname, username, password, search, hash } = parseUrl(url);
  assertConfig(
    !/^rediss?:/.test(protocol),
    "url is a redis:// address: run `npx warmline-gateway --redis <url>` and pass the url that it prints",
  );
  assertConfig(/^https?:/.test(protocol), "url must begin with https:// or http://");
  assertConfig(!username && !password, "url must not contain a user or password: pass the token as `token`");
  assertConfig(!search && !hash, 'url must not contain "?" or "#"');
  // Characters that a header can hold. A line break pasted along with the token is the usual mistake.
  assertConfig(
    /^[\x21-\x7e]+$/.test(token),
    "token has a character that a header can't contain, such as a line break",
  );
  return { origin, path: pathname.replace(/\/+$/, ""), token };
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new ConfigError("url must be a URL such as https://host");
  }
}
