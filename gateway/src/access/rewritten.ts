import type { Command } from "../upstream/command.js";
import type { Receiver } from "../upstream/failure.js";
import type { Grant } from "./grant.js";

/** Commands as they are sent, and who takes their replies. */
export interface Rewritten {
  readonly commands: readonly Command[];
  readonly receiver: Receiver;
}

/** Puts what a grant rewrites in the place of commands, and what it makes of the replies before their receiver. */
export function rewritten(grant: Grant, commands: readonly Command[], receiver: Receiver): Rewritten {
  if (!grant.rewrites) return { commands, receiver };
  const rewrites = commands.map((command) => grant.rewrite(command));
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
