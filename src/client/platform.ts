import { ConfigError } from "../errors.js";
import type { ClientContext } from "../execution/client-context.js";
import { CommandExecutor } from "../execution/executor.js";
import type { Requester } from "../execution/middleware.js";
import type { NearHooks } from "../execution/near-hooks.js";
import { resolveSettings } from "../execution/settings.js";
import { createTracer, type Tracer } from "../execution/trace.js";
import { ENV, type Endpoint, type Env, parseEndpoint, readEndpointFromEnv } from "../options/endpoint.js";
import type { RedisOptions } from "../options/options.js";
import type { HttpRequest } from "../protocol/http.js";
import { Protocol } from "../protocol/rest-protocol.js";
import { DEFAULT_MAX_REPLY_SIZE, type Transport } from "../transport/transport.js";

/** Runtime-specific parts of a client. */
export interface Platform extends Pick<ClientContext, "contextNow" | "sha1"> {
  env(): Record<string, string | undefined>;
  /** Whether a client opens a connection when it is created, by default. */
  preconnects?(): boolean;
  createTransport(
    endpoint: Endpoint,
    options: RedisOptions,
    maxReplySize: number,
    probe: HttpRequest,
  ): Transport;
  /**
   * Returns the tracer of the runtime, if it has one.
   * @param debug the client's option `debug`.
   */
  tracer?(debug: boolean | undefined): Tracer | undefined;
  /** Returns a function to call before each command, or undefined if none is needed. If it returns a promise, the command waits for it. */
  beforeCalls?(options: RedisOptions): (() => Promise<unknown> | undefined) | undefined;
}

/** Stands for a missing endpoint. Nothing is sent to it. */
const NOWHERE: Endpoint = { origin: "http://localhost", path: "", token: "none" };

/** The options of a client, with the environment if url and token were read from it. */
type ClientOptions = RedisOptions & { readonly [ENV]?: Env };

type Connected = Pick<ClientContext, "transport" | "protocol" | "endpoint">;

export function createExecutor(
  platform: Platform,
  options: ClientOptions,
  requester?: Requester,
): CommandExecutor {
  const settings = resolveSettings(options);
  const connected = connect(platform, options, requester);
  const { contextNow, sha1 } = platform;
  const { tracing = {}, debug } = options;
  const context: ClientContext = {
    ...connected,
    requestHandler: requester && ((request) => requester.request(request)),
    beforeCall: platform.beforeCalls?.(options),
    contextNow,
    sha1,
    tracer: createTracer(tracing, platform.tracer?.(debug)),
    tracesArgs: tracing.args,
    near: options.near,
    prefix: options.prefix,
  };
  if (options[ENV] && connected.endpoint instanceof ConfigError) {
    connectLater(context, connected, () =>
      connect(platform, { ...options, ...readEndpointFromEnv(options[ENV]!) }),
    );
  }
  return new CommandExecutor(context, settings);
}

/**
 * Makes a client without an endpoint read the environment again with each command, until it has an endpoint: the hooks of tests
 * set the variables after the module that creates the client was imported.
 */
function connectLater(context: ClientContext, connected: Connected, retry: () => Connected): void {
  for (const name of ["transport", "protocol", "endpoint"] as const) {
    Object.defineProperty(context, name, {
      get() {
        if (connected.endpoint instanceof ConfigError) connected = retry();
        return connected[name];
      },
    });
  }
}

function connect(platform: Platform, options: ClientOptions, requester?: Requester): Connected {
  const env = options[ENV];
  const parsed = requester ? undefined : parseEndpoint(options, env);
  const found = parsed && "origin" in parsed && { ...parsed, env: env ?? platform.env() };
  const usable = found || NOWHERE;
  const plain = options.responseEncoding === false || requester !== undefined;
  const protocol = new Protocol(
    usable,
    options.responseFormat !== "json" && !plain,
    !plain,
    options.readYourWrites !== false && !requester,
  );
  if (options.near && found) {
    const near = options.near as NearHooks;
    // On a platform with `contextNow`, code that serves one request may await a promise of code that serves another.
    near.attach(found, platform.contextNow !== undefined, options.prefix);
    protocol.near = near;
  }
  const { maxReplySize = DEFAULT_MAX_REPLY_SIZE } = options;
  const custom = options.transport?.(usable.origin, options, maxReplySize) as Transport | undefined;
  const transport = custom ?? platform.createTransport(usable, options, maxReplySize, protocol.ping());
  if (found && (options.preconnect ?? platform.preconnects?.())) void transport.preconnect?.();
  return { transport, protocol, endpoint: found || parsed };
}
