import type { Connection, ConnectionListener } from "./connection.js";
import { Http1Connection } from "./http1/http1-connection.js";
import type { Origin } from "./origin.js";

export type ConnectionClass = new (origin: Origin, listener: ConnectionListener) => Connection;

/** The place of the selected class, shared by every copy of this package in the process. */
const CHOSEN = Symbol.for("warmline.connection.1");

const shared = globalThis as { [CHOSEN]?: ConnectionClass };

/** Makes connections of this class from now on. */
export function useConnection(chosen: ConnectionClass): void {
  shared[CHOSEN] = chosen;
}

/** Starts to open a connection. */
export function openConnection(origin: Origin, listener: ConnectionListener): Connection {
  return new (shared[CHOSEN] ?? Http1Connection)(origin, listener);
}
