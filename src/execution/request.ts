import { ArgumentError, ConnectionError, RedisError, UnknownOutcomeError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import type { HttpResponse } from "../protocol/http.js";
import { readJson } from "../protocol/json.js";
import { MalformedReply } from "../protocol/malformed.js";
import { ErrorReply, type RawReply } from "../protocol/reply.js";
import type { EncodedRequest, Route } from "../protocol/rest-protocol.js";
import { readReply } from "../protocol/status.js";
import type { ConfiguredClient } from "./client-context.js";
import { type Command, type Pending, readsBytes } from "./command.js";
import { decodeReply } from "./decode.js";
import { type Delivery, type DeliveryOptions, deliver } from "./delivery.js";
import { errorOf, type Failure, type Verdict } from "./verdict.js";

/** Names of batches in error messages. */
export const LABELS = { pipeline: "PIPELINE", "multi-exec": "MULTI" };

/**
 * Sends commands as one request, through the request handler if the client has one.
 * @param route empty for a single command.
 */
export function sendCommands(
  client: ConfiguredClient,
  commands: readonly Pending[],
  route: Route,
  limits: Pick<DeliveryOptions<Command>, "time" | "signal" | "onFailure" | "onEnd">,
): Delivery {
  const { context, settings } = client;
  const { requestHandler } = context;
  const label = route ? LABELS[route] : commands[0]!.command.name;
  // Written out one by one: spreading objects of several shapes took a sixth of a command's time.
  const { time, signal, onFailure, onEnd } = limits;
  return deliver(context, commands, {
    label,
    batchSize: route ? commands.length : undefined,
    settings,
    time,
    signal,
    onFailure,
    onEnd,
    numbers: context.protocol.numbers,
    encode: (sent, inPath) => encode(client, sent, route, inPath),
    carry:
      requestHandler &&
      (async (sent, call) => {
        if (sent.some(({ command }) => command.bytes)) {
          const message = `${label}: bytes can't be sent through middleware, which gets JSON`;
          throw new ArgumentError(message, { command: label });
        }
        const argv = route ? sent.map(argvOf) : argvOf(sent[0]!);
        const request = { ...(route && { path: [route] }), body: argv, ...(signal && { signal }) };
        const json = JSON.stringify(await requestHandler(request, { ...call, settings, argv }));
        return decode(sent, route, readJson(json ?? "", false));
      }),
  });
}

/**
 * Encodes commands as one request.
 * @param inPath whether the endpoint accepts bytes only in a path.
 */
function encode(
  { context }: ConfiguredClient,
  sent: readonly Pending[],
  route: Route,
  inPath: boolean,
): EncodedRequest<readonly Verdict[]> {
  const { protocol, endpoint } = context;
  const { command } = sent[0]!;
  const encoded = route
    ? protocol.batch(
        sent.map(argvOf),
        route,
        sent.some((pending) => readsBytes(pending.command)),
        sent.some((pending) => pending.command.bytes),
      )
    : protocol.command(command.argv, readsBytes(command), command.bytes, inPath);
  const read = (response: HttpResponse) =>
    decode(sent, route, readReply(encoded, response, endpoint as Endpoint | undefined));
  return { request: encoded.request, read };
}

const argvOf = ({ command }: Pending) => command.argv;

/**
 * Returns a verdict for each command from the reply to their request.
 * @throws MalformedReply; ErrorReply, or RedisError for the command that caused a transaction to be discarded.
 */
function decode(sent: readonly Pending[], route: Route, reply: RawReply): readonly Verdict[] {
  if (reply instanceof ErrorReply) {
    // warmline-gateway reports the command that caused the transaction to be discarded.
    const index = Number(/^EXECABORT .* command (\d+) of /.exec(reply.message)?.[1]) - 1;
    throw sent[index] ? new RedisError(reply.message, { command: sent[index].command.name, index }) : reply;
  }
  if (!route) return [{ kind: "value", value: decodeReply(sent[0]!.command, reply) }];
  if (!Array.isArray(reply) || reply.length !== sent.length) {
    throw new MalformedReply(`not an array of ${sent.length} replies`);
  }
  return reply.map((item, place): Verdict => {
    const { command } = sent[place]!;
    try {
      return { kind: "value", value: decodeReply(command, item) };
    } catch (thrown) {
      const error = errorOf(thrown, { command, possiblyApplied: false }, command.index);
      // A transaction is never sent again in part.
      const kind = route === "pipeline" ? kindOf(error) : "error";
      return { kind, errorFor: (pending) => errorOf(error, pending) };
    }
  });
}

/** Returns the kind of a failure from the error that the gateway reported for the command. */
function kindOf(error: unknown): Failure["kind"] {
  if (error instanceof ConnectionError) return "unsent";
  return error instanceof UnknownOutcomeError ? "unknown" : "error";
}
