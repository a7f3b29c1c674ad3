import type { CommandArg } from "../protocol/args.js";
import { elapsed, moment } from "../util/clock.js";
import type { Command, CommandExecutor } from "./executor.js";
import type { Limits } from "./limits.js";
import { type QueuedCommand, sendPipeline } from "./pipeline-sender.js";
import { Member, SharedRequest } from "./shared-request.js";

/** The most commands, and the most bytes of arguments, that travel in one request. */
const MAX_COMMANDS = 1_000;
const MAX_BYTES = 512 * 1024;

/** Settled already: what its `then` is given runs in the next microtask. */
const microtask = Promise.resolve();

/** Commands issued before the next microtask. */
export interface PendingBatch {
  /** Requests, in the order issued; the last has room for more. */
  requests: QueuedCommand[][];
  /** About how many bytes that one has. */
  bytes: number;
  /** How many of them can't be sent yet: those that can wait with them. */
  held: number;
}

/**
 * Collects the commands issued before the next microtask and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests, each after the one before. Each command has an outcome of its own. Where several
 * requests are served in one process, those of one never travel with those of another, even if all had to wait.
 */
export class AutoPipeline {
  #pending: PendingBatch | undefined;
  readonly #executor: CommandExecutor;

  constructor(executor: CommandExecutor) {
    this.#executor = executor;
  }

  /** That of the commands issued now. */
  get pending(): PendingBatch {
    if (this.#pending) return this.#pending;
    const pending: PendingBatch = { requests: [[]], bytes: 0, held: 0 };
    this.#pending = pending;
    microtask.then(() => {
      this.#pending = undefined;
      this.#flush(pending);
    });
    return pending;
  }

  /** One that was held no longer is: what it waited for is there, or never will be. */
  release(pending: PendingBatch): void {
    if (--pending.held === 0) microtask.then(() => this.#flush(pending));
  }

  /** @param pending when it was issued: earlier than now if it had to wait. */
  add(command: Command, limits: Limits | undefined, pending = this.pending): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const bytes = sizeOf(command.argv);
      let request = pending.requests.at(-1)!;
      if (request.length === MAX_COMMANDS || (request.length > 0 && pending.bytes + bytes > MAX_BYTES)) {
        request = [];
        pending.requests.push(request);
        pending.bytes = 0;
      }
      pending.bytes += bytes;
      const queued = { command, limits, resolve, reject };
      request.push(limits ? new Member(queued, limits) : queued);
    });
  }

  #flush(pending: PendingBatch): void {
    if (pending.held > 0) return;
    const [first, ...more] = pending.requests;
    pending.requests = [[]];
    if (more.length === 0) this.#send(first!);
    else this.#sendInOrder([first!, ...more]);
  }

  /** Sends each when all commands of the one before have settled. */
  async #sendInOrder(requests: readonly QueuedCommand[][]): Promise<void> {
    const began = moment();
    for (const queued of requests.flat()) if (queued instanceof Member) queued.arm();
    for (const request of requests) {
      const batch = request.filter(isOpen);
      let open = batch.length;
      if (open === 0) continue;
      await new Promise<void>((done) => {
        const onEnd = () => {
          if (--open === 0) done();
        };
        this.#send(
          batch.map((queued) => withEnd(queued, onEnd)),
          elapsed(began),
        );
      });
    }
  }

  /** @param spent how long it has waited, in ms. */
  #send(batch: QueuedCommand[], spent?: number): void {
    const executor = this.#executor;
    const alone = batch.length === 1 && spent === undefined;
    if (batch[0]?.limits) this.#sendLimited(batch as Member[], alone);
    else if (alone) executor.runOne(batch[0]!);
    else if (batch.length > 0)
      sendPipeline(executor, batch, { time: executor.settings.timeout - (spent ?? 0) });
  }

  #sendLimited(batch: Member[], alone: boolean): void {
    const members = batch.filter((member) => member.check());
    const [first] = members;
    if (!first) return;
    const { signal } = first.limits;
    const time = first.limits.left();
    const alike = members.every(
      ({ limits }) => limits.signal === signal && Math.abs(limits.left() - time) < 1,
    );
    if (!alike) {
      const shared = new SharedRequest(members);
      sendPipeline(this.#executor, members, shared, { shared });
      return;
    }
    for (const member of members) member.disarm();
    if (alone) this.#executor.runOne(first);
    else sendPipeline(this.#executor, members, { signal, time });
  }
}

const isOpen = ({ over }: QueuedCommand) => !over;

/** Has `onEnd` called once the command is settled. */
function withEnd(queued: QueuedCommand, onEnd: () => void): QueuedCommand {
  if (queued instanceof Member) {
    queued.onEnd = onEnd;
    return queued;
  }
  const ending = <T>(settle: (value: T) => void) => {
    return (value: T) => {
      settle(value);
      onEnd();
    };
  };
  const { command, resolve, reject } = queued;
  return { command, resolve: ending(resolve), reject: ending(reject) };
}

/** About as many bytes as the arguments take; exact for ASCII. */
function sizeOf(argv: readonly CommandArg[]): number {
  let size = 0;
  for (const arg of argv) size += arg.length + 3;
  return size;
}
