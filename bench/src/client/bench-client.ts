import { fileURLToPath } from "node:url";

export interface Endpoint {
  readonly url: string;
  readonly token: string;
  /** The address of the same Redis over TCP; undefined without a `redis-server`. */
  readonly tcp?: { readonly port: number; readonly tls: boolean };
}

/** What a function needs to reach the server. */
export interface Place {
  readonly endpoint: Endpoint;
  /** Environment variables that the function needs to trust the server. */
  readonly trust: Readonly<Record<string, string>>;
}

export interface Variant {
  /** Whether connections are kept for the next request. */
  readonly keepAlive: boolean;
  /** Whether the client (or its agent) is made once, outside the handler, rather than in every invocation. */
  readonly reused: boolean;
}

/** All invocations use the same client and connections. */
export const KEPT: Variant = { keepAlive: true, reused: true };

/** A function to run: the path of its handler's module, and its environment. */
export interface FunctionSpec {
  readonly handler: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A way to use a client, with rows of its own in the fault table. */
export interface FaultClient extends Pick<BenchClient, "name" | "label"> {
  /** Whether the endpoint offers no numbers, like Upstash or several gateways at one Redis. */
  readonly plain?: boolean;
  /** The function that issues the calls; every event has the server's address. */
  readonly function: FunctionSpec;
}

export interface ConnectedClient {
  get(key: string): Promise<unknown>;
  set(key: string, value: string): Promise<unknown>;
  incr(key: string): Promise<unknown>;
  hgetall(key: string): Promise<unknown>;
  ping(): Promise<unknown>;
  /** Runs one GET per key in one request. */
  pipeline(keys: readonly string[]): Promise<readonly unknown[]>;
  /** Reads a value without parsing it, as bytes if the client supports them. */
  bytes(key: string): Promise<unknown>;
  close(): Promise<unknown>;
}

export interface ConnectOptions extends Endpoint {
  /** Whether connections are kept for the next command. If false, each command opens and closes one. */
  readonly keepAlive: boolean;
  /**
   * Time in ms after which the client is to reject a call. It must also send no write again and give up idle connections early, all
   * by settings from its own documentation. Absent: its settings as shipped.
   */
  readonly timeoutMs?: number;
  /** False turns the client's auto-pipelining off, so that each command is a request of its own. Absent: as shipped. */
  readonly autoPipelining?: false;
}

/** A client that scenarios measure: the default export of a file in `clients/`. */
export interface BenchClient {
  /** A short word for the command line; the name of its file. */
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  /** The npm package whose version is recorded. Absent if the client comes with Node. */
  readonly package?: string;
  readonly note?: string;
  /** The place in tables and charts: lower comes first. */
  readonly order: number;
  /** Whether it is measured where many clients would take too long. Default: false. */
  readonly standard?: boolean;
  /** Its protocol: HTTP to the gateway, or RESP over TCP to the Redis behind the gateway. */
  readonly protocol: "http" | "tcp";
  /** The client whose best known settings these are. Absent: settings as shipped. */
  readonly tunes?: string;
  /** Whether no application on Node would choose it, since it is made for other platforms. */
  readonly reference?: boolean;
  /** Creates the client. It may connect now or with the first command. */
  connect(options: ConnectOptions): ConnectedClient;
  /** The settings against faults, which `connect` uses with `timeoutMs`, and where they are documented. Absent if there are no such settings. */
  readonly advised?: { readonly settings: string; readonly link: string };
  /**
   * How it is used against faults: names of handlers, and their environments. Default: the handler `faults-client`, with nothing caught
   * or repeated; as shipped, and with a timeout if it has settings for that.
   */
  readonly faults?: readonly (Omit<FaultClient, "function"> & FunctionSpec)[];
}

/** Returns the path of a file of the built package. */
export const built = (path: string): string => {
  const { url } = import.meta;
  // The bundler may put this code into a file at any depth of dist. From sources, dist is beside them.
  const at = url.lastIndexOf(url.includes("/dist/") ? "/dist/" : "/src/");
  return fileURLToPath(new URL(path, `${url.slice(0, at)}/dist/`));
};

export const handlerPath = (name: string): string => built(`handlers/${name}.js`);

/** Returns the function that runs a handler, with a client if there is one. */
export const clientFunction = (
  handler: string,
  client: BenchClient | undefined,
  { keepAlive, reused }: Variant,
  { endpoint, trust }: Place,
): FunctionSpec => ({
  handler: handlerPath(handler),
  env: {
    ...trust,
    BENCH_ENDPOINT: JSON.stringify(endpoint),
    BENCH_KEEPALIVE: keepAlive ? "1" : "0",
    BENCH_LIFETIME: reused ? "reused" : "recreated",
    ...(client && { BENCH_CLIENT: built(`clients/${client.name}.js`) }),
  },
});

/** Returns the function that runs the commands of its event, by default one GET. */
export const commandsFunction = (client: BenchClient, variant: Variant, place: Place): FunctionSpec =>
  clientFunction("commands", client, variant, place);

/** The timeout in ms of clients with documented options against faults. */
const FAULT_TIMEOUT_MS = 2_000;

export const asAdvised = (label: string): string => `${label}, documented options`;

export function faultClients(client: BenchClient, place: Place): readonly FaultClient[] {
  const { name, label, advised, faults } = client;
  if (faults)
    return faults.map(({ handler, env, ...each }) => {
      return { ...each, function: { handler: handlerPath(handler), env: { ...env, ...place.trust } } };
    });
  const shipped = clientFunction("faults-client", client, KEPT, place);
  if (!advised) return [{ name, label, function: shipped }];
  const better = { ...shipped, env: { ...shipped.env, BENCH_TIMEOUT_MS: String(FAULT_TIMEOUT_MS) } };
  return [
    { name, label, function: shipped },
    { name: `${name}-advised`, label: asAdvised(label), function: better },
  ];
}

export const faultNotes = (clients: readonly BenchClient[]): string[] =>
  clients.flatMap(({ label, advised }) =>
    advised === undefined ? [] : [`${asAdvised(label)}: ${advised.settings} (${advised.link}).`],
  );
