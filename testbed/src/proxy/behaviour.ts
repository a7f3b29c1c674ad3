import type { Link } from "./link";

/** A request and its answer on one connection. */
export interface Exchange {
  /** Which one it is on its connection, from 1. */
  readonly number: number;
  /** The whole request as the client sent it. */
  readonly request: Buffer;
}

/** A stretch of an answer as it came from the server. */
export interface ResponsePart {
  readonly bytes: Buffer;
  /** Bytes of this answer that came before these. */
  readonly offset: number;
  readonly first: boolean;
  readonly last: boolean;
}

/** What happens to one exchange. A part that is left out is passed on as it came. */
export interface Fault {
  /** The whole request is here. To pass it on: `link.toServer(exchange.request)`. */
  request?(link: Link, exchange: Exchange): void;
  /** A stretch of the answer is here. To pass it on: `link.toClient(part.bytes)`. */
  response?(link: Link, part: ResponsePart, exchange: Exchange): void;
}

/**
 * What happens on one connection, moment by moment. A moment that is left out passes on what it is about. The link
 * that each gets is how it acts: pass, swallow, make up, delay, close, reset, fall silent.
 */
export interface Behaviour {
  /** The client's connection was accepted, nothing has passed yet. */
  opened?(link: Link): void;
  /** The first bytes of request `number` are here; it may not be whole yet. */
  requestStarted?(link: Link, number: number): void;
  /** A whole request is here: the fault that befalls it and its answer, if any. */
  exchange?(exchange: Exchange, link: Link): Fault | undefined;
  /** An answer has been passed on or dealt with whole: the connection is idle if the client has sent no more. */
  responded?(link: Link, exchange: Exchange): void;
  /** The client ended its half (FIN). To pass it on: `link.endServer()`. */
  clientEnded?(link: Link): void;
  /** The server ended its half (FIN). To pass it on: `link.endClient()`. */
  serverEnded?(link: Link): void;
  /** The server reset the connection or could not be reached. To pass it on: `link.resetClient()`. */
  serverReset?(link: Link): void;
}

/** Chooses the behaviour of connection `number` (from 1, in the order of accepting); undefined: all is passed on. */
export type Script = (number: number) => Behaviour | undefined;

/** One behaviour out of several: the first that has something to say about a moment decides it. */
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

/** Which requests of a connection a fault befalls: the k-th, or those that the function picks. */
export type Which = number | ((exchange: Exchange) => boolean);

/** `fault` befalls the requests that `which` picks; all others pass. */
export function onRequest(which: Which, fault: Fault): Behaviour {
  const picks = typeof which === "number" ? (exchange: Exchange) => exchange.number === which : which;
  return { exchange: (exchange) => (picks(exchange) ? fault : undefined) };
}

/** Whether the request's head or body has `text` in it: for picking a command, `onRequest(carries("incr"), ...)`. */
export function carries(text: string): (exchange: Exchange) => boolean {
  return (exchange) => exchange.request.toString("utf8").toLowerCase().includes(text.toLowerCase());
}
