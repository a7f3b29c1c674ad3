import { restOfWait } from "../commands/blocking.js";
import { isRead } from "../commands/command-info.js";
import type { Command } from "../resp/command.js";
import { elementsOf, errorOf, isError } from "../resp/replies.js";
import { BufferBudget } from "../util/buffer-budget.js";
import { observed, type Receiver, type ReplyStream, UpstreamFailure } from "./failure.js";
import { NO_ROOM } from "./in-flight-connection.js";
import type { PrimaryFinder } from "./primary-finder.js";
import { mayRunScript, refusalOf, refusedFailure } from "./refusal.js";
import { pingReply, Server, type ServerOptions } from "./server.js";
import type { Cancel, TransactionReceiver } from "./upstream.js";

/** Delay in ms before commands that found no primary are sent again. */
const RETRY_DELAY = 100;

/** Time in ms before the deadline after which nothing is sent again: a late reply would leave the outcome unknown. */
const REPLY_TIME = 100;

/** Replies up to this many bytes are not counted while they are held. */
const SMALL_REPLY = 1_024;

type Result = Buffer | UpstreamFailure;

/** One for all commands, which would make one each. */
const NOTHING: Cancel = () => {};

/** A reply by which a command was refused. */
interface Refused {
  readonly reply: Buffer;
  /** When it came, on the clock of `performance.now()`. */
  readonly at: number;
  /** Whether only a primary runs the command. */
  readonly isWrite: boolean;
  /** Whether a script may have made it up. */
  readonly isDoubtful: boolean;
}

/** A command that waits for a pause to end, and how it goes on then. */
interface Wait {
  /** The reply for which it waits, if there was one. */
  readonly refused: Refused | null;
  readonly receiver: { readonly cancelled: boolean };
  readonly deadline: number;
  /** Sends the command again. */
  readonly run: () => void;
  /** Fails it: its time is over, or the gateway closes. */
  readonly finish: () => void;
  /** Delivers the reply. */
  readonly deliver: () => void;
}

/** The failure of a command that was refused before a later one of its batch was run. */
const OVERTAKEN = new UpstreamFailure(
  "overtaken",
  "Redis refused the command for a while, and has run a later one since",
);

/**
 * A server that may refuse commands for a while, and that another one may replace. Commands that it did not execute for one of
 * these reasons are sent again until their deadline, and then fail as unsent. Commands of a batch keep their order: the batch is
 * sent again from the first such command on, unless a later one may have been executed.
 */
export class AwaitingPrimary extends Server {
  readonly budget = this.options.budget ?? new BufferBudget();
  /** Callbacks for the end of each pause. They are also called when the upstream closes. */
  readonly #paused = new Map<NodeJS.Timeout, () => void>();
  #closed = false;

  /** @param options its budget also counts replies while they wait for an earlier command */
  constructor(
    options: ServerOptions,
    readonly finder: PrimaryFinder,
  ) {
    super(options);
    finder.on("change", this.retryNow);
  }

  override get pending(): number {
    return super.pending + this.#paused.size;
  }

  override send(commands: readonly Command[], receiver: Receiver, deadline = this.#deadline()): void {
    new Attempts(this, commands, null, receiver, deadline).send();
  }

  override sendAlone(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline = this.#deadline(),
  ): Cancel {
    const attempts = new Attempts(this, commands, waits, receiver, deadline);
    attempts.send();
    return () => attempts.cancel();
  }

  override transaction(
    commands: readonly Command[],
    receiver: TransactionReceiver,
    deadline = this.#deadline(),
  ): Cancel {
    let cancel = NOTHING;
    const again = (refused: Refused | null, finish: () => void, deliver: () => void) => {
      if (!this.mayWait(receiver, deadline)) finish();
      else this.pause({ refused, receiver, deadline, run, finish, deliver });
    };
    const through: TransactionReceiver = {
      get cancelled() {
        return receiver.cancelled;
      },
      onExec: (reply, refusals) => {
        const deliver = () => receiver.onExec(reply, refusals);
        const refused = this.#refusalOfExec(commands, reply, refusals);
        if (!refused) deliver();
        else again(refused, () => receiver.onFailure(refusedFailure(refused.reply)), deliver);
      },
      onFailure: (failure) => {
        const finish = () => receiver.onFailure(failure);
        if (failure.reason !== "unreachable") finish();
        else {
          this.finder.queryAgain();
          again(null, finish, finish);
        }
      },
    };
    const run = () => {
      cancel = super.transaction(commands, through, deadline);
    };
    run();
    return () => cancel();
  }

  /** Unlike other commands, it does not wait for a primary. */
  override async ping(timeout = this.timeout): Promise<Buffer | null> {
    const { refusal } = this.finder;
    if (refusal === null) return pingReply({ send: (...given) => super.send(...given) }, timeout);
    this.finder.queryAgain("READONLY");
    return errorOf(refusal);
  }

  override close(): void {
    this.#closed = true;
    this.finder.off("change", this.retryNow);
    super.close();
    for (const [timer, finish] of this.#paused) {
      clearTimeout(timer);
      finish();
    }
    this.#paused.clear();
  }

  /** Sends commands once. Those with `waits` get a connection of their own. */
  attempt(
    commands: readonly Command[],
    waits: readonly number[] | null,
    receiver: Receiver,
    deadline: number,
  ): Cancel {
    if (waits) return super.sendAlone(commands, waits, receiver, deadline);
    super.send(commands, receiver, deadline);
    return NOTHING;
  }

  /** Whether commands may wait for a primary. */
  mayWait(receiver: { readonly cancelled: boolean }, deadline: number): boolean {
    const isOver = this.#closed || this.isUnreached || receiver.cancelled;
    return !isOver && performance.now() + RETRY_DELAY + REPLY_TIME < deadline;
  }

  /**
   * Returns the refusal for which a command waits, or null for any other reply. The finder gets to know of each refusal.
   * @param command null if it runs no script
   */
  refusalOf(reply: Buffer, command: Command | null): Refused | null {
    const refusal = refusalOf(reply, command);
    if (refusal === null) return null;
    this.finder.queryAgain(refusal);
    if (!this.finder.waitsFor(refusal)) return null;
    const isWrite = refusal === "READONLY";
    const isDoubtful = isWrite && command !== null && mayRunScript(command);
    return { reply, at: performance.now(), isWrite, isDoubtful };
  }

  /** Waits before a command is sent again. */
  pause(wait: Wait): void {
    this.options.counters.repeated++;
    const timer = setTimeout(() => {
      this.#paused.delete(timer);
      this.#resume(wait);
    }, RETRY_DELAY);
    this.#paused.set(timer, wait.finish);
  }

  #resume(wait: Wait): void {
    const { refused, receiver, deadline } = wait;
    const isBelieved = refused?.isDoubtful ? this.finder.believes(refused.at) : true;
    // A server that is known to be a replica would refuse a write again.
    const isTooEarly = refused?.isWrite && this.finder.refusal !== null;
    if (isBelieved === true && !isTooEarly) wait.run();
    else if (isBelieved === false) wait.deliver();
    else if (!this.mayWait(receiver, deadline)) wait.finish();
    else {
      this.finder.queryAgain("READONLY");
      this.pause(wait);
    }
  }

  #refusalOfExec(
    commands: readonly Command[],
    reply: Buffer,
    refusals: ReadonlyMap<number, Buffer>,
  ): Refused | null {
    // The reply of EXEC may show only that one of them was refused.
    const errors = isError(reply) ? [reply, ...refusals.values()] : [];
    for (const error of errors) {
      const refused = this.refusalOf(error, null);
      if (refused) return refused;
    }
    // A replica runs transactions of scripts and reads. None of these scripts has written.
    if (errors.length > 0 || !commands.some(mayRunScript)) return null;
    const elements = elementsOf(reply);
    for (const [at, element] of elements.entries()) {
      const refused = mayRunScript(commands[at]!) ? this.refusalOf(element, commands[at]!) : null;
      if (refused) return refused;
    }
    return null;
  }

  #deadline(): number {
    return performance.now() + this.timeout;
  }
}

/** The result of a command that is held. `waits` is whether the command must run again, or the reply that refused it. */
interface Held {
  readonly result: Result;
  readonly waits: Refused | boolean;
}

/** Commands of one call, which are sent again until they were executed or it is too late. */
class Attempts implements Receiver {
  /** The place of the first command that was sent last. */
  #first = 0;
  /** Results by place, from the first command on that has to be sent again. */
  #held: Held[] | null = null;
  /** Bytes of the budget that are taken for them. */
  #heldBytes = 0;
  #heldFrom = 0;
  #open: number;
  /** Whether one of them may have been executed, so that those behind it are not sent again. */
  #isUnknown = false;
  /** The deadline for the replies of all commands, including their waits at the server. */
  readonly #end: number;
  #cancel = NOTHING;

  constructor(
    readonly upstream: AwaitingPrimary,
    public commands: readonly Command[],
    public waits: readonly number[] | null,
    readonly receiver: Receiver,
    public deadline: number,
  ) {
    this.#open = commands.length;
    this.#end = waits ? waits.reduce((sum, wait) => sum + wait, deadline) : deadline;
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  send(): void {
    this.#cancel = this.upstream.attempt(this.commands, this.waits, this, this.deadline);
  }

  cancel(): void {
    this.#cancel();
  }

  onReply(reply: Buffer, tag: number): void {
    this.#take(reply, tag);
  }

  /** Streams a large reply, unless one before it is held: then its command may have to run again. */
  onLarge(tag: number, first: number): ReplyStream | null {
    const stream = this.#held ? null : this.receiver.onLarge?.(this.#first + tag, first);
    if (!stream) return null;
    return observed(stream, (failure) => {
      this.#isUnknown ||= failure !== null;
      if (--this.#open === 0 && this.#held) this.#again(this.#held);
    });
  }

  onFailure(failure: UpstreamFailure, tag: number): void {
    this.#take(failure, tag);
  }

  #take(result: Result, tag: number): void {
    this.#open--;
    const waits = this.#mustRunAgain(result, this.commands[tag]!);
    if (!this.#held && !this.#isUnknown && waits) {
      this.#held = [];
      this.#heldFrom = tag;
    }
    if (result instanceof UpstreamFailure && result.outcome === "unknown") this.#isUnknown = true;
    const isRefused = typeof waits === "object" && !waits.isDoubtful;
    if (!this.#held) this.#deliver(isRefused ? refusedFailure(waits.reply) : result, this.#first + tag);
    else this.#held[tag - this.#heldFrom] = { result: this.#hold(result), waits };
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

  /** Whether a command found no primary and may be sent again; the reply that refused it, if one did. */
  #mustRunAgain(result: Result, command: Command): Refused | boolean {
    const { finder } = this.upstream;
    if (!(result instanceof UpstreamFailure)) return this.upstream.refusalOf(result, command) ?? false;
    const { reason } = result;
    const waits = reason === "unreachable" || (reason === "lost" && finder.repeatsReads && isRead(command));
    if (waits) finder.queryAgain();
    return waits;
  }

  #again(held: readonly Held[]): void {
    const [first] = held as [Held];
    const mayRepeat = held.every(
      ({ waits }, at) => waits !== false || changesNothing(this.commands[this.#heldFrom + at]!),
    );
    this.#countWaiting(first.result);
    const late = (refused: Refused) => refusedFailure(refused.reply);
    // A server that has run the later command would have run this one: a script has made the error up.
    if (!mayRepeat) this.#finish(held, (refused) => (refused.isDoubtful ? refused.reply : OVERTAKEN));
    else if (!this.upstream.mayWait(this, this.deadline)) this.#finish(held, late);
    else {
      this.upstream.pause({
        refused: typeof first.waits === "object" ? first.waits : null,
        receiver: this,
        deadline: this.deadline,
        run: () => {
          if (this.cancelled) this.#finish(held, late);
          else this.#sendRest();
        },
        finish: () => this.#finish(held, late),
        deliver: () => this.#finish(held, ({ reply }) => reply),
      });
    }
  }

  /** Sends the commands again from the first one that was held. */
  #sendRest(): void {
    this.#release();
    this.#first += this.#heldFrom;
    this.commands = this.#heldFrom === 0 ? this.commands : this.commands.slice(this.#heldFrom);
    this.waits = this.waits?.slice(this.#heldFrom) ?? null;
    this.#held = null;
    this.#isUnknown = false;
    this.#open = this.commands.length;
    this.send();
  }

  /** Delivers what was held, and the result of `resultOf` for each command that was refused. */
  #finish(held: readonly Held[], resultOf: (refused: Refused) => Result): void {
    this.#release();
    held.forEach(({ result, waits }, at) => {
      const end = typeof waits === "object" ? resultOf(waits) : result;
      this.#deliver(end, this.#first + this.#heldFrom + at);
    });
  }

  /** A blocking command that has waited at a former primary waits only for the rest of its time at the next one. */
  #countWaiting(result: Result): void {
    const at = this.#heldFrom;
    const wait = this.waits?.[at] ?? 0;
    if (!this.waits || wait === 0 || result instanceof UpstreamFailure) return;
    const rest = restOfWait(this.commands[at]!, wait, this.#end, this.upstream.timeout);
    this.deadline = rest.deadline;
    this.waits = this.waits.with(at, rest.wait);
    this.commands = this.commands.with(at, rest.command);
  }

  #deliver(result: Result, tag: number): void {
    if (result instanceof UpstreamFailure) this.receiver.onFailure(result, tag);
    else this.receiver.onReply(result, tag);
  }
}

function changesNothing(command: Command): boolean {
  return isRead(command) || command.name === "WAIT" || command.name === "WAITAOF";
}
