import type { Link } from "./link.js";

/** A request and its response on one connection. */
export interface Exchange {
  /** The exchange's number on its connection, from 1. */
  readonly number: number;
  /** The whole request as the client sent it. */
  readonly request: Buffer;
}

/** A part of a response as it came from the server. */
export interface ResponsePart {
  readonly bytes: Buffer;
  /** The number of response bytes before this part. */
  readonly offset: number;
  readonly first: boolean;
  readonly last: boolean;
}

/** A fault of one exchange. A missing callback passes its bytes on unchanged. */
export interface Fault {
  /** Called with the whole request. To pass it on: `link.toServer(exchange.request)`. */
  request?(link: Link, exchange: Exchange): void;
  /** Called with each part of the response. To pass it on: `link.toClient(part.bytes)`. */
  response?(link: Link, part: ResponsePart, exchange: Exchange): void;
}

/**
 * The behaviour of one connection, as callbacks. A missing callback passes its event on unchanged. Each callback acts
 * through its `link`: pass, discard, invent, delay, close, reset, blackhole.
 */
export interface Behaviour {
  /** Called when the client's connection is accepted, before any bytes pass. */
  opened?(link: Link): void;
  /** Called with the first bytes of request `number`, which may not be complete yet. */
  requestStarted?(link: Link, number: number): void;
  /** Called with each complete request. Returns the fault to apply to it and its response, if any. */
  exchange?(exchange: Exchange, link: Link): Fault | undefined;
  /** Called after each complete response: the connection is idle if the client has sent no more. */
  responded?(link: Link, exchange: Exchange): void;
  /** Called when the client ends its half (FIN). To pass it on: `link.endServer()`. */
  clientEnded?(link: Link): void;
  /** Called when the server ends its half (FIN). To pass it on: `link.endClient()`. */
  serverEnded?(link: Link): void;
  /** Called when the server resets the connection or cannot be reached. To pass it on: `link.resetClient()`. */
  serverReset?(link: Link): void;
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
    if (first) combined[moment] = (link: Link) => first[moment]!(link);
  }
  combined.exchange = (exchange: Exchange, link: Link): Fault | undefined => {
    for (const behaviour of behaviours) {
      const fault = behaviour.exchange?.(exchange, link);
      if (fault) return fault;
    }
    return undefined;
  };
  return combined;
}

/** Selects requests of a connection: the k-th, or those for which the function returns true. */
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
