import { openedCommands } from "../access/denial-reasons.js";
import { checkHosts, checkOrigins } from "../access/origin.js";
import { checkTokens, TOKEN_FORM, TOKEN_RULE, type TokenOptions } from "../access/tokens.js";
import { connectionsByFileLimit } from "../http/file-limit.js";
import { LOG_LEVELS } from "../log/log.js";
import { READ_POLICIES } from "../redis/cluster/read-policy.js";
import { AUTH_KINDS } from "../redis/credentials/sources.js";
import { defaultBufferedBytes } from "../util/buffer-budget.js";
import {
  bytes,
  choice,
  duration,
  engineChoice,
  file,
  integer,
  list,
  type Setting,
  structure,
  text,
  toggle,
} from "./kinds.js";

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** An entry of the table, with values of any type. */
export type AnySetting = Setting<any, any>;

/** The default of `softMaxConnections`, as a share of `maxConnections`. */
const SOFT_SHARE = 0.8;

/** The settings that give a token. If none of them is given, a random token is made. */
export const TOKEN_SETTINGS = ["token", "tokenFile", "tokens", "tokensFile"] as const;

/**
 * Every setting of the gateway, in the order of the help. An entry is the only declaration of its setting. The option's
 * type, flag, environment variable and key in the config file derive from it, and so do its default, its checks,
 * its line in `--help` and its row in docs/gateway.md. The comment describes the option to programs, in ms and bytes;
 * `help` describes the flag.
 */
export const SETTINGS = {
  /** The port to listen on, or 0 for any free one. Default: 8079. */
  port: integer({ help: "port to listen on, 0 for any free one", default: 8079, min: 0, max: 65_535 }),
  /** The address to listen on. Default: 127.0.0.1. Any address beyond loopback requires a `token`. */
  host: text({
    help: "address to listen on; beyond loopback a token must be given",
    placeholder: "<address>",
    default: "127.0.0.1",
  }),
  /** The token that clients must send. Default: a random one, see `Gateway.token`. */
  token: text({
    help: "token that clients must send",
    defaultText: "a random one, kept for later runs",
    check(value) {
      if (!TOKEN_FORM.test(value)) throw new TypeError(`token: ${TOKEN_RULE}`);
    },
  }),
  /** A file that holds the token, in place of `token`. It is read again when it changes. */
  tokenFile: file({ help: "file with the token; reloaded when it changes" }),
  /** Further tokens, each with a role, a Redis user and a key prefix. If they are given without `token`, no other token exists. */
  tokens: structure<readonly TokenOptions[]>({
    help: "further tokens with roles, Redis users and key prefixes, as YAML or JSON",
    check: checkTokens,
  }),
  /** A YAML or JSON file with a list of tokens. It is read again when it changes. Connections stay open. */
  tokensFile: file({ help: "YAML or JSON file with a list of tokens; reloaded when it changes" }),
  /** Commands to allow that are refused by default, such as `CONFIG GET` or `CLIENT LIST`. Default: none. */
  allowCommand: list({
    help: "allows a command that is refused by default, such as 'CONFIG GET'; repeatable",
    placeholder: "<name>",
    default: [],
    check: openedCommands,
  }),
  /**
   * The URL of a running Redis to use in place of `engine`.
   *
   * - `redis://`, `rediss://` or `unix://`: one server. The gateway detects whether it is a node of a cluster.
   * - several hosts, separated by commas: a cluster
   * - `redis+sentinel://host:port,host:port/group`: the primary of a group that Sentinels watch
   */
  redis: text({
    help: "URL of a running Redis, cluster or Sentinel: redis://, rediss://, unix:// or redis+sentinel://",
    placeholder: "<url>",
  }),
  /**
   * A file that holds the password for the URL of `redis`. It is read for every connection, and when it changes: open
   * connections then sign in again.
   */
  redisPasswordFile: file({
    help: "file with the password for the URL of --redis; read again when it changes",
  }),
  /**
   * A program that prints the password for the URL of `redis`, as JSON:
   * `{"password": "...", "username": "...", "expires": "2030-01-01T00:00:00Z"}`. The user and the time are optional. It is run
   * without arguments or a shell, for at most 10 s, and again before the password expires and after Redis has refused it.
   */
  redisAuthCommand: file({
    help: "program that prints the password for the URL of --redis as JSON; run again before it expires",
    placeholder: "<program>",
  }),
  /**
   * How the user of the URL of `redis` signs in. Default: `password`, from the URL, `redisPasswordFile` or `redisAuthCommand`.
   * `aws-iam` signs tokens for ElastiCache and MemoryDB, with AWS credentials from the environment, a container's endpoint or
   * the instance's metadata. The cache or cluster that they are for is derived from the host name that AWS gave it, or from the
   * URL's query (`?awsName=`).
   */
  redisAuth: choice(AUTH_KINDS, {
    help: "how the user of --redis signs in: password, or aws-iam for ElastiCache and MemoryDB",
    placeholder: "<method>",
    default: "password",
  }),
  /** A file of CA certificates (PEM) to trust for TLS connections to Redis. Default: the system's. */
  redisCa: file({
    help: "CA certificates (PEM) to trust for TLS to Redis",
    defaultText: "the system's",
  }),
  /** File of the client certificate for TLS connections to Redis, in PEM. It is read again when it changes. Requires `redisKey`. */
  redisCert: file({ help: "client certificate (PEM) for TLS to Redis; reloaded when it changes" }),
  /** File of that certificate's key, in PEM. */
  redisKey: file({ help: "private key of the client certificate (PEM) for Redis" }),
  /**
   * The name that the certificate of Redis must have, also sent as SNI, for every TLS connection. Default: the host of the URL,
   * or of the node of a cluster. It is for tunnels and addresses that the certificate does not cover.
   */
  redisServerName: text({
    help: "name that the certificate of Redis must have, also sent as SNI",
    placeholder: "<name>",
    defaultText: "the host",
  }),
  /**
   * Time in ms without commands and event streams after which all connections to Redis are closed, so that its host can sleep.
   * Default: 0, they stay open. The next command opens one. Health checks and the gateway's own commands do not count.
   */
  redisIdleTimeout: duration({
    help: "time without commands after which all connections to Redis are closed, so that it can sleep",
    default: 0,
    defaultText: "0, never",
    min: 0,
    max: DAY,
  }),
  /** Whether no connection to Redis is opened before the first command. Default: false. */
  redisLazy: toggle({
    help: "whether no connection to Redis is opened before the first command",
    default: false,
  }),
  /**
   * The nodes of a cluster that serve reads. Default: `primary`. With another value, a read may miss a recent write.
   * `prefer-replica` reads from a replica, or from the primary if no replica replies. `replica` reads from replicas only.
   * `any` spreads reads over all nodes.
   */
  readPolicy: choice(READ_POLICIES, {
    help: "which nodes of a cluster serve reads: primary, prefer-replica, replica or any",
    placeholder: "<policy>",
    default: "primary",
  }),
  /**
   * Prefixes of the keys whose changes are reported to clients with `warmline/near`. Redis tracks them by
   * `CLIENT TRACKING`. No prefix may begin with another. Default: none.
   */
  nearPrefix: list({
    help: "prefix of keys that clients may cache by warmline/near, such as flag:; repeatable",
    placeholder: "<prefix>",
    default: [],
    check: checkNearPrefixes,
  }),
  /**
   * The engine to start, and to close with the gateway. Default: `"auto"`.
   *
   * - `"auto"`: a `redis-server` or `valkey-server` on PATH, else the embedded engine
   * - `"embedded"`: the embedded engine
   * - another string: the path of a server
   * - an {@link Engine} already started
   */
  engine: engineChoice({
    help: "Redis that the gateway starts: auto, embedded, or the path of a redis-server",
    placeholder: "<engine>",
    defaultText: "auto",
  }),
  /**
   * A folder in which the Redis that the gateway starts keeps its data between runs. Default: none, so the data is lost at
   * the end. Only one gateway at a time can use the folder.
   */
  persist: text({
    help: "folder where the Redis that the gateway starts keeps its data between runs",
    placeholder: "<folder>",
    defaultText: "none: the data is lost at exit",
    check: (value) => checkPath(value, "persist"),
  }),
  /**
   * A file of commands to run on the Redis that the gateway starts, before the gateway listens. Each line is one command,
   * quoted as in redis-cli or as a JSON array. `#` begins a comment line. Data kept by `persist` is not seeded again.
   */
  seed: file({
    help: "file of commands to run on the Redis that the gateway starts, one per line as in redis-cli, or as JSON",
    check: (value) => checkPath(value, "seed"),
  }),
  /** Maximum size of a request body in bytes. Default: 10 MB (10 * 1024 * 1024). */
  maxBodySize: bytes({
    help: "maximum size of a request body, such as 500kb or 20mb",
    default: 10 * MB,
    max: 512 * MB,
  }),
  /** Maximum number of commands in a pipeline or a transaction. Default: 100,000. */
  maxCommands: integer({
    help: "maximum number of commands in a pipeline or a transaction",
    default: 100_000,
    max: 10_000_000,
  }),
  /** Maximum size in bytes of a Redis reply that is passed on. Default: 512 MB. */
  maxReplySize: bytes({
    help: "maximum size of a reply of Redis",
    default: 512 * MB,
    max: GB,
  }),
  /**
   * Maximum bytes of request bodies and replies buffered at a time, for all requests together. Default: a quarter of the
   * memory that the process may use. Requests beyond it wait, or fail with 503.
   */
  maxBufferedBytes: bytes({
    help: "maximum bytes of requests and replies buffered for all clients",
    default: defaultBufferedBytes,
    defaultText: "a quarter of the memory",
    min: KB,
    max: 1024 * GB,
  }),
  /** Timeout of a command at Redis in ms. Default: 2,000, less than the 2,500 of the client. A blocking command gets its own timeout in addition. */
  commandTimeout: duration({
    help: "timeout of a command at Redis, such as 500ms or 4s",
    default: 2 * SECOND,
    max: HOUR,
  }),
  /** Number of connections to Redis that ordinary commands share. Default: 1. */
  redisConnections: integer({
    help: "number of connections to Redis that ordinary commands share",
    default: 1,
    max: 64,
  }),
  /** Maximum number of connections for blocking commands. Each command uses one while it waits. Default: 64. */
  maxBlockingConnections: integer({
    help: "maximum number of connections for blocking commands",
    default: 64,
    max: 10_000,
  }),
  /** Maximum number of connections for transactions. Each transaction uses one while it runs. Default: 8. */
  maxTransactionConnections: integer({
    help: "maximum number of connections for transactions",
    default: 8,
    max: 10_000,
  }),
  /**
   * Maximum number of commands queued or in flight on one shared connection. More are refused. Default: 100,000. Unsent
   * commands of pipelines with more than 1,000 commands count only against other such pipelines.
   */
  maxQueuedCommands: integer({
    help: "maximum number of queued commands per shared connection",
    default: 100_000,
    max: 10_000_000,
  }),
  /** File of the TLS certificate, in PEM. It is read again when it changes. Requires `tlsKey`. */
  tlsCert: file({ help: "TLS certificate (PEM); reloaded when it changes" }),
  /** File of that certificate's key, in PEM. */
  tlsKey: file({ help: "private key of the TLS certificate (PEM)" }),
  /** Idle timeout of a client connection in ms. It is advertised to clients. Default: 310,000. */
  keepAliveTimeout: duration({
    help: "maximum idle time of a client connection",
    default: 310 * SECOND,
    min: SECOND,
    max: DAY,
  }),
  /** Timeout in ms for the head of a request, from its first byte. Default: 10,000. */
  headersTimeout: duration({
    help: "maximum time to receive the head of a request",
    default: 10 * SECOND,
    max: HOUR,
  }),
  /** Timeout in ms for the body of a request, and for a client that reads nothing of its response. Default: 60,000. */
  bodyTimeout: duration({
    help: "maximum time to receive the body of a request, and for a client to read nothing of a response",
    default: 60 * SECOND,
    max: HOUR,
  }),
  /**
   * Number of client connections above which each new one closes the connection that has been idle for longest. Default:
   * four fifths of `maxConnections`.
   */
  softMaxConnections: integer({
    help: "number of client connections above which idle ones are closed for new ones",
    default: ({ maxConnections }) => Math.ceil(Number(maxConnections) * SOFT_SHARE),
    defaultText: "4/5 of --max-connections",
    max: 1_000_000,
  }),
  /** Maximum number of client connections. More are refused. Default: as many as the limit of open files allows, at most 50,000. */
  maxConnections: integer({
    help: "maximum number of client connections; new ones above it are refused",
    default: connectionsByFileLimit(),
    defaultText: "from the limit of open files",
    max: 1_000_000,
  }),
  /** Maximum number of event streams (`/subscribe`, `/follow`, `/monitor`) open at a time. Default: 1,000. */
  maxStreams: integer({
    help: "maximum number of open event streams (/subscribe, /follow, /monitor)",
    default: 1_000,
    min: 0,
    max: 100_000,
  }),
  /** Maximum number of channels and patterns on one event stream. Default: 1,000. */
  maxStreamChannels: integer({
    help: "maximum number of channels and patterns of an event stream",
    default: 1_000,
    max: 1_000_000,
  }),
  /** Maximum bytes buffered for a slow reader of an event stream, which is then closed. Default: 1 MB (1024 * 1024). */
  streamBuffer: bytes({
    help: "maximum bytes buffered for the reader of an event stream before it is disconnected",
    default: MB,
    max: GB,
  }),
  /** Interval in ms between heartbeats of an event stream. Default: 25,000. */
  streamHeartbeat: duration({
    help: "interval of keep-alive comments on an event stream",
    default: 25 * SECOND,
    max: HOUR,
  }),
  /**
   * Time in ms for which a closing gateway still accepts connections while `/ready` reports that it is closing. It should be
   * as long as a load balancer takes to notice. Default: 0.
   */
  drainDelay: duration({
    help: "time for which a stopping gateway accepts connections while /ready responds 503",
    default: 0,
    min: 0,
    max: HOUR,
  }),
  /** Time in ms that `Gateway.close` waits for requests in flight. Default: 5,000. */
  shutdownTimeout: duration({
    help: "maximum time that stopping waits for requests in flight",
    default: 5 * SECOND,
    min: 0,
    max: HOUR,
  }),
  /** Whether GET and HEAD may run commands that write, as in the Upstash protocol. Default: true. */
  allowGetWrites: toggle({
    help: "whether GET may run commands that write; --no-allow-get-writes forbids it",
    default: true,
  }),
  /** Origins whose web pages may send requests, such as `https://app.example`, or `*`. Default: none. */
  cors: list({
    help: "origin whose web pages may send requests, or *; repeatable",
    placeholder: "<origin>",
    default: [],
    check: checkOrigins,
  }),
  /** Names allowed in the Host header while listening on loopback, in addition to loopback names. Default: none. */
  allowedHosts: list({
    help: "additional name allowed in the Host header on loopback; repeatable",
    placeholder: "<name>",
    default: [],
    check: checkHosts,
  }),
  /** The lowest level of log lines written to stderr, as JSON. Default: `warn`. */
  logLevel: choice(LOG_LEVELS, {
    help: "silent, fatal, error, warn, info or debug: JSON lines on stderr",
    placeholder: "<level>",
    default: "warn",
  }),
  /** Whether each request is logged at level `info`, without keys, values or tokens. Default: false. */
  logRequests: toggle({
    help: "logs each request at level info, without keys, values and tokens",
    default: false,
  }),
  /**
   * Duration in ms from which a request is logged at level `warn`, with its command's name. Default: 0, for never. Blocking
   * commands and event streams are left out.
   */
  slowLog: duration({
    help: "logs each request that takes at least this long, with its command's name",
    default: 0,
    defaultText: "0, off",
    min: 0,
    max: HOUR,
  }),
  /** Whether browsers get a console page at `/`. Default: only if no `token` was given, as in development. */
  console: toggle({
    help: "whether browsers get a console page at /",
    default: (given) => TOKEN_SETTINGS.every((name) => given[name] === undefined),
    defaultText: "on, or off if a token is given",
  }),
} satisfies Record<string, AnySetting>;

function checkNearPrefixes(prefixes: readonly string[]): void {
  for (const [at, prefix] of prefixes.entries()) {
    if (prefix === "") throw new TypeError("nearPrefix: must not be empty");
    if (!prefix.isWellFormed()) throw new TypeError("nearPrefix: must not have a lone surrogate");
    if (prefix.endsWith("*")) {
      throw new TypeError(
        `nearPrefix: entry ${at + 1} must not end with *: write the text that keys begin with, such as flag:`,
      );
    }
    const other = prefixes.findIndex((each, place) => place !== at && each.startsWith(prefix));
    if (other < 0) continue;
    throw new TypeError(`nearPrefix: leave out entry ${other + 1}, which begins with entry ${at + 1}`);
  }
}

function checkPath(value: string, name: string): void {
  if (value === "") throw new TypeError(`${name}: must be a path`);
}
