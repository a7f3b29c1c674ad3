import type { Receiver } from "../redis/failure.js";
import type { Command } from "../resp/command.js";
import type { Permissions } from "./permissions.js";

/** Commands as they are sent, and who takes their replies. */
export interface Rewritten {
  readonly commands: readonly Command[];
  readonly receiver: Receiver;
}

/** Applies the rewrites of permissions to commands, and to their replies before the receiver gets them. */
export function rewritten(
  permissions: Permissions,
  commands: readonly Command[],
  receiver: Receiver,
): Rewritten {
  if (!permissions.rewrites) return { commands, receiver };
  const rewrites = commands.map((command) => permissions.rewrite(command));
  if (rewrites.every((rewrite) => rewrite === null)) return { commands, receiver };
  return {
    commands: commands.map((command, at) => rewrites[at]?.command ?? command),
    receiver: {
      get cancelled() {
        return receiver.cancelled;
      },
      onReply: (reply, tag) => receiver.onReply(rewrites[tag]?.reply(reply) ?? reply, tag),
      onLarge: (tag, first) => (rewrites[tag] ? null : (receiver.onLarge?.(tag, first) ?? null)),
      onFailure: (failure, tag) => receiver.onFailure(failure, tag),
    },
  };
}
