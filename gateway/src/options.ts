import { MAX_ARGS, openedCommands } from "./access/denial-reasons.js";
import { checkHosts, checkOrigins, isLoopbackName } from "./access/origin.js";
import { checkTokens, TOKEN_FORM, TOKEN_RULE, type TokenOptions } from "./access/tokens.js";
import type { Engine } from "./engine/engine.js";
import { connectionsByFileLimit } from "./http/file-limit.js";
import { TrustedProxies } from "./http/trusted-proxies.js";
import { LOG_LEVELS, type LogLevel } from "./log/log.js";
import { defaultBufferedBytes } from "./memory/buffer-budget.js";
import type { CommandListener } from "./trace/traced-command.js";
import { READ_POLICIES, type ReadPolicy } from "./upstream/cluster/read-policy.js";
import { parseRedisUrl } from "./upstream/redis-address.js";
import { parseRoutes } from "./upstream/routes/route-text.js";

/** How a gateway is set up. */
export interface GatewayOptions {
  /**
   * The Redis to start and front, and to end with the gateway: `"auto"` (default) a `redis-server` or `valkey-server`
   * on PATH, else the embedded engine; `"embedded"`; the path of a server; or an engine already started.
   */
  readonly engine?: "auto" | "embedded" | (string & {}) | Engine;
  /**
   * A folder in which the Redis that the gateway starts keeps its data between runs; default: none, the data is gone at the
   * end. One gateway at a time can use it.
   */
  readonly persist?: string;
  /**
   * A file of commands that run on the Redis that the gateway starts, before it listens: one a line, quoted as in redis-cli or
   * as a JSON array; `#` begins a comment line. Data that `persist` kept is not seeded again.
   */
  readonly seed?: string;
  /**
   * The Redis to front instead, by URL: `redis://`, `rediss://` or `unix://`; several hosts with commas between them for
   * a cluster (one is enough: whether a server is a node of a cluster is found out);
   * `redis+sentinel://host:port,host:port/group` for what Sentinels watch.
   */
  readonly redis?: string;
  /**
   * Further Redis by the prefix of keys, each as `prefix=URL`, such as `sess:=redis://host:6379`; the longest prefix that
   * fits counts, `*=URL` stands for the rest in place of `redis`, and `?strip=true` in the URL takes the prefix off the
   * keys. What has no keys, subscriptions too, goes to the rest. A command whose keys lie on two routes is refused.
   */
  readonly routes?: readonly string[];
  /** A file of certificates (PEM) to trust when Redis is reached by TLS; default: the system's. */
  readonly redisCa?: string;
  /**
   * Who answers reads of a cluster; default `primary`. The others may not have yet what was just written:
   * `prefer-replica` asks a replica, and the primary when none answers; `replica` asks replicas alone; `any` all alike.
   */
  readonly readPolicy?: ReadPolicy;
  /** How often the topology of a cluster is asked for in any case, in ms; default 60,000. */
  readonly topologyRefresh?: number;
  /** After how many redirections the topology of a cluster is asked for; default 1, once a second at most. */
  readonly topologyRedirects?: number;
  /** The address to listen on; default 127.0.0.1. Beyond loopback a `token` must be given. */
  readonly host?: string;
  /** The port to listen on; default 8079, 0 for any free one. */
  readonly port?: number;
  /** The token that clients must send. Default: a random one, see `Gateway.token`. */
  readonly token?: string;
  /** A file that holds the token, in place of `token`; read again when it changes. */
  readonly tokenFile?: string;
  /** Further tokens, each with a role, a Redis user, a key prefix. With these and no `token` there is no other. */
  readonly tokens?: readonly TokenOptions[];
  /** A YAML or JSON file with such a list; read again when it changes, connections stay. */
  readonly tokensFile?: string;
  /** The secret that seals the tokens of `ACL RESTTOKEN`. Default: the token. All gateways of a service need the same. */
  readonly restTokenSecret?: string;
  /** Commands to open that are refused otherwise, such as `CONFIG GET` or `CLIENT LIST`; default none. */
  readonly allowCommand?: readonly string[];
  /** The most commands in a pipeline or a transaction; default 100,000. */
  readonly maxCommands?: number;
  /** The most arguments in a command, its name included; default 1,048,576. */
  readonly maxArgs?: number;
  /** The largest request body, in bytes; default 10 MB (10 * 1024 * 1024). */
  readonly maxBodySize?: number;
  /** The largest reply of Redis that is passed on, in bytes; default 512 MB. */
  readonly maxReplySize?: number;
  /**
   * Bytes of request bodies and replies that are buffered at a time for all requests together; default a quarter of the
   * memory that the process may use. Requests beyond it wait, or fail with 503.
   */
  readonly maxBufferedBytes?: number;
  /** How long Redis may take over a command, in ms; default 4,000. A blocking one gets its own timeout on top. */
  readonly commandTimeout?: number;
  /** Connections to Redis that ordinary commands share; default 1. */
  readonly redisConnections?: number;
  /** Connections for blocking commands, one each while they wait; default 64. */
  readonly maxBlockingConnections?: number;
  /** Connections for transactions, one each while they run; default 8. */
  readonly maxTransactionConnections?: number;
  /**
   * Commands waiting or unanswered on one shared connection before more are refused; default 100,000. What pipelines of more
   * than a thousand have not sent yet counts against other such pipelines alone.
   */
  readonly maxQueuedCommands?: number;
  /**
   * The most that one of several tokens may hold of the connections for blocking commands and for transactions, of the
   * event streams and of the queued commands, in percent; default 50. A single token may hold all.
   */
  readonly tokenShare?: number;
  /** File of the certificate, in PEM, with which to speak TLS; read again when it changes. Goes with `tlsKey`. */
  readonly tlsCert?: string;
  /** File of that certificate's key, in PEM. */
  readonly tlsKey?: string;
  /** How long a client connection may be idle, in ms; advertised to clients; default 310,000. */
  readonly keepAliveTimeout?: number;
  /** How long the head of a request may take from its first byte, in ms; default 10,000. */
  readonly headersTimeout?: number;
  /** How long the body of a request may take, and the reader of a response without taking any of it, in ms; default 60,000. */
  readonly bodyTimeout?: number;
  /**
   * Client connections above which each new one costs the one that has been idle for longest; default four fifths of
   * `maxConnections`.
   */
  readonly softMaxConnections?: number;
  /** Client connections above which new ones are refused; default what the limit of open files leaves, 50,000 at most. */
  readonly maxConnections?: number;
  /** Event streams (`/subscribe`, `/psubscribe`, `/monitor`) open at a time; default 1,000. */
  readonly maxStreams?: number;
  /** Channels and patterns on one event stream; default 1,000. */
  readonly maxStreamChannels?: number;
  /** Bytes that an event stream's reader may be behind before it is cut off; default 1 MB (1024 * 1024). */
  readonly streamBuffer?: number;
  /** How often an event stream shows that it is alive, in ms; default 25,000. */
  readonly streamHeartbeat?: number;
  /**
   * How long a closing gateway goes on to accept connections, in ms, while `/ready` says that it is closing: as long as a
   * load balancer takes to notice; default 0.
   */
  readonly drainDelay?: number;
  /** How long `Gateway.close` waits for requests in flight, in ms; default 5,000. */
  readonly shutdownTimeout?: number;
  /** Whether GET and HEAD may run commands that write, as the Upstash protocol has it; default true. */
  readonly allowGetWrites?: boolean;
  /** Origins whose web pages may send requests, such as `https://app.example`, or `*`; default none. */
  readonly cors?: readonly string[];
  /** The least severe log lines written to stderr, as JSON; default `warn`. */
  readonly logLevel?: LogLevel;
  /** Whether each request is logged, at level `info`: what it asked for, never a key, a value or a token; default false. */
  readonly logRequests?: boolean;
  /**
   * From how many ms on a request is logged at level `warn`, with its command's name; default 0 for never. Blocking commands
   * and event streams are left out.
   */
  readonly slowLog?: number;
  /**
   * Proxies in front of the gateway, as IP addresses or ranges such as `10.0.0.0/8`, whose `X-Forwarded-For` and PROXY headers
   * say where a client is; default none.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Whether every connection begins with a header of the PROXY protocol, version 2, sent by one of `trustedProxies`; a
   * connection without one is closed. Default false.
   */
  readonly proxyProtocol?: boolean;
  /** Names, beside loopback ones, that the Host header may hold while listening on loopback; default none. */
  readonly allowedHosts?: readonly string[];
  /** Whether browsers get a console page at `/`; default: only where no `token` was given, as in development. */
  readonly console?: boolean;
  /** Told of every command once it was answered or failed: its name and keys, never a value. */
  readonly onCommand?: CommandListener;
}

const DEFAULTS = {
  host: "127.0.0.1",
  port: 8079,
  maxBodySize: 10 * 1024 * 1024,
  maxCommands: 100_000,
  maxArgs: MAX_ARGS,
  maxReplySize: 512 * 1024 * 1024,
  maxBufferedBytes: defaultBufferedBytes(),
  commandTimeout: 4_000,
  redisConnections: 1,
  maxBlockingConnections: 64,
  maxTransactionConnections: 8,
  maxQueuedCommands: 100_000,
  tokenShare: 50,
  keepAliveTimeout: 310_000,
  headersTimeout: 10_000,
  bodyTimeout: 60_000,
  softMaxConnections: 0,
  maxConnections: connectionsByFileLimit(),
  maxStreams: 1_000,
  maxStreamChannels: 1_000,
  streamBuffer: 1024 * 1024,
  streamHeartbeat: 25_000,
  drainDelay: 0,
  shutdownTimeout: 5_000,
  allowGetWrites: true,
  logLevel: "warn" as LogLevel,
  logRequests: false,
  slowLog: 0,
  trustedProxies: [] as readonly string[],
  proxyProtocol: false,
  allowCommand: [] as readonly string[],
  routes: [] as readonly string[],
  readPolicy: "primary" as ReadPolicy,
  topologyRefresh: 60_000,
  topologyRedirects: 1,
  cors: [] as readonly string[],
  allowedHosts: [] as readonly string[],
  console: true,
};

/** The default of `softMaxConnections`, as a share of `maxConnections`. */
const SOFT_SHARE = 0.8;

/** Options that may well be absent. */
export const WITHOUT_DEFAULT = [
  "engine",
  "redis",
  "persist",
  "seed",
  "redisCa",
  "token",
  "tokenFile",
  "tokens",
  "tokensFile",
  "restTokenSecret",
  "onCommand",
  "tlsCert",
  "tlsKey",
] as const satisfies readonly (keyof GatewayOptions)[];

/** Options with every default filled in. */
export type Settings = typeof DEFAULTS & Pick<GatewayOptions, (typeof WITHOUT_DEFAULT)[number]>;

/** The least that one process may be set to buffer. */
export const MIN_BUFFERED_BYTES = 1024;

/** Least and most of each option that is a whole number. */
const RANGES = {
  port: [0, 65_535],
  maxBodySize: [1, 512 * 1024 * 1024],
  maxCommands: [1, 10_000_000],
  maxArgs: [1, MAX_ARGS],
  maxReplySize: [1, 1024 * 1024 * 1024],
  maxBufferedBytes: [MIN_BUFFERED_BYTES, 1024 * 1024 * 1024 * 1024],
  commandTimeout: [1, 3_600_000],
  redisConnections: [1, 64],
  maxBlockingConnections: [1, 10_000],
  maxTransactionConnections: [1, 10_000],
  maxQueuedCommands: [1, 10_000_000],
  tokenShare: [1, 100],
  keepAliveTimeout: [1_000, 86_400_000],
  headersTimeout: [1, 3_600_000],
  bodyTimeout: [1, 3_600_000],
  softMaxConnections: [1, 1_000_000],
  maxConnections: [1, 1_000_000],
  maxStreams: [0, 100_000],
  maxStreamChannels: [1, 1_000_000],
  streamBuffer: [1, 1024 * 1024 * 1024],
  streamHeartbeat: [1, 3_600_000],
  drainDelay: [0, 3_600_000],
  shutdownTimeout: [0, 3_600_000],
  slowLog: [0, 3_600_000],
  topologyRefresh: [100, 86_400_000],
  topologyRedirects: [1, 1_000_000],
} as const;

/**
 * Checks options and fills in the defaults.
 * @throws {TypeError} names the option that is wrong and what it must be
 */
export function settingsOf(options: GatewayOptions = {}): Settings {
  for (const name of Object.keys(options)) {
    if (!(name in DEFAULTS) && !WITHOUT_DEFAULT.some((each) => each === name)) {
      throw new TypeError(`${name}: there is no such option`);
    }
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings = { ...DEFAULTS, console: !hasToken(options), ...given } as Settings;
  if (options.softMaxConnections === undefined)
    settings.softMaxConnections = Math.ceil(settings.maxConnections * SOFT_SHARE);
  if (settings.engine !== undefined && settings.redis !== undefined) {
    throw new TypeError("engine, redis: give one of the two, not both");
  }
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const value = settings[name as keyof typeof RANGES];
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new TypeError(`${name}: must be a whole number from ${least} to ${most}`);
    }
  }
  const { onCommand } = settings;
  if (onCommand !== undefined && typeof onCommand !== "function") {
    throw new TypeError("onCommand: must be a function");
  }
  if (settings.softMaxConnections > settings.maxConnections) {
    throw new TypeError(
      `softMaxConnections: must not be above maxConnections, which is ${settings.maxConnections}`,
    );
  }
  const { tlsCert, tlsKey } = settings;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new TypeError(`${tlsCert === undefined ? "tlsKey" : "tlsCert"}: tlsCert and tlsKey go together`);
  }
  checkAccess(settings);
  checkOrigins(settings.cors);
  checkHosts(settings.allowedHosts);
  new TrustedProxies(settings.trustedProxies);
  if (settings.proxyProtocol && settings.trustedProxies.length === 0) {
    throw new TypeError(
      "proxyProtocol: needs trustedProxies, the addresses of the proxies that send the PROXY header",
    );
  }
  if (!LOG_LEVELS.includes(settings.logLevel))
    throw new TypeError(`logLevel: must be one of ${LOG_LEVELS.join(", ")}`);
  checkRoutes(settings);
  checkOwnRedis(settings);
  if (!READ_POLICIES.includes(settings.readPolicy)) {
    throw new TypeError(`readPolicy: must be one of ${READ_POLICIES.join(", ")}`);
  }
  return settings;
}

/** Whether any token was given, so that none is made for the run. */
export function hasToken({ token, tokenFile, tokens, tokensFile }: GatewayOptions): boolean {
  return [token, tokenFile, tokens, tokensFile].some((each) => each !== undefined);
}

/** The least length of `restTokenSecret`. */
const MIN_SECRET_LENGTH = 16;

function checkAccess({
  token,
  tokenFile,
  tokens,
  tokensFile,
  restTokenSecret,
  host,
  allowCommand,
}: Settings): void {
  if (token !== undefined && tokenFile !== undefined) {
    throw new TypeError("token, tokenFile: give one of the two, not both");
  }
  if (token !== undefined && !TOKEN_FORM.test(token)) throw new TypeError(`token: ${TOKEN_RULE}`);
  if (tokens !== undefined) checkTokens(tokens);
  if (restTokenSecret !== undefined && restTokenSecret.length < MIN_SECRET_LENGTH) {
    throw new TypeError(`restTokenSecret: must have at least ${MIN_SECRET_LENGTH} characters`);
  }
  openedCommands(allowCommand);
  if (!hasToken({ token, tokenFile, tokens, tokensFile }) && !isLoopbackName(host)) {
    throw new TypeError("token: must be given to listen beyond loopback; set token, or host to 127.0.0.1");
  }
}

/** Options that apply only to a Redis that the gateway itself starts. */
const OWN_REDIS = { persist: "keeps the data of", seed: "runs commands on" } as const;

function checkOwnRedis(settings: Settings): void {
  const { redis, engine, routes } = settings;
  const hasRest = parseRoutes(routes).some(({ prefix }) => prefix === "");
  const other =
    redis !== undefined ? "redis" : hasRest ? "the route *" : typeof engine === "object" ? "engine" : null;
  for (const [name, what] of Object.entries(OWN_REDIS)) {
    const value: unknown = settings[name as keyof typeof OWN_REDIS];
    if (value === undefined) continue;
    if (typeof value !== "string" || value === "") throw new TypeError(`${name}: must be a path`);
    if (other) {
      throw new TypeError(`${name}: ${what} a Redis that the gateway starts, and ${other} names another one`);
    }
  }
}

function checkRoutes({ routes, redis, engine }: Settings): void {
  const parsed = parseRoutes(routes);
  for (const { url } of parsed) {
    try {
      parseRedisUrl(url);
    } catch (error) {
      throw new TypeError((error as Error).message.replace(/^redis/, "routes"));
    }
  }
  if (parsed.every(({ prefix }) => prefix !== "")) return;
  const other = redis !== undefined ? "redis" : engine !== undefined ? "engine" : null;
  if (other) throw new TypeError(`routes: the route * and ${other}: give one of the two, not both`);
}
