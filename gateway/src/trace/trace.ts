import type { Receiver } from "../redis/failure.js";
import type { TransactionReceiver, Upstreams } from "../redis/upstream.js";
import { wrapUpstreams } from "../redis/wrap-upstreams.js";
import type { Command } from "../resp/command.js";
import { isError } from "../resp/replies.js";
import type { CommandFeed } from "./command-feed.js";
import { describe, errorCode } from "./traced-command.js";

/** Returns upstreams that report every command sent through them to `feed` while it has a listener. */
export function trace(upstreams: Upstreams, feed: CommandFeed): Upstreams {
  return wrapUpstreams(upstreams, (upstream) => ({
    send: (commands, receiver, deadline) =>
      upstream.send(commands, tracing(receiver, commands, feed), deadline),
    sendAlone: (commands, waits, receiver, deadline) =>
      upstream.sendAlone(commands, waits, tracing(receiver, commands, feed), deadline),
    transaction: (commands, receiver, deadline) =>
      upstream.transaction(commands, tracingTransaction(receiver, commands, feed), deadline),
  }));
}

/** Returns a function that reports to a feed that the command at a place has its reply, or has failed with this error. */
function createReporter(commands: readonly Command[], feed: CommandFeed, transaction: boolean) {
  const startedAt = performance.now();
  return (tag: number, error: string | null) =>
    feed.emit(describe(commands[tag]!, performance.now() - startedAt, error, transaction));
}

function tracing(receiver: Receiver, commands: readonly Command[], feed: CommandFeed): Receiver {
  if (!feed.isWatched) return receiver;
  const report = createReporter(commands, feed, false);
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
  feed: CommandFeed,
): TransactionReceiver {
  if (!feed.isWatched) return receiver;
  const report = createReporter(commands, feed, true);
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
