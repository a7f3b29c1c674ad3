import type { Receiver, ReplyStream, UpstreamFailure } from "../redis/failure.js";
import type { TransactionReceiver, Upstream, Upstreams } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import { isError } from "../resp/replies.js";
import type { CommandFeed } from "./command-feed.js";
import { describe, errorCode } from "./traced-command.js";

/** Returns upstreams that report every command sent through them to `feed` while it has a listener. */
export function trace(upstreams: Upstreams, feed: CommandFeed): Upstreams {
  const made = new WeakMap<Upstream, Upstream>();
  return {
    of(user) {
      const upstream = upstreams.of(user);
      let traced = made.get(upstream);
      if (!traced) {
        traced = traceOne(upstream, feed);
        made.set(upstream, traced);
      }
      return traced;
    },
    [Symbol.iterator]: () => upstreams[Symbol.iterator](),
    close: () => upstreams.close(),
  };
}

function traceOne(upstream: Upstream, feed: CommandFeed): Upstream {
  const tracing = (receiver: Receiver, commands: readonly Command[]) =>
    feed.isWatched ? new TracingReceiver(receiver, commands, feed) : receiver;
  const traced = {
    send: (commands, receiver, deadline) => upstream.send(commands, tracing(receiver, commands), deadline),
    sendAlone: (commands, waits, receiver, deadline) =>
      upstream.sendAlone(commands, waits, tracing(receiver, commands), deadline),
    transaction: (commands, receiver, deadline) =>
      upstream.transaction(
        commands,
        feed.isWatched ? new TracingTransaction(receiver, commands, feed) : receiver,
        deadline,
      ),
  } satisfies Partial<Upstream>;
  // Whatever else an upstream has stays its own.
  return new Proxy(upstream, {
    get(target, name) {
      if (Object.hasOwn(traced, name)) return traced[name as keyof typeof traced];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Reports commands to a feed, whatever their receiver makes of them. */
class CommandReporter {
  readonly #startedAt = performance.now();

  constructor(
    readonly commands: readonly Command[],
    readonly feed: CommandFeed,
    readonly transaction: boolean,
  ) {}

  report(tag: number, error: string | null): void {
    const ms = performance.now() - this.#startedAt;
    this.feed.emit(describe(this.commands[tag]!, ms, error, this.transaction));
  }
}

class TracingReceiver implements Receiver {
  readonly #reporter: CommandReporter;

  constructor(
    readonly receiver: Receiver,
    commands: readonly Command[],
    feed: CommandFeed,
  ) {
    this.#reporter = new CommandReporter(commands, feed, false);
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  onReply(reply: Buffer, tag: number): void {
    this.receiver.onReply(reply, tag);
    this.#reporter.report(tag, errorOf(reply));
  }

  onLarge(tag: number, first: number): ReplyStream | null {
    const stream = this.receiver.onLarge?.(tag, first);
    if (!stream) return null;
    return {
      write: (bytes) => stream.write(bytes),
      whenBelow: (below, listener) => stream.whenBelow(below, listener),
      end: () => {
        stream.end();
        this.#reporter.report(tag, null);
      },
      fail: (failure) => {
        stream.fail(failure);
        this.#reporter.report(tag, failure.code);
      },
    };
  }

  onFailure(failure: UpstreamFailure, tag: number): void {
    this.receiver.onFailure(failure, tag);
    this.#reporter.report(tag, failure.code);
  }
}

class TracingTransaction implements TransactionReceiver {
  readonly #reporter: CommandReporter;

  constructor(
    readonly receiver: TransactionReceiver,
    readonly commands: readonly Command[],
    feed: CommandFeed,
  ) {
    this.#reporter = new CommandReporter(commands, feed, true);
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  onExec(reply: Buffer, refused: ReadonlyMap<number, Buffer>): void {
    this.receiver.onExec(reply, refused);
    const all = errorOf(reply);
    this.commands.forEach((_, tag) => {
      const own = refused.get(tag);
      this.#reporter.report(tag, own ? errorOf(own) : all);
    });
  }

  onFailure(failure: UpstreamFailure): void {
    this.receiver.onFailure(failure);
    this.commands.forEach((_, tag) => {
      this.#reporter.report(tag, failure.code);
    });
  }
}

function errorOf(reply: Buffer): string | null {
  return isError(reply) ? errorCode(reply.toString("latin1", 1, 64)) : null;
}
