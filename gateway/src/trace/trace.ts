import type { Receiver, ReplyStream, UpstreamFailure } from "../redis/failure.js";
import type { TransactionReceiver, Upstream, Upstreams } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import { isError } from "../resp/replies.js";
import { type CommandListener, describe, errorCode } from "./traced-command.js";

/** Returns upstreams that call `listener` for every command sent through them. */
export function trace(upstreams: Upstreams, listener: CommandListener): Upstreams {
  const made = new WeakMap<Upstream, Upstream>();
  return {
    of(user) {
      const upstream = upstreams.of(user);
      let traced = made.get(upstream);
      if (!traced) {
        traced = traceOne(upstream, listener);
        made.set(upstream, traced);
      }
      return traced;
    },
    [Symbol.iterator]: () => upstreams[Symbol.iterator](),
    close: () => upstreams.close(),
  };
}

function traceOne(upstream: Upstream, listener: CommandListener): Upstream {
  const tracing = {
    send: (commands, receiver, deadline) =>
      upstream.send(commands, new TracingReceiver(receiver, commands, listener), deadline),
    sendAlone: (commands, waits, receiver, deadline) =>
      upstream.sendAlone(commands, waits, new TracingReceiver(receiver, commands, listener), deadline),
    transaction: (commands, receiver, deadline) =>
      upstream.transaction(commands, new TracingTransaction(receiver, commands, listener), deadline),
  } satisfies Partial<Upstream>;
  // Whatever else an upstream has stays its own.
  return new Proxy(upstream, {
    get(target, name) {
      if (Object.hasOwn(tracing, name)) return tracing[name as keyof typeof tracing];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Reports commands to a listener, whatever their receiver makes of them. */
class CommandReporter {
  readonly #startedAt = performance.now();

  constructor(
    readonly commands: readonly Command[],
    readonly listener: CommandListener,
    readonly transaction: boolean,
  ) {}

  report(tag: number, error: string | null): void {
    try {
      this.listener(
        describe(this.commands[tag]!, performance.now() - this.#startedAt, error, this.transaction),
      );
    } catch {
      // An error of the listener must not affect the command.
    }
  }
}

class TracingReceiver implements Receiver {
  readonly #reporter: CommandReporter;

  constructor(
    readonly receiver: Receiver,
    commands: readonly Command[],
    listener: CommandListener,
  ) {
    this.#reporter = new CommandReporter(commands, listener, false);
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
    listener: CommandListener,
  ) {
    this.#reporter = new CommandReporter(commands, listener, true);
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
