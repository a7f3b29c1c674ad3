import { elapsed, moment } from "../connection/clock.js";
import type { Command, Result } from "../core.js";
import { ConnectionError, type Outcome, UnknownOutcomeError, WarmlineError } from "../errors.js";
import type { Word } from "../wire/words.js";

/** The most commands, and the most bytes of words, that travel in one request. */
const MOST_COMMANDS = 1_000;
const MOST_BYTES = 512 * 1024;

interface Waiting {
  readonly command: Command;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How a batch is sent: alone as a command, or as a pipeline within the time given (ms). */
export interface Sender {
  sendOne(command: Command): Promise<unknown>;
  sendBatch(commands: readonly Command[], time: number): Promise<Result[]>;
  time(): number;
  signal(): AbortSignal | undefined;
  /** The error of the whole request, as one command's own. */
  errorFor(error: unknown, command: Command): unknown;
  /** The wait before commands are sent again for the nth time, from 0, in ms; undefined: no more, or no time left. */
  waitBefore(retry: number, timeLeft: number): number | undefined;
  /** Commands are sent again for the nth time, from 1, after a wait in ms; the outcome is the last try's. */
  onRetry(retry: number, wait: number, outcome: Outcome): void;
}

/**
 * Collects the commands issued in one microtask turn and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests at the same time. Each command has its own fate: where the outcome of
 * the request is unknown, or the gateway says so of some of its commands, the reads are sent again by themselves and
 * only the writes reject; what the gateway did not send on is sent again, reads and writes.
 */
export class AutomaticBatch {
  private waiting: Waiting[] = [];
  private bytes = 0;

  constructor(private readonly sender: Sender) {}

  add(command: Command): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) queueMicrotask(() => this.flush());
      const bytes = sizeOf(command.words);
      if (this.waiting.length === MOST_COMMANDS || (this.bytes > 0 && this.bytes + bytes > MOST_BYTES)) {
        this.flush();
        queueMicrotask(() => this.flush());
      }
      this.bytes += bytes;
      this.waiting.push({ command, resolve, reject });
    });
  }

  private flush(): void {
    const batch = this.waiting;
    this.waiting = [];
    this.bytes = 0;
    if (batch.length === 1) {
      const { command, resolve, reject } = batch[0]!;
      this.sender.sendOne(command).then(resolve, reject);
    } else if (batch.length > 1) {
      this.send(batch, this.sender.time());
    }
  }

  private send(batch: readonly Waiting[], time: number, retried = 0): void {
    const began = moment();
    // After a freeze it may be too late: what an exactly-once write's repeat relies on may be forgotten by then.
    const left = () => time - elapsed(began);
    this.sender
      .sendBatch(
        batch.map(({ command }) => command),
        time,
      )
      .then(
        (results) => this.settle(batch, results, left, retried),
        (error) => {
          const rest = left();
          const repeatable =
            isUnknown(error) && rest > 0 ? batch.filter(({ command }) => command.repeatable) : [];
          // A batch of nothing else has been sent again as often as it may be.
          const repeated = new Set(repeatable.length < batch.length ? repeatable : []);
          for (const waiting of batch) {
            if (!repeated.has(waiting)) waiting.reject(this.sender.errorFor(error, waiting.command));
          }
          if (repeated.size === 0) return;
          this.sender.onRetry(retried + 1, 0, "unknown");
          this.send(repeatable, rest);
        },
      );
  }

  /** @param left the time that the batch still has, in ms. */
  private settle(
    batch: readonly Waiting[],
    results: readonly Result[],
    left: () => number,
    retried: number,
  ): void {
    const again: Waiting[] = [];
    const errors: Error[] = [];
    for (let i = 0; i < batch.length; i++) {
      const waiting = batch[i]!;
      const result = results[i]!;
      if (!("error" in result)) waiting.resolve(result.value);
      else if (!mayRepeat(result.error, waiting.command)) waiting.reject(result.error);
      else errors[again.push(waiting) - 1] = result.error;
    }
    if (again.length === 0) return;
    const giveUp = () => {
      for (const [i, { reject }] of again.entries()) reject(errors[i]);
    };
    const wait = this.sender.waitBefore(retried, left());
    if (wait === undefined) {
      giveUp();
      return;
    }
    this.sender.onRetry(retried + 1, wait, errors.some(isUnknown) ? "unknown" : "unsent");
    const repeat = () => {
      const rest = left();
      if (rest > 0) this.send(again, rest, retried + 1);
      else giveUp();
    };
    this.pause(wait, repeat, (reason) => {
      for (const { reject } of again) reject(reason);
    });
  }

  private pause(wait: number, then: () => void, aborted: (reason: unknown) => void): void {
    const signal = this.sender.signal();
    const onAbort = () => {
      clearTimeout(timer);
      aborted(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      then();
    }, wait);
    signal?.addEventListener("abort", onAbort, { once: true });
  }
}

/** Whether the gateway's word for what became of the command lets it be sent again. */
function mayRepeat(error: Error, { repeatable }: Command): boolean {
  return error instanceof ConnectionError || (repeatable && error instanceof UnknownOutcomeError);
}

function isUnknown(error: unknown): boolean {
  return error instanceof WarmlineError && error.outcome === "unknown" && error.name !== "TimeoutError";
}

/** About as many bytes as the words take; exact for ASCII. */
function sizeOf(words: readonly Word[]): number {
  let size = 0;
  for (const word of words) size += word.length + 3;
  return size;
}
