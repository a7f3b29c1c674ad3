import { fileURLToPath } from "node:url";

/** Where the client finds the server. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  /** The address of the same Redis over TCP; undefined without a `redis-server`. */
  readonly tcp?: { readonly port: number; readonly tls: boolean };
}

/** How a function uses its client. */
export interface Variant {
  /** Whether connections are kept for the next request. */
  readonly keepAlive: boolean;
  /** Whether the client (or its agent) is made once, outside the handler, rather than in every invocation. */
  readonly reused: boolean;
}

/** A function to run: a handler's module and its environment. */
export interface FunctionSpec {
  readonly handler: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A way of using a client that has lines of its own in the fault table. */
export interface FaultClient {
  /** A short word for programs. */
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  /** The function that issues the calls; every event has the server's address. */
  readonly function: FunctionSpec;
}

/** The commands that the bench runs on every client. */
export interface ConnectedClient {
  get(key: string): Promise<unknown>;
  set(key: string, value: string): Promise<unknown>;
  incr(key: string): Promise<unknown>;
  ping(): Promise<unknown>;
  /** Runs one GET per key in one request. */
  pipeline(keys: readonly string[]): Promise<readonly unknown[]>;
  /** Lets go of the client's connections. */
  close(): Promise<unknown>;
}

/** Options that a client is created with. */
export interface ConnectOptions extends Endpoint {
  /** Whether connections are kept for the next command; without, each command opens and closes one. */
  readonly keepAlive: boolean;
}

/** Makes a client. It may connect now or with the first command. */
export type Connect = (options: ConnectOptions) => ConnectedClient;

/** A client that scenarios measure. Each is a file in `clients/` whose default export this is. */
export interface BenchClient {
  /** A short word for the command line; the name of its file. */
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  /** The npm package whose version is recorded; none for what comes with Node. */
  readonly package?: string;
  /** Notes that a reader needs to judge its numbers. */
  readonly note?: string;
  /** The place in tables and charts: lower comes first. */
  readonly order: number;
  /** Whether it is measured where the command line names no clients. */
  readonly standard: boolean;
  /** Its protocol: HTTP to the gateway, or RESP over TCP to the Redis behind the gateway. */
  readonly protocol: "http" | "tcp";
  /** Whether it pipelines commands of one event-loop turn automatically. */
  readonly batches: boolean;
  /** Loads the client's code, inside the function. */
  load(): Promise<Connect>;
  /** The function that runs one command per invocation, where it is not {@link commandsFunction}. */
  keepalive?(variant: Variant, endpoint: Endpoint): FunctionSpec;
  /** How it is used against faults; none for what leaves them to its user. */
  readonly faults?: readonly FaultClient[];
}

/** A handler of this package, as a path. */
export const ownHandler = (name: string): string => built(`handlers/${name}.js`);

const built = (file: string): string => fileURLToPath(new URL(`./${file}`, import.meta.url));

/** A handler of this package that uses a client in a given way. */
export function clientFunction(
  handler: string,
  client: BenchClient,
  variant: Variant,
  endpoint: Endpoint,
): FunctionSpec {
  return {
    handler: ownHandler(handler),
    env: {
      BENCH_CLIENT: built(`clients/${client.name}.js`),
      BENCH_ENDPOINT: JSON.stringify(endpoint),
      BENCH_KEEPALIVE: variant.keepAlive ? "1" : "0",
      BENCH_LIFETIME: variant.reused ? "reused" : "recreated",
    },
  };
}

/** The function that runs the commands of its event, by default one GET. */
export const commandsFunction = (client: BenchClient, variant: Variant, endpoint: Endpoint): FunctionSpec =>
  clientFunction("commands", client, variant, endpoint);
