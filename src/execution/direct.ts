import { blockingTime } from "../commands/blocking.js";
import { isWrite } from "../commands/registry.js";
import { ArgumentError, RedisError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import type { HttpResponse } from "../protocol/http.js";
import type { Route } from "../protocol/rest-protocol.js";
import { readReply } from "../protocol/status.js";
import type { ConfiguredClient } from "./client-context.js";
import { deliverRequest } from "./delivery.js";
import type { HandledCall, UpstashRequest, UpstashResponse } from "./middleware.js";
import { LABELS } from "./request.js";

/** Names of headers that middleware may add: not those that the client or HTTP/1.1 sets. */
const HEADER_NAME = /^(?!authorization$|connection$|content-|host$|transfer-)[\w-]+$/i;

/**
 * Sends a request that middleware lets through.
 * @param client the client without middleware, with the settings of the call.
 * @throws RedisError for an error reply, as `@upstash/redis` does; ArgumentError for a header that can't be added.
 */
export function sendDirect(
  { context, settings }: ConfiguredClient,
  { path = [], body, headers = {}, signal }: UpstashRequest,
  call: HandledCall,
): Promise<UpstashResponse<any>> {
  const route = path.join("/") as Route;
  const commands = (route ? body : [body]) as unknown[][];
  const label = route ? LABELS[route] : String(commands[0]?.[0]).toUpperCase();
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || /[^\t -~]/.test(value))
      throw new ArgumentError(`${label}: middleware can't send the header ${name}`, { command: label });
  }
  // Of a request that middleware created itself, only the arguments are known: it may be repeated if it only reads.
  const write = commands.some(isWrite);
  const repeatable = body === call.argv ? call.repeatable : !write;
  const wait = commands
    .map(([name, ...args] = []) => blockingTime([String(name).toUpperCase(), ...args]))
    .find((time) => time !== undefined);
  const encoded = context.protocol.passthrough(body, route, headers);
  const read = (response: HttpResponse) => {
    const endpoint = context.endpoint as Endpoint | undefined;
    const json = readReply(encoded, response, endpoint) as UpstashResponse<any>;
    if (typeof json?.error === "string") throw new RedisError(json.error, { command: label });
    return json;
  };
  const batchSize = route ? commands.length : undefined;
  const { numbers } = context.protocol;
  const limits = { time: call.budget.timeLeft, signal: signal ?? call.signal };
  const options = { label, batchSize, write, repeatable, wait, numbers, settings, ...limits };
  return new Promise((resolve, reject) => {
    deliverRequest(context, { request: encoded.request, read }, options, resolve, reject);
  });
}
