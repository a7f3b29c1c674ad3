import { startLog } from "../client/node-log.js";
import { channelTracer } from "../client/tracing-channels.js";
import { ConfigError } from "../errors.js";
import { resolveSettings, type Settings } from "../execution/settings.js";
import type { Tracer } from "../execution/trace.js";
import { assertConfig } from "../options/assert-config.js";
import { checkCall, checkNames } from "../options/check-call.js";
import { type Endpoint, parseEndpoint, readEndpointFromEnv } from "../options/endpoint.js";
import type { RedisOptions } from "../options/options.js";
import { getCapabilities } from "../protocol/capabilities.js";
import type { HeaderValues } from "../protocol/http.js";
import type { Numbers } from "../protocol/numbers.js";
import { NodeTransport } from "../transport/node/transport.js";
import { createNodeTransportOptions } from "../transport/node/transport-options.js";
import { DEFAULT_MAX_REPLY_SIZE, type Transport } from "../transport/transport.js";

const OPTION_NAMES = [
  "url",
  "token",
  "timeout",
  "deadline",
  "retry",
  "keepAlive",
  "maxConnections",
  "maxReplySize",
  "preconnect",
  "tls",
  "proxy",
  "circuit",
  "debug",
] as const;

/** Options of `new Redis()` that a connector takes. Default of `url` and `token`: the environment's. */
export type ConnectorOptions = Pick<RedisOptions, (typeof OPTION_NAMES)[number]>;

/** Settings shared by every stream of a connector. */
export interface ConnectorContext {
  readonly endpoint: Endpoint;
  readonly settings: Settings;
  readonly transport: Transport;
  readonly tracer: Tracer;
  /** Headers of a request whose body and response are RESP2. */
  readonly headers: HeaderValues;
  readonly numbers: Numbers;
}

/**
 * Returns the context, or a ConfigError if url or token is missing: a build imports the module without them.
 * @throws ConfigError if an option is unknown or malformed. Its message begins with `call`, the name of the called function.
 */
export function createContext(
  call: string,
  userOptions: ConnectorOptions,
  surplus: readonly unknown[],
): ConnectorContext | ConfigError {
  checkCall(ConfigError, call, 1, surplus);
  checkNames(
    assertConfig,
    userOptions,
    OPTION_NAMES,
    "the options must be an object, such as { url, token }",
  );
  const env = userOptions.url === undefined && userOptions.token === undefined ? process.env : undefined;
  const options: ConnectorOptions = env ? { ...userOptions, ...readEndpointFromEnv(env) } : userOptions;
  const settings = resolveSettings(options);
  const { maxReplySize = DEFAULT_MAX_REPLY_SIZE } = options;
  // With an environment the message does not name Redis.fromEnv().
  const parsed = parseEndpoint(options, env ?? {});
  if (parsed instanceof ConfigError) return new ConfigError(parsed.message.replace("new Redis", call));
  const endpoint = { ...parsed, env };
  startLog(options.debug);
  const headers = { ...createHeaders(endpoint, "vnd.redis.resp2"), "upstash-response-format": "resp2" };
  const probe = { path: `${endpoint.path}/`, headers: createHeaders(endpoint, "json"), body: '["PING"]' };
  const transport = new NodeTransport(
    createNodeTransportOptions(endpoint.origin, options, maxReplySize, probe),
  );
  if (options.preconnect ?? process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined) void transport.preconnect();
  const { numbers } = getCapabilities(endpoint.origin, endpoint.path);
  return { endpoint, settings, transport, headers, numbers, tracer: channelTracer };
}

/** Returns the headers of a request with a body of this type. */
export const createHeaders = ({ token }: Endpoint, type: string): HeaderValues => ({
  authorization: `Bearer ${token}`,
  "content-type": `application/${type}`,
});
