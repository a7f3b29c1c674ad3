import type { Outcome } from "../../errors.js";
import type { CircuitState } from "../transport.js";
import { builtin } from "./builtin.js";
import type { CloseReason } from "./connection.js";

/** `warmline:connection:opened`: a connection was established. */
export interface ConnectionOpenedEvent {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Duration of the handshake, in ms. */
  readonly ms: number;
  /** Connections to this origin that are open now. */
  readonly open: number;
}

/** `warmline:connection:reused`: a request is about to be written on a connection that has carried one before. */
export interface ConnectionReusedEvent {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Requests that it has carried. */
  readonly requests: number;
  /** Idle time before the request, in ms. */
  readonly idleMs: number;
}

/** `warmline:connection:closed`: a connection was closed, or could not be opened. */
export interface ConnectionClosedEvent {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Why it was closed. */
  readonly reason: CloseReason;
  /** Requests that it has carried. */
  readonly requests: number;
  /** Time since it became idle, or began to connect, in ms. */
  readonly idleMs: number;
  /** Connections to this origin that are open now. */
  readonly open: number;
}

/** `warmline:retry`: a request is going to be sent again. */
export interface RetryEvent {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Redis's name of the command, in upper case, or `PIPELINE` or `MULTI`. */
  readonly command: string;
  /** Outcome of the last attempt. `answered`: the endpoint reported that it had not applied the request. */
  readonly outcome: Outcome;
  /** Which retry of this call it is, from 1. */
  readonly retry: number;
  /** The wait before it, in ms. */
  readonly waitMs: number;
}

/** `warmline:thaw`: the process was found to have been frozen while connections were idle. */
export interface ThawEvent {
  /** Scheme, host and port of the connections. */
  readonly origin: string;
  /** About how long it was frozen, in ms. */
  readonly frozenMs: number;
  /** Connections that were idle meanwhile, and are suspect now. */
  readonly idle: number;
}

/** `warmline:circuit`: the circuit of an origin changed its state. */
export interface CircuitEvent {
  /** Scheme, host and port. */
  readonly origin: string;
  /** While it is `open`, calls fail at once; while it is `half-open`, they wait for the response to a PING. */
  readonly state: CircuitState;
  /** The time of the next attempt, in ms since 1970, if the state is `open`. */
  readonly retryAt?: number;
}

interface Events<Message> {
  /** Check this before creating a message: without subscribers an event must cost nothing. */
  readonly hasSubscribers: boolean;
  publish(encoded: Message): void;
}

interface Channels {
  readonly connectionOpened: Events<ConnectionOpenedEvent>;
  readonly connectionReused: Events<ConnectionReusedEvent>;
  readonly connectionClosed: Events<ConnectionClosedEvent>;
  readonly retry: Events<RetryEvent>;
  readonly thaw: Events<ThawEvent>;
  readonly circuit: Events<CircuitEvent>;
}

let channels: Channels | undefined;

/** The channels, made with the first connection: to import Node's module is a tenth of what importing this package takes. */
export function events(): Channels {
  if (!channels) {
    const { channel } = builtin("node:diagnostics_channel");
    channels = {
      connectionOpened: channel("warmline:connection:opened"),
      connectionReused: channel("warmline:connection:reused"),
      connectionClosed: channel("warmline:connection:closed"),
      retry: channel("warmline:retry"),
      thaw: channel("warmline:thaw"),
      circuit: channel("warmline:circuit"),
    };
  }
  return channels;
}
