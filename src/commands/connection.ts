import { text } from "./decoders.js";
import type { Kind, Reply } from "./kind.js";
import { named, read } from "./rows.js";

export interface ConnectionCommands<K extends Kind> {
  /** Gives the message back. */
  echo(message: string): Reply<K, string>;
  /** Gives "PONG", or the message in the array. */
  ping(args?: [message?: string]): Reply<K, string>;
}

export const connectionCommands = named({
  echo: read(text),
  ping: read(text),
}) satisfies Record<keyof ConnectionCommands<Kind>, unknown>;
