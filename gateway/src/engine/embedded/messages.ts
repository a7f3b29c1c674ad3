import type { MessagePort } from "node:worker_threads";
import type { EmbeddedLimits } from "./limits.js";

/** The worker's start data. */
export interface WorkerInput {
  readonly limits: EmbeddedLimits;
  readonly pulse: SharedArrayBuffer;
  /** The file that keeps the data; null for in memory alone. */
  readonly snapshot: string | null;
}

/** Interval in ms between snapshots while the data changes. */
export const SNAPSHOT_EVERY = 10_000;

/** A message from the worker about the data that it keeps. */
export type SavingMessage =
  /** The saved data is loaded: commands may be sent. */
  | { readonly kind: "loaded" }
  | { readonly kind: "unreadable"; readonly message: string }
  /** The snapshot that was requested was written, or could not be. */
  | { readonly kind: "saved" }
  /** A snapshot was written, if `failure` is null, or could not be, with the system's error code. */
  | { readonly kind: "snapshot"; readonly failure: string | null };

/**
 * A message to the worker: a new connection, whose bytes travel by this port. With null, the connection was abandoned. The end of
 * its port shows that too, but ports of different connections are not read in the order in which they were written to.
 */
interface ConnectionMessage {
  readonly connection: number;
  readonly port: MessagePort | null;
}

/** A message to the worker. `save`: write the data now. */
export type EngineMessage = ConnectionMessage | "save";

/**
 * A message on a connection's port, in either direction: bytes, a number, or null for the end of input. The number is how
 * many bytes the other side has read, so that neither side gets ahead of a slow reader.
 */
export type PortMessage = Uint8Array | number | null;

/** Bytes that one side sends before it waits for the other to take some in. */
export const WINDOW_BYTES = 8 * 1024 * 1024;
