import { now } from "../clock.js";
import type { Behaviour, ProxiedConnection } from "../proxied-connection.js";

/** Options of {@link idleReaper}. */
export interface IdleReaperOptions {
  /** The server closes a connection that was idle for this many milliseconds. */
  closeMs: number;
  /** Idle time in ms after which bytes no longer get a reset. Default 1.5 x `closeMs`. */
  goneMs?: number;
  /** Whether the FIN reaches the client's host. It does not if the whole machine is frozen. Default delivered. */
  fin?: "delivered" | "lost";
}

/**
 * A server that closes idle connections. If the FIN is lost, as for a frozen function, the client's bytes get a reset from `closeMs`
 * on, and nothing from `goneMs` on.
 */
export function idleReaper(options: IdleReaperOptions): Behaviour {
  const goneMs = options.goneMs ?? options.closeMs * 1.5;

  function watch(connection: ProxiedConnection): void {
    const idle = now() - connection.lastBytesAt;
    if (idle < options.closeMs) {
      connection.after(Math.ceil(options.closeMs - idle), () => watch(connection));
      return;
    }
    if ((options.fin ?? "delivered") === "delivered") {
      connection.close();
      return;
    }
    connection.dropFlow("reset");
    connection.after(Math.ceil(goneMs - idle), () => connection.dropFlow("nothing"));
  }

  return { opened: watch };
}
