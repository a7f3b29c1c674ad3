import type { ConfigError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import type { NearCache } from "../options/options.js";
import type { Protocol } from "../protocol/rest-protocol.js";
import type { Transport } from "../transport/transport.js";
import type { RequestHandler } from "./middleware.js";
import type { Settings } from "./settings.js";
import type { Tracer } from "./trace.js";

/** Dependencies of a client besides its settings. */
export interface ClientContext {
  readonly transport: Transport;
  readonly protocol: Protocol;
  /** The endpoint, or the error of every command if url or token is missing. Undefined with a requester. */
  readonly endpoint: Endpoint | ConfigError | undefined;
  /** Sends the requests in place of the transport, if given. */
  readonly requestHandler?: RequestHandler | undefined;
  /** Precedes every key of the client, if given. */
  readonly prefix?: string | undefined;
  /** The client's near cache, if given: see `getNear`. */
  readonly near?: NearCache | undefined;
  /** Called before each command, if given. A promise is awaited. */
  readonly beforeCall?: (() => Promise<unknown> | undefined) | undefined;
  /** Returns a function that runs others in the present asynchronous context. Given if responses arrive in another context. */
  readonly contextNow?: (() => <T>(read: () => T) => T) | undefined;
  /** Reports commands and requests, if given. */
  readonly tracer?: Tracer | undefined;
  /** Whether traces of commands contain the arguments. */
  readonly tracesArgs?: boolean | undefined;
  /** Returns the SHA-1 digest of a text in hexadecimal digits, if the runtime can compute it synchronously. */
  readonly sha1?: ((text: string) => string) | undefined;
}

/** A client's dependencies and its settings, which differ between clients made by `with()`. */
export interface ConfiguredClient {
  readonly context: ClientContext;
  readonly settings: Settings;
}
