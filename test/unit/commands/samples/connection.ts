import type { ConnectionCommands } from "../../../../src/commands/connection.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const connectionSamples: Samples<ConnectionCommands<ReplyMode>> = {
  clientSetinfo: [[["LIB-NAME", "x"], "CLIENT SETINFO LIB-NAME x", "OK"]],
  echo: [[["12"], "ECHO 12", "12"]],
  ping: [
    [[], "PING", "PONG"],
    [[["hi"]], "PING hi", "hi"],
  ],
};
