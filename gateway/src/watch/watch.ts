import type { Command } from "../upstream/command.js";
import type { Receiver, ReplyStream, UpstreamFailure } from "../upstream/failure.js";
import type { TransactionReceiver, Upstream, Upstreams } from "../upstream/upstream.js";
import { type CommandListener, describe, errorCode } from "./watched-command.js";

const MINUS = 0x2d;

/** Upstreams that tell `listener` of every command that goes through them. */
export function watch(upstreams: Upstreams, listener: CommandListener): Upstreams {
  const made = new WeakMap<Upstream, Upstream>();
  return {
    of(user) {
      const upstream = upstreams.of(user);
      let watched = made.get(upstream);
      if (!watched) {
        watched = watchOne(upstream, listener);
        made.set(upstream, watched);
      }
      return watched;
    },
    [Symbol.iterator]: () => upstreams[Symbol.iterator](),
    close: () => upstreams.close(),
  };
}

function watchOne(upstream: Upstream, listener: CommandListener): Upstream {
  const watching = {
    send: (commands, receiver, deadline) =>
      upstream.send(commands, new WatchingReceiver(receiver, commands, listener), deadline),
    sendAlone: (commands, waits, receiver, deadline) =>
      upstream.sendAlone(commands, waits, new WatchingReceiver(receiver, commands, listener), deadline),
    transaction: (commands, receiver, deadline) =>
      upstream.transaction(commands, new WatchingTransaction(receiver, commands, listener), deadline),
  } satisfies Partial<Upstream>;
  // Whatever else an upstream has stays its own.
  return new Proxy(upstream, {
    get(target, name) {
      if (Object.hasOwn(watching, name)) return watching[name as keyof typeof watching];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Tells of commands, whatever their receiver makes of them. */
class Telling {
  readonly #startedAt = performance.now();

  constructor(
    readonly commands: readonly Command[],
    readonly listener: CommandListener,
    readonly transaction: boolean,
  ) {}

  tell(tag: number, error: string | null): void {
    try {
      this.listener(
        describe(this.commands[tag]!, performance.now() - this.#startedAt, error, this.transaction),
      );
    } catch {
      // Watching must not change what is watched.
    }
  }
}

class WatchingReceiver implements Receiver {
  readonly #telling: Telling;

  constructor(
    readonly receiver: Receiver,
    commands: readonly Command[],
    listener: CommandListener,
  ) {
    this.#telling = new Telling(commands, listener, false);
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  onReply(reply: Buffer, tag: number): void {
    this.receiver.onReply(reply, tag);
    this.#telling.tell(tag, errorOf(reply));
  }

  onLarge(tag: number, first: number): ReplyStream | null {
    const stream = this.receiver.onLarge?.(tag, first);
    if (!stream) return null;
    return {
      write: (bytes) => stream.write(bytes),
      whenBelow: (below, listener) => stream.whenBelow(below, listener),
      end: () => {
        stream.end();
        this.#telling.tell(tag, null);
      },
      fail: (failure) => {
        stream.fail(failure);
        this.#telling.tell(tag, failure.code);
      },
    };
  }

  onFailure(failure: UpstreamFailure, tag: number): void {
    this.receiver.onFailure(failure, tag);
    this.#telling.tell(tag, failure.code);
  }
}

class WatchingTransaction implements TransactionReceiver {
  readonly #telling: Telling;

  constructor(
    readonly receiver: TransactionReceiver,
    readonly commands: readonly Command[],
    listener: CommandListener,
  ) {
    this.#telling = new Telling(commands, listener, true);
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  onExec(reply: Buffer, refused: ReadonlyMap<number, Buffer>): void {
    this.receiver.onExec(reply, refused);
    const all = errorOf(reply);
    this.commands.forEach((_, tag) => {
      const own = refused.get(tag);
      this.#telling.tell(tag, own ? errorOf(own) : all);
    });
  }

  onFailure(failure: UpstreamFailure): void {
    this.receiver.onFailure(failure);
    this.commands.forEach((_, tag) => {
      this.#telling.tell(tag, failure.code);
    });
  }
}

function errorOf(reply: Buffer): string | null {
  return reply[0] === MINUS ? errorCode(reply.toString("latin1", 1, 64)) : null;
}
