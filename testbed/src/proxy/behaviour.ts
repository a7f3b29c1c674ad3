import type { MessagePart } from "./frames.js";
import type { ProxiedConnection } from "./proxied-connection.js";

/** A request and its response on one connection. */
export interface Exchange {
  /** The exchange's number on its connection, from 1. */
  readonly number: number;
  /** The whole request as the client sent it. */
  readonly request: Buffer;
}

/** A part of a response as it came from the server. */
export interface ResponsePart extends MessagePart {
  /** The number of response bytes before this part. */
  readonly offset: number;
}

/** A fault of one exchange. A missing callback passes its bytes on unchanged. */
export interface Fault {
  /** Called with the whole request. To pass it on: `connection.toServer(exchange.request)`. */
  request?(connection: ProxiedConnection, exchange: Exchange): void;
  /** Called with each part of the response. To pass it on: `connection.toClient(part.bytes)`. */
  response?(connection: ProxiedConnection, part: ResponsePart, exchange: Exchange): void;
}

/**
 * The behaviour of one connection, as callbacks. A missing callback passes its event on unchanged. Each callback acts
 * through its `connection`: pass, discard, invent, delay, close, reset, blackhole.
 */
export interface Behaviour {
  /** Called when the client's connection is accepted, before any bytes pass. */
  opened?(connection: ProxiedConnection): void;
  /** Called with the first bytes of request `number`, which may not be complete yet. */
  requestStarted?(connection: ProxiedConnection, number: number): void;
  /** Called with each complete request. Returns the fault to apply to it and its response, if any. */
  exchange?(exchange: Exchange, connection: ProxiedConnection): Fault | undefined;
  /** Called after each complete response: the connection is idle if the client has sent no more. */
  responded?(connection: ProxiedConnection, exchange: Exchange): void;
  /** Called when the client ends its half (FIN). To pass it on: `connection.endServer()`. */
  clientEnded?(connection: ProxiedConnection): void;
  /** Called when the server ends its half (FIN). To pass it on: `connection.endClient()`. */
  serverEnded?(connection: ProxiedConnection): void;
  /** Called when the server resets the connection or cannot be reached. To pass it on: `connection.resetClient()`. */
  serverReset?(connection: ProxiedConnection): void;
}

/** Chooses the behaviour of connection `number` (from 1, in the order of accepting); undefined: everything is passed on. */
export type Script = (number: number) => Behaviour | undefined;

/** Combines behaviours: the first one that has a callback, or returns a fault, decides. */
export function combine(...behaviours: Behaviour[]): Behaviour {
  const combined: Record<string, unknown> = {};
  for (const moment of ["opened", "requestStarted", "responded"] as const) {
    const all = behaviours.filter((behaviour) => behaviour[moment]);
    if (all.length === 0) continue;
    combined[moment] = (...args: unknown[]) => {
      for (const behaviour of all) (behaviour[moment] as (...args: unknown[]) => void)(...args);
    };
  }
  for (const moment of ["clientEnded", "serverEnded", "serverReset"] as const) {
    const first = behaviours.find((behaviour) => behaviour[moment]);
    if (first) combined[moment] = (connection: ProxiedConnection) => first[moment]!(connection);
  }
  combined.exchange = (exchange: Exchange, connection: ProxiedConnection): Fault | undefined => {
    for (const behaviour of behaviours) {
      const fault = behaviour.exchange?.(exchange, connection);
      if (fault) return fault;
    }
    return undefined;
  };
  return combined;
}

/** Selects requests of a connection: the k-th, or each for which the function returns true. */
export type Which = number | ((exchange: Exchange) => boolean);

/** Applies `fault` to the requests that `which` selects; all others pass. */
export function onRequest(which: Which, fault: Fault): Behaviour {
  const picks = typeof which === "number" ? (exchange: Exchange) => exchange.number === which : which;
  return { exchange: (exchange) => (picks(exchange) ? fault : undefined) };
}

/** Selects requests whose head or body contains `text`, such as a command: `onRequest(carries("incr"), ...)`. */
export function carries(text: string): (exchange: Exchange) => boolean {
  return (exchange) => exchange.request.toString("utf8").toLowerCase().includes(text.toLowerCase());
}
