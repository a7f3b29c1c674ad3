/** The treatment of a write whose outcome is unknown. */
export type WriteMode = "at-most-once" | "exactly-once" | "at-least-once";

/** The number of retries and the pauses before them. */
export interface RetryOptions {
  /** Maximum number of times that a command is sent again, if it may be. Default 5. */
  retries?: number | undefined;
  /**
   * Returns the pause in ms before a retry. `retryCount` is 0 for the first one. Default: exponential from 50 ms, with jitter. If the
   * function throws, there are no further retries.
   */
  backoff?: ((retryCount: number) => number) | undefined;
}

/** Times of the circuit. */
export interface CircuitOptions {
  /** Time in ms until the next attempt to reach an origin that does not respond. Default 1,000; doubled after each attempt, up to 30,000. */
  resetTimeout?: number | undefined;
  /** Time in ms for the response to the circuit's PING. Default 500. Never more than half of a call's timeout; longer if opening the connection took long. */
  probeTimeout?: number | undefined;
}

/** A command or a request in traces. It contains no key and no value, unless `tracing.args` is true. */
export interface TraceContext {
  /** `command`: from the call of a method until it settles. `request`: one HTTP request, with its retries. */
  readonly operation: "command" | "request";
  /** Redis's name of the command. For a batch `PIPELINE` or `MULTI`, then the name of its commands if they are all the same: `PIPELINE GET`. */
  readonly command: string;
  /** Number of commands in a pipeline or transaction. */
  readonly batchSize?: number | undefined;
  /** The command's arguments, if `tracing.args` is true. */
  readonly args?: readonly (string | Uint8Array)[] | undefined;
  /** Host of the endpoint. */
  readonly serverAddress: string;
  /** Port of the endpoint. */
  readonly serverPort: number;
  /** Headers to send with the request, such as `traceparent`: a hook or a subscriber of a request's start may set them. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Called at the start of a command or request. Returns a function to call at its end, with the error if it failed. */
export type TraceHook = (context: TraceContext) => ((error?: unknown) => void) | undefined;

/** Options of traces. */
export interface TracingOptions {
  /** Whether the trace of a command contains its arguments, which may be user data. Default false. */
  args?: boolean | undefined;
  /** Called for each command and request, also on runtimes without `node:diagnostics_channel`. */
  hook?: TraceHook | undefined;
}

/** A Lambda context, or any other object that returns the remaining time, in ms. */
export type Deadline = { getRemainingTimeInMillis(): number } | { remaining(): number };

/** The members of an AbortSignal that the client needs. */
export interface AbortSignalLike {
  /** Whether it is aborted. */
  readonly aborted: boolean;
  /** The error that calls reject with when it is aborted. */
  readonly reason: unknown;
  /** Adds a listener for its abort event. */
  addEventListener(type: "abort", listener: { handleEvent(): void }): void;
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: { handleEvent(): void }): void;
}

/** The runtime's AbortSignal, or AbortSignalLike if the program has no types for it. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : AbortSignalLike;

/** A codec of your own: `encode` returns text or bytes, `decode` gets the stored bytes. */
export interface CustomCodec<V = unknown> {
  /** Returns the text or bytes to store for a value. */
  encode(value: unknown): string | Uint8Array;
  /** Returns the value for the stored bytes. */
  decode(stored: Uint8Array): V;
}

/** The name of a built-in codec. */
export type CodecName = "json" | "text" | "bytes";

/** The codec of values: a name, or two functions that decode a `V`. */
export type CodecOption<Name extends CodecName = CodecName, V = unknown> = Name | CustomCodec<V>;

/**
 * The type of stored values under the codec `Name`, or under a codec of your own that decodes a `V`. `any` or
 * `never` means that there is no codec of your own. If `V` is `unknown`, the type is `any`, because the codec may store values that JSON can't hold.
 */
export type CodecValue<Name extends CodecName, V = any> = [V] extends [never]
  ? CodecValue<Name>
  : 0 extends V & 1
    ? Name extends "bytes"
      ? Uint8Array
      : Name extends "text"
        ? string
        : unknown
    : unknown extends V
      ? any
      : V;

/** Settings that may differ from call to call: `redis.with({ ... })`. */
export interface CallOptions<Name extends CodecName = CodecName, V = unknown> {
  /**
   * Rejects the call with the signal's reason. A function is called once per command, `exec()` or subscription, in the
   * asynchronous context of its caller; undefined means no signal.
   */
  signal?: Signal | (() => Signal | undefined) | undefined;
  /** Timeout of a call in ms, including retries. Default 2,500: within the 3 s that a Lambda function has by default. */
  timeout?: number | undefined;
  /** Retries of commands that may be sent again; `false` turns them off. */
  retry?: RetryOptions | false | undefined;
  /** Limits each call to the time that is left when it is made, less 50 ms. */
  deadline?: Deadline | undefined;
  /**
   * The treatment of a write whose outcome is unknown. `"at-most-once"` (default) never sends it again and rejects with
   * UnknownOutcomeError; `"at-least-once"` sends it again; `"exactly-once"` runs it in a script that keeps its reply
   * beside its key, so that a repeated delivery returns the first reply.
   */
  writes?: WriteMode | undefined;
  /** The codec of values: `"json"` (default, loses no digit: see `get`), `"text"`, `"bytes"`, or your own. */
  codec?: CodecOption<Name, V> | undefined;
  /**
   * The use of the client's near cache by reads: `true` (default) returns replies from memory that are younger than `maxStale`,
   * `"verify"` returns them only after Redis has confirmed that they have not changed, `false` does not use memory. Only with `near` of `new Redis()`.
   */
  near?: boolean | "verify" | undefined;
}

/** Counts of a near cache since it was created. */
export interface NearStats {
  /** Reads served from memory, without a request. */
  hits: number;
  /** Reads served from memory after a small request, which reported that nothing had changed. */
  verified: number;
  /** Reads of keys of the cache that were not served from memory. */
  misses: number;
  /** Replies removed because a key that is reported together with theirs had changed. */
  invalidated: number;
  /** Replies removed because the memory was full or their key had expired, and those removed by the client's own writes. */
  dropped: number;
  /** Bytes of the replies that were read from memory. */
  bytesSaved: number;
}

/** A near cache: what `near()` of `warmline/near` returns. */
export interface NearCache {
  /** Counts since it was created. */
  readonly stats: Readonly<NearStats>;
}

/** Settings of the writes of one delivery of an event: `redis.with({ writes: "exactly-once", scope: messageId })`. */
export interface ScopeOptions {
  /**
   * The id of the event, 1 to 256 characters. The token of a write derives from it, from the ordinal of the write in this
   * client, and from its arguments: when the event is delivered again, the same writes return their first replies and
   * change nothing. Needs `writes: "exactly-once"`. Call `with()` once per delivery: each call counts from one.
   */
  scope?: string | undefined;
  /** Time in seconds for which a redelivery finds the first replies. Default 86,400, a day. */
  remember?: number | undefined;
  /**
   * Whether a write that differs from the write with the same ordinal in an earlier run is rejected, with a RedisError of
   * code `OTHERPATH`. Later writes are applied if no earlier run got as far. The record of the writes is the key
   * `<scope>:wl:path`.
   * Default false: such a write gets a new token.
   */
  strict?: boolean | undefined;
}

/** Options of `@upstash/redis` that have no effect here. */
export interface IdleOptions {
  /** Ignored: the client has a pool of its own. */
  agent?: unknown | undefined;
  /** Ignored: there is no telemetry. */
  enableTelemetry?: boolean | undefined;
  /** Ignored; see the channels of `node:diagnostics_channel`. */
  latencyLogging?: boolean | undefined;
}

/** Certificates as PEM, as for `tls.connect` of Node. */
export interface TlsOptions {
  /** The authorities to trust, in place of Node's own. */
  ca?: string | Uint8Array | (string | Uint8Array)[] | undefined;
  /** The client's certificate, with the certificates that lead to its authority. */
  cert?: string | Uint8Array | undefined;
  /** The private key of `cert`. */
  key?: string | Uint8Array | undefined;
  /** The passphrase of `key`. */
  passphrase?: string | undefined;
}

/** Creates the transport of a client: what `undici()` of `warmline/undici` returns. */
export type TransportFactory = (origin: string, options: RedisOptions, maxReplySize: number) => object;

/** Settings of a client. */
export interface RedisOptions<Name extends CodecName = CodecName, V = unknown>
  extends Omit<CallOptions<Name, V>, "near">,
    IdleOptions {
  /** The near cache of the client's reads: `near({ match })` of `warmline/near`. Default: none. */
  near?: NearCache | undefined;
  /** The endpoint: `https://...` or `http://...`. */
  url?: string | undefined;
  /** The endpoint's bearer token. */
  token?: string | undefined;
  /**
   * Text that precedes every key that this client sends: with `prefix: "shop:"`, `get("cart")` reads `shop:cart`. Well-formed,
   * not empty, and without `*`. Default: none.
   *
   * Keys in pipelines, transactions, scripts, streams and near caches get it too. Replies, the patterns of `scan` and `keys`, and
   * channels do not: see docs/prefix.md. A command whose keys are not known, such as FT.SEARCH, rejects with ArgumentError.
   */
  prefix?: string | undefined;
  /**
   * Whether connections are kept for the next command. Default true; `WARMLINE_KEEPALIVE=0` turns it off. With
   * `warmline/fetch` the runtime decides.
   */
  keepAlive?: boolean | undefined;
  /** A private authority or a client certificate for TLS, only on Node. NODE_EXTRA_CA_CERTS works too. */
  tls?: TlsOptions | undefined;
  /**
   * A proxy that opens tunnels by CONNECT: `http://user:password@host:3128`, or `https://...`. Only on the entry for Node. Default:
   * HTTPS_PROXY for an https:// url, unless NO_PROXY excludes its host. `false`: none.
   */
  proxy?: string | false | undefined;
  /** Replaces the client's connections: `undici(dispatcher)` of `warmline/undici`, for proxies and mocks. */
  transport?: TransportFactory | undefined;
  /**
   * The cache mode of requests by the runtime's `fetch`, on the entry that uses `fetch`. Default `"no-store"`. In Next.js, on every
   * entry: a page that uses the client is rendered for each request, unless this is `"default"`, `"force-cache"` or
   * `"only-if-cached"`. With these the page may be stored, for the time of its `revalidate`.
   */
  cache?: "default" | "force-cache" | "no-cache" | "no-store" | "only-if-cached" | "reload" | undefined;
  /** The backend of requests on Fastly Compute. Only with `warmline/fetch`. */
  backend?: string | undefined;
  /** Maximum number of connections to one origin at a time. Default 64. */
  maxConnections?: number | undefined;
  /**
   * Maximum size of a response in bytes. Default 536,870,912 (512 MiB), the limit of warmline-gateway. A larger response ends its
   * connection, and the call rejects with ProtocolError; nothing is sent again.
   */
  maxReplySize?: number | undefined;
  /**
   * The circuit fails calls at once, with a ConnectionError whose `code` is `"circuit-open"`, while the endpoint does not respond.
   * It opens when a call has failed without a response, and a PING got no response either. `false` turns it off. Only on the entry
   * for Node.
   */
  circuit?: CircuitOptions | false | undefined;
  /**
   * Traces of commands and requests. On Node they are published on the channels `tracing:warmline:command` and
   * `tracing:warmline:request` of `node:diagnostics_channel`; `hook` works on every entry.
   */
  tracing?: TracingOptions | undefined;
  /**
   * Prints a line for each request and each retry: the command's name, the result, the time, but no key and no value. Default
   * false. On Node the lines go to stderr, and cover all clients of the process and their connections, as with `NODE_DEBUG=warmline`.
   * With `warmline/fetch` they go to `console.log`.
   */
  debug?: boolean | undefined;
  /** Whether to open a connection when the client is created. Default: whether AWS_LAMBDA_FUNCTION_NAME is set. */
  preconnect?: boolean | undefined;
  /**
   * Lifetime of the stored reply of an exactly-once write, in ms, from the first application. Default 120,000. It must be at least
   * 10,000 ms longer than `timeout`, because the last repeat is sent before the call ends, and needs time to arrive.
   */
  exactlyOnceTtl?: number | undefined;
  /** Format of responses. `"resp2"` (default) falls back to JSON if the endpoint does not support it. */
  responseFormat?: "resp2" | "json" | undefined;
  /**
   * `"base64"` (default): a request asks for base64 if its reply will be read as bytes (`codec: "bytes"`, a codec of your own,
   * `dump`, `update`) and is not in RESP2. An endpoint that once returns a string that is not base64 is not asked again. `false`: replies are plain JSON, without RESP2 and without an encoding header, and bytes that are not UTF-8
   * are lost.
   */
  responseEncoding?: false | "base64" | undefined;
  /**
   * Whether commands issued in the same tick are sent as one request, in the order issued. On the client's own connections,
   * commands that are issued while other requests are under way share the next request, also those of several ticks. Default true. `false`: each command is a request of its own,
   * and their order is not defined.
   */
  enableAutoPipelining?: boolean | undefined;
  /**
   * Whether a read sees the earlier writes of this process, even if a replica serves it. Default true. It costs an endpoint with
   * replicas a little time.
   */
  readYourWrites?: boolean | undefined;
  /** `false` is `codec: "text"`. */
  automaticDeserialization?: boolean | undefined;
}

/** Settings of a client whose endpoint the environment names. */
export type EnvOptions<Name extends CodecName = CodecName, V = unknown> = Omit<
  RedisOptions<Name, V>,
  "url" | "token"
>;

/** Variables that name an endpoint, as in the environment passed to a handler of Cloudflare Workers. */
export type EndpointEnv =
  | {
      [Name in `${"WARMLINE_" | "UPSTASH_REDIS_REST_" | "KV_REST_API_"}${"URL" | "TOKEN"}`]?:
        | string
        | undefined;
    }
  | { [name: Uppercase<string>]: unknown };
