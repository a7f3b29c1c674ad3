/** What a setting's value is. */
export type Kind = "text" | "integer" | "bytes" | "ms" | "switch" | "list" | "routes" | "tokens";

/** One setting of the command line; its environment twin is `WARMLINE_GATEWAY_` and the name. */
export interface Flag {
  readonly name: string;
  /** What stands for the value in the help; empty for a switch. */
  readonly value: string;
  /** What it does, and its default. */
  readonly help: string;
  /** Name of the gateway's option, and of the key in the config file. */
  readonly option: string;
  readonly kind: Kind;
}

/** Every setting, in the order of the help. */
export const flags: readonly Flag[] = [
  {
    name: "port",
    value: "<number>",
    help: "port to listen on, 0 for any free one (default 8079)",
    option: "port",
    kind: "integer",
  },
  {
    name: "host",
    value: "<address>",
    help: "address to listen on (default 127.0.0.1); beyond loopback a token must be given",
    option: "host",
    kind: "text",
  },
  {
    name: "token",
    value: "<text>",
    help: "what clients must present (default: a random one for this run)",
    option: "token",
    kind: "text",
  },
  {
    name: "token-file",
    value: "<file>",
    help: "a file that holds the token; read again when it changes",
    option: "tokenFile",
    kind: "text",
  },
  {
    name: "tokens",
    value: "<list>",
    help: "further tokens with roles, Redis users and key prefixes, as YAML or JSON",
    option: "tokens",
    kind: "tokens",
  },
  {
    name: "tokens-file",
    value: "<file>",
    help: "a YAML or JSON file with such a list; read again when it changes",
    option: "tokensFile",
    kind: "text",
  },
  {
    name: "secret",
    value: "<text>",
    help: "what the tokens of ACL RESTTOKEN are sealed with (default: the token)",
    option: "secret",
    kind: "text",
  },
  {
    name: "secret-file",
    value: "<file>",
    help: "a file that holds that secret",
    option: "secretFile",
    kind: "text",
  },
  {
    name: "allow-command",
    value: "<name>",
    help: "opens a command that is refused otherwise, such as 'CONFIG GET'; may be repeated (default none)",
    option: "allowCommand",
    kind: "list",
  },
  {
    name: "redis",
    value: "<url>",
    help: "a Redis, cluster or Sentinel that runs already: redis://, rediss://, unix:// or redis+sentinel://",
    option: "redis",
    kind: "text",
  },
  {
    name: "redis-file",
    value: "<file>",
    help: "a file that holds the URL of --redis",
    option: "redisFile",
    kind: "text",
  },
  {
    name: "redis-password-file",
    value: "<file>",
    help: "a file that holds the password for the URL of --redis",
    option: "redisPasswordFile",
    kind: "text",
  },
  {
    name: "route",
    value: "<prefix>=<url>",
    help: "a Redis for keys with that prefix; * for the rest, ?strip=true takes the prefix off; may be repeated",
    option: "routes",
    kind: "routes",
  },
  {
    name: "redis-ca",
    value: "<file>",
    help: "certificates (PEM) to trust when Redis is reached by TLS (default: the system's)",
    option: "redisCa",
    kind: "text",
  },
  {
    name: "read-policy",
    value: "<who>",
    help: "who answers reads of a cluster: primary, prefer-replica, replica or any (default primary)",
    option: "readPolicy",
    kind: "text",
  },
  {
    name: "topology-refresh",
    value: "<time>",
    help: "how often the topology of a cluster is asked for in any case (default 60s)",
    option: "topologyRefresh",
    kind: "ms",
  },
  {
    name: "topology-redirects",
    value: "<number>",
    help: "after how many redirections the topology of a cluster is asked for (default 1)",
    option: "topologyRedirects",
    kind: "integer",
  },
  {
    name: "engine",
    value: "<which>",
    help: "a Redis of its own: auto, embedded, or the path of a redis-server (default auto)",
    option: "engine",
    kind: "text",
  },
  {
    name: "max-body",
    value: "<size>",
    help: "largest request body, such as 500kb or 20mb (default 10mb)",
    option: "maxBody",
    kind: "bytes",
  },
  {
    name: "max-commands",
    value: "<number>",
    help: "most commands in a pipeline or a transaction (default 100000)",
    option: "maxCommands",
    kind: "integer",
  },
  {
    name: "max-words",
    value: "<number>",
    help: "most words in a command (default 1048576)",
    option: "maxWords",
    kind: "integer",
  },
  {
    name: "max-reply",
    value: "<size>",
    help: "largest reply of Redis that is passed on (default 512mb)",
    option: "maxReply",
    kind: "bytes",
  },
  {
    name: "operation-timeout",
    value: "<time>",
    help: "how long Redis may take over a command, such as 500ms or 4s (default 4s)",
    option: "operationTimeout",
    kind: "ms",
  },
  {
    name: "connections",
    value: "<number>",
    help: "connections to Redis that ordinary commands share (default 1)",
    option: "connections",
    kind: "integer",
  },
  {
    name: "max-blocking",
    value: "<number>",
    help: "connections for blocking commands, one each while they wait (default 64)",
    option: "maxBlocking",
    kind: "integer",
  },
  {
    name: "max-transactions",
    value: "<number>",
    help: "connections for transactions, one each while they run (default 8)",
    option: "maxTransactions",
    kind: "integer",
  },
  {
    name: "max-pending",
    value: "<number>",
    help: "commands waiting on one shared connection before more are refused (default 100000)",
    option: "maxPending",
    kind: "integer",
  },
  {
    name: "token-share",
    value: "<percent>",
    help: "most of blocking and transaction connections, streams and queued commands for one of several tokens (default 50)",
    option: "tokenShare",
    kind: "integer",
  },
  {
    name: "tls-cert",
    value: "<file>",
    help: "certificate to speak TLS with, in PEM; read again when it changes",
    option: "tlsCert",
    kind: "text",
  },
  {
    name: "tls-key",
    value: "<file>",
    help: "the certificate's key, in PEM",
    option: "tlsKey",
    kind: "text",
  },
  {
    name: "keep-alive",
    value: "<time>",
    help: "how long a client connection may be idle (default 310s)",
    option: "keepAlive",
    kind: "ms",
  },
  {
    name: "head-timeout",
    value: "<time>",
    help: "how long the head of a request may take (default 10s)",
    option: "headTimeout",
    kind: "ms",
  },
  {
    name: "body-timeout",
    value: "<time>",
    help: "how long the body of a request may take, and the reader of a response without taking any (default 60s)",
    option: "bodyTimeout",
    kind: "ms",
  },
  {
    name: "workers",
    value: "<number>",
    help: "processes that share the port, for several cores; limits are of all together (default 1)",
    option: "workers",
    kind: "integer",
  },
  {
    name: "soft-limit",
    value: "<number>",
    help: "client connections above which idle ones are closed for new ones (default 4/5 of the hard limit)",
    option: "softLimit",
    kind: "integer",
  },
  {
    name: "hard-limit",
    value: "<number>",
    help: "client connections above which new ones are refused (default by the limit of open files)",
    option: "hardLimit",
    kind: "integer",
  },
  {
    name: "max-streams",
    value: "<number>",
    help: "event streams (/subscribe, /monitor) open at a time (default 1000)",
    option: "maxStreams",
    kind: "integer",
  },
  {
    name: "stream-buffer",
    value: "<size>",
    help: "how far an event stream's reader may be behind before it is cut off (default 1mb)",
    option: "streamBuffer",
    kind: "bytes",
  },
  {
    name: "stream-heartbeat",
    value: "<time>",
    help: "how often an event stream shows that it is alive (default 25s)",
    option: "streamHeartbeat",
    kind: "ms",
  },
  {
    name: "close-grace",
    value: "<time>",
    help: "how long stopping waits for requests in flight (default 5s)",
    option: "closeGrace",
    kind: "ms",
  },
  {
    name: "allow-path-writes",
    value: "",
    help: "whether GET may run commands that write; --no-allow-path-writes forbids it (default on)",
    option: "allowPathWrites",
    kind: "switch",
  },
  {
    name: "cors",
    value: "<origin>",
    help: "an origin whose web pages may send requests, or *; may be repeated (default none)",
    option: "cors",
    kind: "list",
  },
  {
    name: "allowed-hosts",
    value: "<name>",
    help: "a further name that the Host header may hold on loopback; may be repeated (default none)",
    option: "allowedHosts",
    kind: "list",
  },
  {
    name: "log-level",
    value: "<level>",
    help: "silent, fatal, error, warn, info or debug: JSON lines on stderr (default warn)",
    option: "logLevel",
    kind: "text",
  },
  {
    name: "log-requests",
    value: "",
    help: "logs each request at level info, without keys, values and tokens (default off)",
    option: "logRequests",
    kind: "switch",
  },
  {
    name: "console",
    value: "",
    help: "whether browsers get a console page at / (default on, off where a token is given)",
    option: "console",
    kind: "switch",
  },
  {
    name: "watch-commands",
    value: "",
    help: "print every command as it is run: its name and keys, never a value (default off)",
    option: "watchCommands",
    kind: "switch",
  },
];

/** The environment variable that sets what a flag sets. */
export function environmentName(flag: string): string {
  return `WARMLINE_GATEWAY_${flag.toUpperCase().replaceAll("-", "_")}`;
}
