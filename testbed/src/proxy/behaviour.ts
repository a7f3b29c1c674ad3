import type { Behaviour, Exchange, Fault, ProxiedConnection } from "./proxied-connection.js";

/** Returns the behaviour of connection `number` (from 1, in the order of accepting). Undefined: everything is passed on. */
export type Script = (number: number) => Behaviour | undefined;

/** Combines behaviours: each callback is called, and the first fault is applied. */
export function combine(...behaviours: Behaviour[]): Behaviour {
  const combined: Record<string, unknown> = {};
  for (const moment of ["opened", "requestStarted", "responded"] as const) {
    const all = behaviours.filter((behaviour) => behaviour[moment]);
    if (all.length === 0) continue;
    combined[moment] = (...args: unknown[]) => {
      for (const behaviour of all) (behaviour[moment] as (...args: unknown[]) => void)(...args);
    };
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
