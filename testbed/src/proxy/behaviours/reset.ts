import { onRequest, type Which } from "../behaviour.js";
import type { Behaviour } from "../proxied-connection.js";
import { closeBeforeReply } from "./close-before-reply.js";
import { loseReply } from "./lose-reply.js";

/** The moments at which {@link reset} may strike. */
export type ResetMoment =
  /** as soon as the connection is accepted */
  | "open"
  /** at the first byte of request `k`, which never reaches the server */
  | { requestStart: number }
  /** when the request is complete; with `deliver` the server receives it */
  | { request: Which; deliver: boolean }
  /** instead of the server's response */
  | { response: Which };

/** The client's connection is reset (RST) at the given moment. */
export function reset(moment: ResetMoment): Behaviour {
  if (moment === "open") return { opened: (connection) => connection.resetClient() };
  if ("requestStart" in moment) {
    return {
      requestStarted(connection, number) {
        if (number === moment.requestStart) connection.resetClient();
      },
    };
  }
  if ("request" in moment) {
    return onRequest(moment.request, closeBeforeReply({ deliver: moment.deliver, leave: "reset" }));
  }
  return onRequest(moment.response, loseReply({ leave: "reset" }));
}
