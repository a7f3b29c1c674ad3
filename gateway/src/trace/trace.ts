import type { Receiver } from "../redis/failure.js";
import type { TransactionReceiver, Upstreams } from "../redis/upstream.js";
import { wrapUpstreams } from "../redis/wrap-upstreams.js";
import type { Command } from "../resp/command.js";
import { isError } from "../resp/replies.js";
import { type CommandListener, describe, errorCode } from "./traced-command.js";

/** Returns upstreams that report every command sent through them to a listener. */
export function trace(upstreams: Upstreams, onCommand: CommandListener): Upstreams {
  return wrapUpstreams(upstreams, (upstream) => ({
    send: (commands, receiver, deadline) =>
      upstream.send(commands, tracing(receiver, commands, onCommand), deadline),
    sendAlone: (commands, waits, receiver, deadline) =>
      upstream.sendAlone(commands, waits, tracing(receiver, commands, onCommand), deadline),
    transaction: (commands, receiver, deadline) =>
      upstream.transaction(commands, tracingTransaction(receiver, commands, onCommand), deadline),
  }));
}

/** Returns a function that reports to a listener that the command at a place has its reply, or has failed with this error. */
function createReporter(commands: readonly Command[], onCommand: CommandListener, transaction: boolean) {
  const startedAt = performance.now();
  return (tag: number, error: string | null) => {
    try {
      onCommand(describe(commands[tag]!, performance.now() - startedAt, error, transaction));
    } catch {
      // An error of the listener must not affect the command, whose reply goes on its way.
    }
  };
}

function tracing(receiver: Receiver, commands: readonly Command[], onCommand: CommandListener): Receiver {
  const report = createReporter(commands, onCommand, false);
  return {
    get cancelled() {
      return receiver.cancelled;
    },
    onReply(reply, tag) {
      receiver.onReply(reply, tag);
      report(tag, errorOf(reply));
    },
    onLarge(tag, first) {
      const stream = receiver.onLarge?.(tag, first);
      if (!stream) return null;
      return {
        write: (bytes) => stream.write(bytes),
        whenBelow: (below, listener) => stream.whenBelow(below, listener),
        end() {
          stream.end();
          report(tag, null);
        },
        fail(failure) {
          stream.fail(failure);
          report(tag, failure.code);
        },
      };
    },
    onFailure(failure, tag) {
      receiver.onFailure(failure, tag);
      report(tag, failure.code);
    },
  };
}

function tracingTransaction(
  receiver: TransactionReceiver,
  commands: readonly Command[],
  onCommand: CommandListener,
): TransactionReceiver {
  const report = createReporter(commands, onCommand, true);
  return {
    get cancelled() {
      return receiver.cancelled;
    },
    onExec(reply, refused) {
      receiver.onExec(reply, refused);
      for (const tag of commands.keys()) report(tag, errorOf(refused.get(tag) ?? reply));
    },
    onFailure(failure) {
      receiver.onFailure(failure);
      for (const tag of commands.keys()) report(tag, failure.code);
    },
  };
}

function errorOf(reply: Buffer): string | null {
  return isError(reply) ? errorCode(reply.toString("latin1", 1, 64)) : null;
}
