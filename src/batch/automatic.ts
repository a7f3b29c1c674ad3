import { elapsed, moment } from "../connection/clock.js";
import type { Command, Core } from "../core.js";
import type { Limits } from "../limits.js";
import type { CommandArg } from "../wire/args.js";
import { sendEach, type Waiting } from "./each.js";
import { Member, SharedRequest } from "./member.js";

/** The most commands, and the most bytes of arguments, that travel in one request. */
const MOST_COMMANDS = 1_000;
const MOST_BYTES = 512 * 1024;

/** Settled already: what its `then` is given runs in the microtask turn. */
const microtask = Promise.resolve();

/** Commands issued in one microtask turn. */
export interface Turn {
  /** Requests, in the order issued; the last has room for more. */
  requests: Waiting[][];
  /** About how many bytes that one has. */
  bytes: number;
  /** How many of them can't be sent yet: those that can wait with them. */
  held: number;
}

/**
 * Collects the commands issued in one microtask turn and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests, each after the one before. Each command has its own fate. Where several
 * requests are served in one process, those of one never travel with those of another, even if all had to wait.
 */
export class AutomaticBatch {
  #turn: Turn | undefined;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** That of the commands issued now. */
  get turn(): Turn {
    if (this.#turn) return this.#turn;
    const turn: Turn = { requests: [[]], bytes: 0, held: 0 };
    this.#turn = turn;
    microtask.then(() => {
      this.#turn = undefined;
      this.#flush(turn);
    });
    return turn;
  }

  /** One that was held no longer is: what it waited for is there, or never will be. */
  release(turn: Turn): void {
    if (--turn.held === 0) microtask.then(() => this.#flush(turn));
  }

  /** @param turn when it was issued: earlier than now if it had to wait. */
  add(command: Command, limits: Limits | undefined, turn = this.turn): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const bytes = sizeOf(command.argv);
      let request = turn.requests.at(-1)!;
      if (request.length === MOST_COMMANDS || (request.length > 0 && turn.bytes + bytes > MOST_BYTES)) {
        request = [];
        turn.requests.push(request);
        turn.bytes = 0;
      }
      turn.bytes += bytes;
      const waiting = { command, limits, resolve, reject };
      request.push(limits ? new Member(waiting, limits) : waiting);
    });
  }

  #flush(turn: Turn): void {
    if (turn.held > 0) return;
    const [first, ...more] = turn.requests;
    turn.requests = [[]];
    if (more.length === 0) this.#send(first!);
    else this.#sendInTurn([first!, ...more]);
  }

  /** Sends each when all commands of the one before have settled. */
  async #sendInTurn(requests: readonly Waiting[][]): Promise<void> {
    const began = moment();
    for (const waiting of requests.flat()) if (waiting instanceof Member) waiting.arm();
    for (const request of requests) {
      const batch = request.filter(isOpen);
      let open = batch.length;
      if (open === 0) continue;
      await new Promise<void>((done) => {
        const onEnd = () => {
          if (--open === 0) done();
        };
        this.#send(
          batch.map((waiting) => withEnd(waiting, onEnd)),
          elapsed(began),
        );
      });
    }
  }

  /** @param spent how long it has waited, in ms. */
  #send(batch: Waiting[], spent?: number): void {
    const core = this.#core;
    const alone = batch.length === 1 && spent === undefined;
    if (batch[0]?.limits) this.#sendLimited(batch as Member[], alone);
    else if (alone) core.runOne(batch[0]!);
    else if (batch.length > 0) sendEach(core, batch, { time: core.settings.timeout - (spent ?? 0) });
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
      sendEach(this.#core, members, shared, { shared });
      return;
    }
    for (const member of members) member.disarm();
    if (alone) this.#core.runOne(first);
    else sendEach(this.#core, members, { signal, time });
  }
}

const isOpen = ({ over }: Waiting) => !over;

/** Has `onEnd` called once the command is settled. */
function withEnd(waiting: Waiting, onEnd: () => void): Waiting {
  if (waiting instanceof Member) {
    waiting.onEnd = onEnd;
    return waiting;
  }
  const ending = <T>(settle: (value: T) => void) => {
    return (value: T) => {
      settle(value);
      onEnd();
    };
  };
  const { command, resolve, reject } = waiting;
  return { command, resolve: ending(resolve), reject: ending(reject) };
}

/** About as many bytes as the arguments take; exact for ASCII. */
function sizeOf(argv: readonly CommandArg[]): number {
  let size = 0;
  for (const arg of argv) size += arg.length + 3;
  return size;
}
