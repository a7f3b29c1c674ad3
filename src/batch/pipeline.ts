import { type Builders, type Commands, type Namespaces, rows } from "../commands/index.js";
import type { Kind } from "../commands/kind.js";
import { commandMethod, commandNames } from "../commands/methods.js";
import { SEND, type Target } from "../commands/modules/target.js";
import type { Row } from "../commands/row.js";
import type { Command, Core } from "../core.js";
import { ArgumentError } from "../errors.js";
import type { BatchPath } from "../wire/protocol.js";

/** A command called on a pipeline: it gives the pipeline, which will give one value more. */
export interface Queued<Q extends readonly unknown[]> extends Kind {
  readonly reply: Pipeline<[...Q, this["value"]]>;
}

/** One command's fate where errors are kept: `error` is set when it failed. */
export type Kept<T> =
  | { readonly result: T; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: Error };

type KeptAll<Q extends readonly unknown[]> = { -readonly [I in keyof Q]: Kept<Q[I]> };

/** Commands collected now and sent as one request by `exec()`. */
export interface Pipeline<Q extends readonly unknown[] = []>
  extends Commands<Queued<Q>>,
    Namespaces<Queued<Q>>,
    Builders<Queued<Q>>,
    Target<Queued<Q>> {
  /**
   * Sends the commands.
   * @returns their values, in order.
   * @throws the first error among them, whose `.index` tells which command it was; the others have run all the same,
   * unless this is a transaction that Redis discarded.
   */
  exec<R extends readonly unknown[] = [] extends Q ? unknown[] : Q>(): Promise<R>;
  /** The same, with each command's error in its place. */
  exec<R extends readonly unknown[] = [] extends Q ? unknown[] : Q>(options: {
    keepErrors: true;
  }): Promise<KeptAll<R>>;
  /** How many commands have been collected. */
  length(): number;
}

class CommandQueue {
  private readonly commands: Command[] = [];

  constructor(
    private readonly core: Core,
    private readonly path: BatchPath,
  ) {}

  queue(row: Row, args: readonly unknown[]): this {
    this.commands.push(this.core.prepare(row, args));
    return this;
  }

  [SEND](row: Row, args: readonly unknown[]): this {
    return this.queue(row, args);
  }

  length(): number {
    return this.commands.length;
  }

  // Bound, as everything that people take out of a client works on its own.
  exec = async (options?: { keepErrors?: boolean }): Promise<unknown[]> => {
    if (this.commands.length === 0) {
      throw new ArgumentError("Pipeline is empty: add a command before exec()", { outcome: "unsent" });
    }
    const results = await this.core.runBatch(this.commands, this.path);
    if (options?.keepErrors) {
      return results.map((result) =>
        "error" in result ? { error: result.error } : { result: result.value },
      );
    }
    return results.map((result) => {
      if ("error" in result) throw result.error;
      return result.value;
    });
  };
}

for (const name of commandNames) {
  const row = (rows as Record<string, Row>)[name];
  Object.defineProperty(
    CommandQueue.prototype,
    name,
    row
      ? {
          value(this: CommandQueue, ...args: unknown[]) {
            return this.queue(row, args);
          },
          writable: true,
          configurable: true,
        }
      : {
          get(this: CommandQueue) {
            return commandMethod(name, (row, args) => this.queue(row, args));
          },
          configurable: true,
        },
  );
}

/** @param path `pipeline`, or `multi-exec` for a transaction. */
export function createPipeline(core: Core, path: BatchPath): Pipeline {
  return new CommandQueue(core, path) as unknown as Pipeline;
}
