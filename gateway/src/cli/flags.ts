/** One setting of the command line; its environment twin is `WARMLINE_GATEWAY_` and the name. */
export interface Flag {
  readonly name: string;
  /** What stands for the value in the help. */
  readonly value: string;
  /** What it does, and its default. */
  readonly help: string;
  /** Name of the gateway's option, and of the key in the config file. */
  readonly option: string;
  readonly isNumber?: true;
}

/** Every setting that takes a value. */
export const flags: readonly Flag[] = [
  {
    name: "port",
    value: "<number>",
    help: "port to listen on, 0 for any free one (default 8079)",
    option: "port",
    isNumber: true,
  },
  { name: "host", value: "<address>", help: "address to listen on (default 127.0.0.1)", option: "host" },
  {
    name: "token",
    value: "<text>",
    help: "what clients must present (default: a random one for this run)",
    option: "token",
  },
  {
    name: "redis",
    value: "<url>",
    help: "a Redis that runs already: redis://, rediss:// or unix://",
    option: "redis",
  },
  {
    name: "engine",
    value: "<which>",
    help: "a Redis of its own: auto, embedded, or the path of a redis-server (default auto)",
    option: "engine",
  },
  {
    name: "max-body",
    value: "<size>",
    help: "largest request body, such as 500kb or 20mb (default 10mb)",
    option: "maxBody",
    isNumber: true,
  },
];

/** The environment variable that sets what a flag sets. */
export function environmentName(flag: string): string {
  return `WARMLINE_GATEWAY_${flag.toUpperCase().replaceAll("-", "_")}`;
}
