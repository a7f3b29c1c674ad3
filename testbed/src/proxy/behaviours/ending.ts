import type { Link } from "../link.js";

/** State of the connection after a fault: closed (FIN), reset, open but silent for ever, or unchanged. */
export type Ending = "close" | "reset" | "silent" | "open";

/** Leaves the connection as `ending` says. */
export function end(link: Link, ending: Ending): void {
  if (ending === "close") link.close();
  else if (ending === "reset") link.resetClient();
  else if (ending === "silent") link.blackhole();
}
