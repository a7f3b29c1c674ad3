import type { Channel } from "node:diagnostics_channel";
import type { CircuitState, RetryInfo } from "../transport.js";
import { builtin } from "./builtin.js";
import type { CloseReason } from "./connection.js";

/** An event of the connections to an origin. */
export interface ConnectionEvent {
  /** Scheme, host and port. */
  readonly origin: string;
}

/** `warmline:connection:opened`: a connection was established. */
export interface ConnectionOpenedEvent extends ConnectionEvent {
  /** Duration of the handshake, in ms. */
  readonly ms: number;
  /** Connections to this origin that are open now. */
  readonly open: number;
}

/** `warmline:connection:reused`: a request is about to be written on a connection that has carried one before. */
export interface ConnectionReusedEvent extends ConnectionEvent {
  /** Requests that it has carried. */
  readonly requests: number;
  /** Time since it became idle, or began to connect, in ms. */
  readonly idleMs: number;
}

/** `warmline:connection:closed`: a connection was closed, or could not be opened. */
export interface ConnectionClosedEvent extends ConnectionReusedEvent {
  /** Why it was closed. */
  readonly reason: CloseReason;
  /** Connections to this origin that are open now. */
  readonly open: number;
}

/** `warmline:retry`: a request is going to be sent again. */
export interface RetryEvent extends ConnectionEvent, RetryInfo {}

/** `warmline:thaw`: the process was found to have been frozen while connections were idle. */
export interface ThawEvent extends ConnectionEvent {
  /** About how long it was frozen, in ms. */
  readonly frozenMs: number;
  /** Connections that were idle meanwhile, and are suspect now. */
  readonly idle: number;
}

/** `warmline:circuit`: the circuit of an origin changed its state. */
export interface CircuitEvent extends ConnectionEvent {
  /** While it is `open`, calls fail at once; while it is `half-open`, they wait for the response to a PING. */
  readonly state: CircuitState;
  /** The time of the next attempt, in ms since 1970, if the state is `open`. */
  readonly retryAt?: number;
}

/** The messages of the channels, by their names after `warmline:`. */
export interface Messages {
  readonly "connection:opened": ConnectionOpenedEvent;
  readonly "connection:reused": ConnectionReusedEvent;
  readonly "connection:closed": ConnectionClosedEvent;
  readonly retry: RetryEvent;
  readonly thaw: ThawEvent;
  readonly circuit: CircuitEvent;
}

const channels: { [Name in keyof Messages]?: Channel } = {};

/** Publishes an event. @param details returns its message without the origin. Called only if there are subscribers. */
export function publish<Name extends keyof Messages>(
  name: Name,
  origin: string,
  details: () => Omit<Messages[Name], "origin">,
): void {
  // Created with the first event, because loading Node's module takes a tenth of the time of importing this package.
  const channel = channels[name] ?? builtin("node:diagnostics_channel").channel(`warmline:${name}`);
  channels[name] = channel;
  if (channel.hasSubscribers) channel.publish({ origin, ...details() });
}
