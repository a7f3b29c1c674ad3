import type { Command } from "../resp/command.js";
import type { Receiver, UpstreamFailure } from "./failure.js";

/** Commands of one batch that may be unanswered at a time: the batches of auto-pipelining clients fit in one chunk. */
export const CHUNK_COMMANDS = 1_000;
/** Bytes of one batch that may be unanswered at a time. A single command may have more. */
const CHUNK_BYTES = 512 * 1024;

/** Commands that were given together: they keep their order, and their chunks alternate with those of other batches. */
export class CommandBatch {
  #next = 0;
  #inFlight = 0;
  #bytes = 0;
  /** Whether a command of the batch was lost with its connection, so that later ones must not run before it. */
  isBroken = false;
  /** The connection of its last command, of which only the identity matters. */
  connection: object | null = null;
  /** Whether it is sent for the second time. */
  isRepeated = false;

  /**
   * @param until the deadline for the replies, on the clock of `performance.now()`
   * @param extraOf returns the extra time in ms, beyond the deadline, for the command at an index. Default: none
   */
  constructor(
    private readonly commands: readonly Command[],
    readonly receiver: Receiver,
    private readonly until: number,
    private readonly extraOf?: (index: number) => number,
  ) {}

  get isEmpty(): boolean {
    return this.#next === this.commands.length;
  }

  /** Number of commands not taken. */
  get left(): number {
    return this.commands.length - this.#next;
  }

  /** Its command, if it has only one. */
  get single(): Command | null {
    return this.commands.length === 1 ? this.commands[0]! : null;
  }

  /** Whether it is sent in more than one chunk. */
  get isLong(): boolean {
    return this.commands.length > CHUNK_COMMANDS;
  }

  /** The next command's index in the batch, passed to `receiver`. */
  get tag(): number {
    return this.#next;
  }

  /** The deadline of the next command's reply. */
  get deadline(): number {
    return this.extraOf ? this.until + this.extraOf(this.#next) : this.until;
  }

  /** Whether its next command may be written now: not while another connection owes it a reply. */
  canSendNextOn(connection: object): boolean {
    if (this.isEmpty) return false;
    if (this.#inFlight === 0) return true;
    return connection === this.connection && this.#inFlight < CHUNK_COMMANDS && this.#bytes < CHUNK_BYTES;
  }

  /** Returns the next command, and counts it as taken. */
  take(): Command {
    return this.commands[this.#next++]!;
  }

  wrote(bytes: number): void {
    this.#inFlight++;
    this.#bytes += bytes;
  }

  /** Records that a command has its reply or was given up. Returns whether the batch may send its next chunk. */
  settled(bytes: number): boolean {
    this.#inFlight--;
    this.#bytes -= bytes;
    return !this.isEmpty && this.#inFlight <= CHUNK_COMMANDS / 2 && this.#bytes <= CHUNK_BYTES / 2;
  }

  /** Fails every command that was not taken, the first chunk of them at once, and each further one in a later iteration. */
  failRest(failure: UpstreamFailure): void {
    const stop = Math.min(this.#next + CHUNK_COMMANDS, this.commands.length);
    while (this.#next < stop) this.receiver.onFailure(failure, this.#next++);
    if (!this.isEmpty) setImmediate(() => this.failRest(failure));
  }
}
