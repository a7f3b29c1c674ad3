import type { ProxiedConnection } from "../proxied-connection.js";

/** State of the connection after a fault: closed (FIN), reset, open but silent for ever, or unchanged. */
export type Ending = "close" | "reset" | "silent" | "open";

/** Closes the connection in the way that `ending` names. */
export function end(connection: ProxiedConnection, ending: Ending): void {
  if (ending === "close") connection.close();
  else if (ending === "reset") connection.resetClient();
  else if (ending === "silent") connection.blackhole();
}
