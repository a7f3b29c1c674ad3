import type { Behaviour } from "../behaviour.js";
import { now } from "../clock.js";
import type { ProxiedConnection } from "../proxied-connection.js";

/** The times and the form in which {@link idleReaper} ends idle connections. */
export interface IdleReaperOptions {
  /** The server closes a connection that was idle for this many milliseconds. */
  closeMs: number;
  /** Idle time in ms after which bytes get no reset any more. Default 1.5 x `closeMs`. */
  goneMs?: number;
  /** Whether the FIN reaches the client's host. It does not if the whole machine is frozen. Default delivered. */
  fin?: "delivered" | "lost";
}

/**
 * A server that closes idle connections, with a lost FIN as a frozen function has it: from `closeMs` on, what the
 * client sends gets a reset; from `goneMs` on, nothing at all.
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
