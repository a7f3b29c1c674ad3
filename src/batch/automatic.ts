import type { Command, Result } from "../core.js";
import { WarmlineError } from "../errors.js";
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
  /** The error of the whole request, as one command's own. */
  errorFor(error: unknown, command: Command): unknown;
}

/**
 * Collects the commands issued in one microtask turn and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests at the same time. Each command has its own fate: where the outcome of
 * the request is unknown, the reads are sent again by themselves and only the writes reject.
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

  private send(batch: readonly Waiting[], time: number): void {
    const due = performance.now() + time;
    this.sender
      .sendBatch(
        batch.map(({ command }) => command),
        time,
      )
      .then(
        (results) => {
          for (let i = 0; i < batch.length; i++) settle(batch[i]!, results[i]!);
        },
        (error) => {
          const left = due - performance.now();
          const repeatable =
            isUnknown(error) && left > 0 ? batch.filter(({ command }) => command.repeatable) : [];
          // A batch of nothing else has been sent again as often as it may be.
          const repeated = new Set(repeatable.length < batch.length ? repeatable : []);
          for (const waiting of batch) {
            if (!repeated.has(waiting)) waiting.reject(this.sender.errorFor(error, waiting.command));
          }
          if (repeated.size > 0) this.send(repeatable, left);
        },
      );
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof WarmlineError && error.outcome === "unknown" && error.name !== "TimeoutError";
}

function settle({ resolve, reject }: Waiting, result: Result): void {
  if ("error" in result) reject(result.error);
  else resolve(result.value);
}

/** About as many bytes as the words take; exact for ASCII. */
function sizeOf(words: readonly Word[]): number {
  let size = 0;
  for (const word of words) size += word.length + 3;
  return size;
}
