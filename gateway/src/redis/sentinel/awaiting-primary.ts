import { waitingFor } from "../../commands/blocking.js";
import { isRead } from "../../commands/command-info.js";
import type { Command } from "../../resp/command.js";
import { isError } from "../../resp/replies.js";
import { BufferBudget } from "../../util/buffer-budget.js";
import { redirectionOf } from "../cluster/redirection.js";
import { type Receiver, type ReplyStream, UpstreamFailure } from "../failure.js";
import { NO_ROOM } from "../in-flight-connection.js";
import type { Server } from "../server.js";
import type { Cancel, TransactionReceiver, Upstream } from "../upstream.js";

/** Delay in ms before commands that found no primary are sent again. */
const RETRY_DELAY = 100;

/** Replies up to this many bytes are not counted while they are held. */
const SMALL_REPLY = 1_024;

/** The result of a command. */
type Result = Buffer | UpstreamFailure;

/** Finds the primary. */
export interface PrimaryFinder {
  /** Queries the Sentinels for a new primary, unless they were queried a moment ago. */
  queryAgain(): void;
  /** Calls `listener` whenever another server has become the primary. */
  onChange(listener: () => void): Cancel;
}

/** Sends commands, together or on connections of their own. */
type Send = (
  commands: readonly Command[],
  waits: readonly number[],
  receiver: Receiver,
  deadline: number,
) => Cancel;

/**
 * A server that Sentinels may replace by another. Commands that were not executed because there is no primary at present
 * are sent again until their deadline. So are reads whose connection was lost. Commands of a batch keep their order: the
 * batch is sent again from the first such command on, unless a later one may have been executed.
 */
export class AwaitingPrimary implements Upstream {
  readonly sharding = null;
  readonly #server: Server;
  readonly #finder: PrimaryFinder;
  readonly #endListening: Cancel;
  /** Callbacks for the end of each pause. They are also called when the upstream closes. */
  readonly #paused = new Map<NodeJS.Timeout, () => void>();
  #closed = false;

  /**
   * @param finder where the primary is
   * @param budget what replies are counted against while they wait for an earlier command; default: no limit
   */
  constructor(
    server: Server,
    finder: PrimaryFinder,
    readonly budget = new BufferBudget(),
  ) {
    this.#server = server;
    this.#finder = finder;
    this.#endListening = finder.onChange(() => server.retryNow());
  }

  get counters(): Upstream["counters"] {
    return this.#server.counters;
  }

  get pushOptions(): Upstream["pushOptions"] {
    return this.#server.pushOptions;
  }

  get connections(): Upstream["connections"] {
    return this.#server.connections;
  }

  get pending(): number {
    return this.#server.pending + this.#paused.size;
  }

  open(): void {
    this.#server.open();
  }

  send(commands: readonly Command[], receiver: Receiver, deadline = this.#deadline()): void {
    const send: Send = (some, _waits, through, until) => {
      this.#server.send(some, through, until);
      return () => {};
    };
    new Attempts(this, send, commands, [], receiver, deadline).send();
  }

  sendAlone(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline = this.#deadline(),
  ): Cancel {
    const send: Send = (...given) => this.#server.sendAlone(...given);
    const attempts = new Attempts(this, send, commands, waits, receiver, deadline);
    attempts.send();
    return () => attempts.cancel();
  }

  transaction(
    commands: readonly Command[],
    receiver: TransactionReceiver,
    deadline = this.#deadline(),
  ): Cancel {
    let cancel: Cancel = () => {};
    const again = (finish: () => void) => {
      if (!this.mayWait(receiver, deadline)) finish();
      else this.pause(run, finish);
    };
    const through: TransactionReceiver = {
      get cancelled() {
        return receiver.cancelled;
      },
      onExec(reply, refused) {
        const finish = () => receiver.onExec(reply, refused);
        // The reply of EXEC shows only that one of them was refused.
        const isLater = isError(reply) && [reply, ...refused.values()].some(isForLater);
        if (isLater) again(finish);
        else finish();
      },
      onFailure(failure) {
        const finish = () => receiver.onFailure(failure);
        if (failure.reason === "unreachable") again(finish);
        else finish();
      },
    };
    const run = () => {
      cancel = this.#server.transaction(commands, through, deadline);
    };
    run();
    return () => cancel();
  }

  ping(timeout?: number): Promise<Buffer | null> {
    return this.#server.ping(timeout);
  }

  endWaits(within: number): void {
    this.#server.endWaits(within);
  }

  close(): void {
    this.#closed = true;
    this.#endListening();
    this.#server.close();
    for (const [timer, finish] of this.#paused) {
      clearTimeout(timer);
      finish();
    }
    this.#paused.clear();
  }

  /** Whether commands may wait for a primary. */
  mayWait(receiver: { readonly cancelled: boolean }, deadline: number): boolean {
    const isOver = this.#closed || this.#server.isUnreached || receiver.cancelled;
    return !isOver && performance.now() + RETRY_DELAY < deadline;
  }

  /** Calls `run` after a pause; `finish` instead when the upstream is closed meanwhile. */
  pause(run: () => void, finish: () => void): void {
    this.#finder.queryAgain();
    this.counters.repeated++;
    const timer = setTimeout(() => {
      this.#paused.delete(timer);
      run();
    }, RETRY_DELAY);
    this.#paused.set(timer, finish);
  }

  /** Command timeout in ms. */
  get timeout(): number {
    return this.#server.timeout;
  }

  #deadline(): number {
    return performance.now() + this.#server.timeout;
  }
}

/** Commands that were given together, sent as often as it takes. */
class Attempts implements Receiver {
  /** The place of the first command that was sent last. */
  #first = 0;
  /** Results by place, from the first command on that has to be sent again. */
  #held: Result[] | null = null;
  /** Bytes of the budget that are taken for them. */
  #heldBytes = 0;
  #heldFrom = 0;
  #open: number;
  /** Whether one of them may have been executed, so that those behind it are not sent again. */
  #isUnknown = false;
  /** The deadline for the replies of all commands, including their waits at the server. */
  readonly #end: number;
  #cancel: Cancel = () => {};

  constructor(
    readonly upstream: AwaitingPrimary,
    readonly sender: Send,
    public commands: readonly Command[],
    public waits: readonly number[],
    readonly receiver: Receiver,
    public deadline: number,
  ) {
    this.#open = commands.length;
    this.#end = waits.reduce((sum, wait) => sum + wait, deadline);
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  send(): void {
    this.#cancel = this.sender(this.commands, this.waits, this, this.deadline);
  }

  cancel(): void {
    this.#cancel();
  }

  onReply(reply: Buffer, tag: number): void {
    this.#take(reply, tag);
  }

  /** A large reply goes through as it comes, unless one before it is held: then its command may have to run again. */
  onLarge(tag: number, first: number): ReplyStream | null {
    const stream = this.#held ? null : this.receiver.onLarge?.(this.#first + tag, first);
    if (!stream) return null;
    const settled = () => {
      if (--this.#open === 0 && this.#held) this.#again(this.#held);
    };
    return {
      write: (bytes) => stream.write(bytes),
      whenBelow: (below, listener) => stream.whenBelow(below, listener),
      end() {
        stream.end();
        settled();
      },
      fail: (failure) => {
        this.#isUnknown = true;
        stream.fail(failure);
        settled();
      },
    };
  }

  onFailure(failure: UpstreamFailure, tag: number): void {
    this.#take(failure, tag);
  }

  #take(result: Result, tag: number): void {
    this.#open--;
    if (!this.#held && !this.#isUnknown && this.#mustRunAgain(result, this.commands[tag]!)) {
      this.#held = [];
      this.#heldFrom = tag;
    }
    if (result instanceof UpstreamFailure && result.outcome === "unknown") this.#isUnknown = true;
    if (!this.#held) this.#deliver(result, this.#first + tag);
    else this.#held[tag - this.#heldFrom] = this.#hold(result);
    if (this.#open === 0 && this.#held) this.#again(this.#held);
  }

  /** Counts a result that is about to be held. Returns the failure that takes its place if there is no room for it. */
  #hold(result: Result): Result {
    if (result instanceof UpstreamFailure || result.length <= SMALL_REPLY) return result;
    if (!this.upstream.budget.take(result.length)) return NO_ROOM;
    this.#heldBytes += result.length;
    return result;
  }

  #release(): void {
    if (this.#heldBytes > 0) this.upstream.budget.give(this.#heldBytes);
    this.#heldBytes = 0;
  }

  /** Whether a command was not executed, or changes nothing, and found no primary. */
  #mustRunAgain(result: Result, command: Command): boolean {
    if (!(result instanceof UpstreamFailure)) return isForLater(result);
    return result.reason === "unreachable" || (result.reason === "lost" && isRead(command));
  }

  #again(held: readonly Result[]): void {
    const rest = this.commands.slice(this.#heldFrom);
    const finish = () => {
      this.#release();
      held.forEach((result, at) => {
        this.#deliver(result, this.#first + this.#heldFrom + at);
      });
    };
    const mayRepeat = held.every(
      (result, at) => this.#mustRunAgain(result, rest[at]!) || changesNothing(rest[at]!),
    );
    this.#countWaiting(held[0]!);
    if (!mayRepeat || !this.upstream.mayWait(this, this.deadline)) {
      finish();
      return;
    }
    const run = () => {
      if (this.cancelled) {
        finish();
        return;
      }
      this.#release();
      this.#first += this.#heldFrom;
      this.commands = this.#heldFrom === 0 ? this.commands : rest;
      this.waits = this.waits.slice(this.#heldFrom);
      this.#held = null;
      this.#isUnknown = false;
      this.#open = this.commands.length;
      this.send();
    };
    this.upstream.pause(run, finish);
  }

  /** A command that has waited at a server which is no primary any more waits for the rest of its time. */
  #countWaiting(result: Result): void {
    const at = this.#heldFrom;
    const wait = this.waits[at] ?? 0;
    if (wait === 0 || result instanceof UpstreamFailure) return;
    const now = performance.now();
    const { timeout } = this.upstream;
    this.deadline = Math.min(now + timeout, this.#end);
    const left = Math.min(wait, Math.max(1, this.#end - timeout - now));
    this.waits = this.waits.with(at, left);
    if (left < wait) this.commands = this.commands.with(at, waitingFor(this.commands[at]!, left));
  }

  #deliver(result: Result, tag: number): void {
    if (result instanceof UpstreamFailure) this.receiver.onFailure(result, tag);
    else this.receiver.onReply(result, tag);
  }
}

/** Whether a reply is the error of a server that does not execute the command at present, such as READONLY or LOADING. */
function isForLater(reply: Buffer): boolean {
  return isError(reply) && redirectionOf(reply)?.kind === "later";
}

function changesNothing(command: Command): boolean {
  return isRead(command) || command.name === "WAIT" || command.name === "WAITAOF";
}
