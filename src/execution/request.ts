import { ArgumentError, ConnectionError, RedisError, UnknownOutcomeError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import { readJson } from "../protocol/json.js";
import { MalformedReply } from "../protocol/malformed.js";
import { ErrorReply, type RawReply } from "../protocol/reply.js";
import type { EncodedRequest, Route } from "../protocol/rest-protocol.js";
import { readReply } from "../protocol/status.js";
import type { ConfiguredClient } from "./client-context.js";
import { type PendingCommand, readsBytes } from "./command.js";
import { decodeReply } from "./decode.js";
import { type Delivery, type DeliveryOptions, deliver } from "./delivery.js";
import { afterUnknown, type Failure, toProtocolError, type Verdict } from "./verdict.js";

/** Names of batches in error messages. */
const LABELS = { pipeline: "PIPELINE", "multi-exec": "MULTI" };

/**
 * Sends commands as one request, through the request handler if the client has one.
 * @param route empty for a single command.
 */
export function sendCommands(
  client: ConfiguredClient,
  commands: readonly PendingCommand[],
  route: Route,
  options: Pick<DeliveryOptions<PendingCommand>, "time" | "signal" | "onFailure" | "onEnd">,
): Delivery<PendingCommand> {
  const { context, settings } = client;
  const { requestHandler } = context;
  const label = route ? LABELS[route] : commands[0]!.name;
  return deliver(context, {
    ...options,
    commands,
    label,
    batchSize: route ? commands.length : undefined,
    settings,
    encode: (sent, resp2Refused) => encode(client, sent, route, resp2Refused),
    carry:
      requestHandler &&
      (async (sent, call) => {
        const argv = route ? sent.map(argvOf) : argvOf(sent[0]!);
        if (argv.flat().some((arg) => typeof arg !== "string")) {
          const message = `${label}: bytes can't be sent through middleware, which gets JSON`;
          throw new ArgumentError(message, { command: label });
        }
        const { signal } = call;
        const request = { ...(route && { path: [route] }), body: argv, ...(signal && { signal }) };
        const json = JSON.stringify(await requestHandler(request, { ...call, settings, argv }));
        return decode(sent, route, readJson(json ?? "", false));
      }),
  });
}

/**
 * Encodes commands as one request.
 * @param resp2Refused whether the endpoint accepts bytes only in a path.
 * @throws ArgumentError if it accepts none in a batch.
 */
function encode(
  { context }: ConfiguredClient,
  commands: readonly PendingCommand[],
  route: Route,
  resp2Refused: boolean,
): EncodedRequest<readonly Verdict[]> {
  const { protocol, endpoint } = context;
  let encoded: EncodedRequest;
  if (!route) {
    const { command } = commands[0]!;
    encoded = protocol.command(command.argv, readsBytes(command), command.bytes, resp2Refused);
  } else if (resp2Refused) {
    const message = "this endpoint accepts bytes only in single commands, not in batches";
    throw new ArgumentError(`${LABELS[route]}: ${message}`);
  } else {
    const exact = commands.some(({ command }) => readsBytes(command));
    const bytes = commands.some(({ command }) => command.bytes);
    encoded = protocol.batch(commands.map(argvOf), route, exact, bytes);
  }
  return {
    request: encoded.request,
    read: (response) =>
      decode(commands, route, readReply(encoded, response, endpoint as Endpoint | undefined)),
  };
}

const argvOf = ({ command }: PendingCommand) => command.argv;

/**
 * Returns a verdict for each command from the reply to their request.
 * @throws MalformedReply; ErrorReply, or the RedisError of the command because of which a transaction was discarded.
 */
function decode(commands: readonly PendingCommand[], route: Route, reply: RawReply): readonly Verdict[] {
  if (reply instanceof ErrorReply) {
    // warmline-gateway reports the command because of which a transaction was discarded.
    const index = Number(/^EXECABORT .* command (\d+) of /.exec(reply.message)?.[1]) - 1;
    throw commands[index] ? new RedisError(reply.message, { command: commands[index].name, index }) : reply;
  }
  if (!route) return [{ kind: "value", value: decodeReply(commands[0]!.command, reply) }];
  if (!Array.isArray(reply) || reply.length !== commands.length) {
    throw new MalformedReply(`not an array of ${commands.length} replies`);
  }
  return reply.map((item, place): Verdict => {
    const { command, name } = commands[place]!;
    try {
      return { kind: "value", value: decodeReply(command, item, place) };
    } catch (error) {
      // A transaction is never sent again in part.
      const kind = route === "pipeline" ? kindOf(error) : "error";
      return { kind, errorFor: (sent) => afterUnknown(toProtocolError(error, name, place), sent) };
    }
  });
}

/** Returns the kind of failure that the gateway reports of a command. */
function kindOf(error: unknown): Failure["kind"] {
  if (error instanceof ConnectionError) return "unsent";
  return error instanceof UnknownOutcomeError ? "unknown" : "error";
}
