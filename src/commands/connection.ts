import { optional, scalar, scalars } from "./args.js";
import { text } from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Reply, ReplyMode } from "./reply-mode.js";

/** What a client may tell of itself: its library's name or version. */
export type ClientSetInfoAttribute = "LIB-NAME" | "lib-name" | "LIB-VER" | "lib-ver";

export interface ConnectionCommands<K extends ReplyMode> {
  /** Tells the server which library is calling. Not every endpoint allows it. */
  clientSetinfo(attribute: ClientSetInfoAttribute, value: string): Reply<K, string>;
  /** Gives the message back. */
  echo(message: string): Reply<K, string>;
  /** Gives "PONG", or the message in the array. */
  ping(args?: [message?: string]): Reply<K, string>;
}

export const connectionCommands = defineCommands(() => ({
  clientSetinfo: write(text, scalar, scalar),
  echo: read(text, scalar),
  ping: read(text, optional(scalars)),
})) satisfies () => Record<keyof ConnectionCommands<ReplyMode>, unknown>;
