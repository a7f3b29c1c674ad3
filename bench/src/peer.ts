import { fileURLToPath } from "node:url";

/** Where the client finds the server. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** How a function uses its client. */
export interface Variant {
  /** Whether connections are kept for the next request. */
  readonly keepAlive: boolean;
  /** Whether the client (or its agent) is made once, outside the handler, rather than in every invocation. */
  readonly reused: boolean;
}

/** A function to run: a handler's module and its environment. */
export interface PeerFunction {
  readonly handler: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A way of using a client that has lines of its own in the fault table. */
export interface FaultClient {
  /** A short word for programs. */
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  /** The function that issues the calls; it is told the server's address with every event. */
  readonly function: PeerFunction;
}

/** A client that scenarios measure. Each is a file in `peers/` whose default export this is. */
export interface Peer {
  /** A short word for the command line. */
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  /** The npm package whose version is recorded; none for what comes with Node. */
  readonly package?: string;
  /** What a reader must know to judge its numbers. */
  readonly note?: string;
  /** The place in tables and charts: lower comes first. */
  readonly order: number;
  /** The function that runs one command per invocation. */
  keepalive(variant: Variant, endpoint: Endpoint): PeerFunction;
  /** How it is used against faults; none for what leaves them to its user. */
  readonly faults?: readonly FaultClient[];
}

/** A handler of this package, as a path. */
export const ownHandler = (name: string): string =>
  fileURLToPath(new URL(`./handlers/${name}.js`, import.meta.url));

/** A variant as environment variables, for handlers that do all four. */
export const variantEnv = (variant: Variant): Record<string, string> => ({
  BENCH_KEEPALIVE: variant.keepAlive ? "1" : "0",
  BENCH_CLIENT: variant.reused ? "reused" : "recreated",
});
