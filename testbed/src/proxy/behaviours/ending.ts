import type { Link } from "../link";

/** How a fault leaves the connection: closed in the ordinary way, reset, open but silent for ever, or as it was. */
export type Ending = "close" | "reset" | "silent" | "open";

/** Leaves the connection as `ending` says. */
export function end(link: Link, ending: Ending): void {
  if (ending === "close") link.close();
  else if (ending === "reset") link.resetClient();
  else if (ending === "silent") link.blackhole();
}
