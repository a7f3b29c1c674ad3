import { optional, scalar, scalars } from "./args.js";
import { text } from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Reply, ReplyMode } from "./reply-mode.js";

/** An attribute that a client can set: its library's name or version. */
export type ClientSetInfoAttribute = "LIB-NAME" | "lib-name" | "LIB-VER" | "lib-ver";

/** Commands on the connection. */
export interface ConnectionCommands<K extends ReplyMode> {
  /** Sets the connection's library name or version on the server. Not every endpoint allows it. */
  clientSetinfo(attribute: ClientSetInfoAttribute, value: string): Reply<K, string>;
  /** Returns the message. */
  echo(message: string): Reply<K, string>;
  /** Returns "PONG", or the message in the array. */
  ping(args?: [message?: string]): Reply<K, string>;
}

export default defineCommands(() => ({
  clientSetinfo: write(text, scalar, scalar),
  echo: read(text, scalar),
  ping: read(text, optional(scalars)),
})) satisfies () => Record<keyof ConnectionCommands<ReplyMode>, unknown>;
