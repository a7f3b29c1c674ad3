import { MAX_ARGS, openedCommands } from "./access/denial-reasons.js";
import { checkHosts, checkOrigins, isLoopbackName } from "./access/origin.js";
import { checkTokens, TOKEN_FORM, TOKEN_RULE, type TokenOptions } from "./access/tokens.js";
import type { Engine } from "./engine/engine.js";
import { connectionsByFileLimit } from "./http/file-limit.js";
import { TrustedProxies } from "./http/trusted-proxies.js";
import { LOG_LEVELS, type LogLevel } from "./log/log.js";
import { READ_POLICIES, type ReadPolicy } from "./redis/cluster/read-policy.js";
import { parseRedisUrl } from "./redis/redis-address.js";
import { parseRoutes } from "./redis/routes/route-text.js";
import type { CommandListener } from "./trace/traced-command.js";
import { defaultBufferedBytes } from "./util/buffer-budget.js";

/** The options of a gateway. */
export interface GatewayOptions {
  /**
   * The engine to start, and to close with the gateway. Default: `"auto"`.
   *
   * - `"auto"`: a `redis-server` or `valkey-server` on PATH, else the embedded engine
   * - `"embedded"`: the embedded engine
   * - another string: the path of a server
   * - an {@link Engine} already started
   */
  readonly engine?: "auto" | "embedded" | (string & {}) | Engine;
  /**
   * A folder in which the Redis that the gateway starts keeps its data between runs. Default: none, so the data is lost at
   * the end. Only one gateway at a time can use the folder.
   */
  readonly persist?: string;
  /**
   * A file of commands to run on the Redis that the gateway starts, before the gateway listens. Each line is one command,
   * quoted as in redis-cli or as a JSON array. `#` begins a comment line. Data kept by `persist` is not seeded again.
   */
  readonly seed?: string;
  /**
   * The URL of a running Redis to use in place of `engine`.
   *
   * - `redis://`, `rediss://` or `unix://`: one server. The gateway detects whether it is a node of a cluster.
   * - several hosts, separated by commas: a cluster
   * - `redis+sentinel://host:port,host:port/group`: the primary of a group that Sentinels watch
   */
  readonly redis?: string;
  /**
   * Further Redis servers by key prefix, each as `prefix=URL`, such as `sess:=redis://host:6379`. The longest matching prefix
   * counts. `*=URL` is the route of all other keys, in place of `redis`. `?strip=true` in the URL removes the prefix from the
   * keys. Commands without keys and subscriptions use the route of all other keys. A command with keys on two routes is refused.
   */
  readonly routes?: readonly string[];
  /** A file of CA certificates (PEM) to trust for TLS connections to Redis. Default: the system's. */
  readonly redisCa?: string;
  /**
   * The nodes of a cluster that serve reads. Default: `primary`. With the others a read may miss a recent write.
   * `prefer-replica` reads from a replica, or from the primary if no replica replies. `replica` reads from replicas only.
   * `any` spreads reads over all nodes.
   */
  readonly readPolicy?: ReadPolicy;
  /** Interval in ms between regular refreshes of a cluster's topology. Default: 60,000. */
  readonly topologyRefresh?: number;
  /** Number of redirections after which a cluster's topology is refreshed, at most once a second. Default: 1. */
  readonly topologyRedirects?: number;
  /** The address to listen on. Default: 127.0.0.1. Any address beyond loopback requires a `token`. */
  readonly host?: string;
  /** The port to listen on, or 0 for any free one. Default: 8079. */
  readonly port?: number;
  /** The token that clients must send. Default: a random one, see `Gateway.token`. */
  readonly token?: string;
  /** A file that holds the token, in place of `token`. It is read again when it changes. */
  readonly tokenFile?: string;
  /** Further tokens, each with a role, a Redis user and a key prefix. If they are given without `token`, no other token exists. */
  readonly tokens?: readonly TokenOptions[];
  /** A YAML or JSON file with a list of tokens. It is read again when it changes. Connections stay open. */
  readonly tokensFile?: string;
  /** The secret that seals the tokens of `ACL RESTTOKEN`. Default: the token. All gateways of a service need the same. */
  readonly restTokenSecret?: string;
  /** Commands to allow that are refused by default, such as `CONFIG GET` or `CLIENT LIST`. Default: none. */
  readonly allowCommand?: readonly string[];
  /** Maximum number of commands in a pipeline or a transaction. Default: 100,000. */
  readonly maxCommands?: number;
  /** Maximum number of arguments in a command, including its name. Default: 1,048,576. */
  readonly maxArgs?: number;
  /** Maximum size of a request body in bytes. Default: 10 MB (10 * 1024 * 1024). */
  readonly maxBodySize?: number;
  /** Maximum size in bytes of a Redis reply that is passed on. Default: 512 MB. */
  readonly maxReplySize?: number;
  /**
   * Maximum bytes of request bodies and replies buffered at a time, for all requests together. Default: a quarter of the
   * memory that the process may use. Requests beyond it wait, or fail with 503.
   */
  readonly maxBufferedBytes?: number;
  /** Timeout of a command at Redis in ms. Default: 4,000. A blocking command gets its own timeout in addition. */
  readonly commandTimeout?: number;
  /** Number of connections to Redis that ordinary commands share. Default: 1. */
  readonly redisConnections?: number;
  /** Maximum number of connections for blocking commands. Each command uses one while it waits. Default: 64. */
  readonly maxBlockingConnections?: number;
  /** Maximum number of connections for transactions. Each transaction uses one while it runs. Default: 8. */
  readonly maxTransactionConnections?: number;
  /**
   * Maximum number of commands queued or in flight on one shared connection. More are refused. Default: 100,000. Unsent
   * commands of pipelines with more than 1,000 commands count only against other such pipelines.
   */
  readonly maxQueuedCommands?: number;
  /**
   * Maximum share of one of several tokens, in percent. It applies to the connections for blocking commands and for
   * transactions, to event streams and to queued commands. Default: 50. A single token may use all.
   */
  readonly tokenShare?: number;
  /** File of the TLS certificate, in PEM. It is read again when it changes. Requires `tlsKey`. */
  readonly tlsCert?: string;
  /** File of that certificate's key, in PEM. */
  readonly tlsKey?: string;
  /** Idle timeout of a client connection in ms. It is advertised to clients. Default: 310,000. */
  readonly keepAliveTimeout?: number;
  /** Timeout in ms for the head of a request, from its first byte. Default: 10,000. */
  readonly headersTimeout?: number;
  /** Timeout in ms for the body of a request, and for a client that reads nothing of its response. Default: 60,000. */
  readonly bodyTimeout?: number;
  /**
   * Number of client connections above which each new one closes the connection that has been idle for longest. Default:
   * four fifths of `maxConnections`.
   */
  readonly softMaxConnections?: number;
  /** Maximum number of client connections. More are refused. Default: as many as the limit of open files allows, at most 50,000. */
  readonly maxConnections?: number;
  /** Maximum number of event streams (`/subscribe`, `/psubscribe`, `/monitor`) open at a time. Default: 1,000. */
  readonly maxStreams?: number;
  /** Maximum number of channels and patterns on one event stream. Default: 1,000. */
  readonly maxStreamChannels?: number;
  /** Maximum bytes buffered for a slow reader of an event stream, which is then closed. Default: 1 MB (1024 * 1024). */
  readonly streamBuffer?: number;
  /** Interval in ms between heartbeats of an event stream. Default: 25,000. */
  readonly streamHeartbeat?: number;
  /**
   * Time in ms for which a closing gateway still accepts connections while `/ready` reports that it is closing. It should be
   * as long as a load balancer takes to notice. Default: 0.
   */
  readonly drainDelay?: number;
  /** Time in ms that `Gateway.close` waits for requests in flight. Default: 5,000. */
  readonly shutdownTimeout?: number;
  /** Whether GET and HEAD may run commands that write, as in the Upstash protocol. Default: true. */
  readonly allowGetWrites?: boolean;
  /** Origins whose web pages may send requests, such as `https://app.example`, or `*`. Default: none. */
  readonly cors?: readonly string[];
  /** The lowest level of log lines written to stderr, as JSON. Default: `warn`. */
  readonly logLevel?: LogLevel;
  /** Whether each request is logged at level `info`, without keys, values or tokens. Default: false. */
  readonly logRequests?: boolean;
  /**
   * Duration in ms from which a request is logged at level `warn`, with its command's name. Default: 0, for never. Blocking
   * commands and event streams are left out.
   */
  readonly slowLog?: number;
  /**
   * Proxies in front of the gateway, as IP addresses or ranges such as `10.0.0.0/8`. Their `X-Forwarded-For` and PROXY headers
   * determine the client's address. Default: none.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Whether every connection begins with a header of the PROXY protocol, version 2, from one of `trustedProxies`. A
   * connection without one is closed. Default: false.
   */
  readonly proxyProtocol?: boolean;
  /** Names allowed in the Host header while listening on loopback, in addition to loopback names. Default: none. */
  readonly allowedHosts?: readonly string[];
  /** Whether browsers get a console page at `/`. Default: only if no `token` was given, as in development. */
  readonly console?: boolean;
  /** Called for every command after its reply or failure, with its name and keys, never a value. */
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

/** Options without a default. */
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

/** Minimum of `maxBufferedBytes` for one process, in bytes. */
export const MIN_BUFFERED_BYTES = 1024;

/** Minimum and maximum of each integer option. */
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
 * @throws {TypeError} names the wrong option and the values that it takes
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

/** Whether any token was given, so that no random one is created. */
export function hasToken({ token, tokenFile, tokens, tokensFile }: GatewayOptions): boolean {
  return [token, tokenFile, tokens, tokensFile].some((each) => each !== undefined);
}

/** Minimum length of `restTokenSecret`, in characters. */
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
