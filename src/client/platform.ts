import { ConfigError } from "../errors.js";
import { CommandExecutor } from "../execution/executor.js";
import type { Requester, RequestHandler } from "../execution/middleware.js";
import { resolveMaxReplySize, resolveSettings } from "../execution/settings.js";
import { type Endpoint, parseEndpoint } from "../options/endpoint.js";
import type { RedisOptions } from "../options/options.js";
import type { HttpRequest } from "../protocol/http.js";
import { Protocol } from "../protocol/rest-protocol.js";
import type { Transport } from "../transport/transport.js";

/** Runtime-specific parts of a client. */
export interface Platform {
  env(): Record<string, string | undefined>;
  /** Whether a client opens a connection when it is created, by default. */
  preconnects?(): boolean;
  createTransport(endpoint: Endpoint, options: RedisOptions, probe: HttpRequest): Transport;
  /** Returns the SHA-1 digest of a text in hexadecimal digits, where the runtime has it synchronously. */
  sha1?(text: string): string;
  /** Returns a caller that runs functions in the current asynchronous context, where responses arrive in another one. */
  contextNow?(): <T>(read: () => T) => T;
  /** Returns a function to call before each command of a client, if needed. Its promise is awaited. */
  beforeCalls?(options: RedisOptions): (() => Promise<unknown> | undefined) | undefined;
}

/** The endpoint of a client without one. Nothing is sent to it. */
const NOWHERE: Endpoint = { origin: "http://localhost", path: "", token: "none" };

export function createExecutor(
  platform: Platform,
  options: RedisOptions,
  requester?: Requester,
): CommandExecutor {
  const settings = resolveSettings(options);
  const endpoint = requester ? undefined : parseEndpoint(options);
  const missing = endpoint instanceof ConfigError;
  if (missing) console.warn(`warmline: ${endpoint.message}`);
  const usable = missing ? NOWHERE : (endpoint ?? NOWHERE);
  const plain = options.responseEncoding === false || requester !== undefined;
  const protocol = new Protocol(
    usable,
    options.responseFormat !== "json" && !plain,
    !plain,
    options.readYourWrites !== false && !requester,
  );
  const custom = options.transport?.(usable.origin, options, resolveMaxReplySize(options));
  const transport =
    (custom as Transport | undefined) ?? platform.createTransport(usable, options, protocol.ping());
  if (usable !== NOWHERE && (options.preconnect ?? platform.preconnects?.())) void transport.preconnect();
  const beforeCall = platform.beforeCalls?.(options);
  const requestHandler: RequestHandler | undefined = requester && ((request) => requester.request(request));
  const { contextNow, sha1 } = platform;
  return new CommandExecutor(
    { transport, protocol, endpoint, requestHandler, beforeCall, contextNow, sha1 },
    settings,
  );
}
