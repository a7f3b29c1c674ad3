import { isWrite } from "../commands/write.js";
import { ArgumentError, RedisError } from "../errors.js";
import type { EncodedRequest, Route } from "../protocol/rest-protocol.js";
import type { ConfiguredClient } from "./client-context.js";
import type { HandledCall, UpstashRequest, UpstashResponse } from "./middleware.js";
import { PendingRequest } from "./pending-request.js";

type Response = UpstashResponse<any>;

/** Names of headers that middleware may add: those that the client and HTTP/1.1 do not need for themselves. */
const HEADER_NAME = /^(?!authorization$|connection$|content-|host$|transfer-)[\w-]+$/i;

/** A request that middleware lets through. Its response is passed on as JSON. */
class DirectRequest extends PendingRequest<Response> {
  constructor(
    client: ConfiguredClient,
    label: string,
    signal: AbortSignal | undefined,
    time: number,
    readonly write: boolean,
    readonly repeatable: boolean,
    readonly encoded: EncodedRequest,
    readonly resolve: (response: Response) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    super(client, label, { time, signal });
  }

  decode(reply: unknown): Response {
    const response = reply as Response;
    const { label } = this;
    if (typeof response?.error === "string") throw new RedisError(response.error, { command: label });
    return response;
  }
}

/**
 * Sends what middleware lets through.
 * @param client the client without middleware, with the settings of the call.
 * @throws RedisError where the response has an error, as in the reference client; ArgumentError for a header that can't be
 * added.
 */
export function sendDirect(
  client: ConfiguredClient,
  { path = [], body, headers = {}, signal }: UpstashRequest,
  call: HandledCall,
): Promise<Response> {
  const route = path.join("/") as Route;
  const commands = (route ? body : [body]) as unknown[][];
  const label = route ? route.toUpperCase() : String(commands[0]?.[0]);
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || /[^\t -~]/.test(value))
      throw new ArgumentError(`${label}: middleware can't send the header ${name}`, { command: label });
  }
  // Only the arguments are known of a request that middleware created itself.
  const write = commands.some(isWrite);
  const repeatable = body === call.argv ? call.repeatable : !write;
  const encoded = client.context.protocol.passthrough(body, route, Object.entries(headers).flat());
  return new Promise((resolve, reject) =>
    new DirectRequest(
      client,
      label,
      signal ?? call.signal,
      call.budget.timeLeft,
      write,
      repeatable,
      encoded,
      resolve,
      reject,
    ).send(),
  );
}
