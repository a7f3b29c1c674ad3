import type { MessagePort } from "node:worker_threads";
import type { EmbeddedLimits } from "./limits.js";

/** The worker's start data. */
export interface WorkerInput {
  readonly limits: EmbeddedLimits;
  /** Where the worker shows that it is not stuck. */
  readonly pulse: SharedArrayBuffer;
  /** The file that keeps the data; null if it is kept in memory only. */
  readonly snapshot: string | null;
}

/** Interval in ms between snapshots while the data changes. */
export const SNAPSHOT_EVERY = 10_000;

/** A message from the worker about the data that it keeps. */
export type SavingMessage =
  /** The saved data is loaded: commands may be sent. */
  | { readonly kind: "loaded" }
  | { readonly kind: "unreadable"; readonly message: string }
  /** The save that was requested has ended, successfully or not: `snapshot` tells which. */
  | { readonly kind: "saved" }
  /** A snapshot was written, or not: `failure` is then the system's error code, else null. */
  | { readonly kind: "snapshot"; readonly failure: string | null };

/**
 * A message to the worker: a new connection, whose bytes travel by this port. With null, the connection was abandoned. The end of
 * its port shows that too, but messages on different ports may arrive in another order than they were sent in.
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

/** A side that has sent this many bytes waits until the other one has read some of them. */
export const WINDOW_BYTES = 8 * 1024 * 1024;
