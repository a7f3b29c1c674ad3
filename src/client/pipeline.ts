import { type Builders, type Commands, getSpec, type Namespaces } from "../commands/index.js";
import { commandMethod, commandNames } from "../commands/methods.js";
import { SEND, type Target } from "../commands/modules/target.js";
import { boundProperty, onDemand } from "../commands/on-demand.js";
import type { ReplyMode } from "../commands/reply-mode.js";
import type { CommandSpec } from "../commands/spec.js";
import { ArgumentError } from "../errors.js";
import { type Command, type CommandExecutor, needsLazyFeatures, type Result } from "../execution/executor.js";
import { createLimits, type Limits, timeLeft } from "../execution/limits.js";
import { sendPipeline } from "../execution/pipeline-sender.js";
import { findUnknownOption } from "../options/option-names.js";
import type { BatchPath } from "../protocol/rest-protocol.js";

/** A command called on a pipeline. It returns the pipeline, with one more result. */
export interface Queued<Q extends readonly unknown[]> extends ReplyMode {
  readonly reply: Pipeline<[...Q, this["value"]]>;
}

/** The result of one command where errors are kept: `error` is set when it failed. */
export type CommandResult<T> =
  | { readonly result: T; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: Error };

type CommandResults<Q extends readonly unknown[]> = { -readonly [I in keyof Q]: CommandResult<Q[I]> };

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
  /** Sends the commands. Returns each command's value or error in its place, rather than throwing the first error. */
  exec<R extends readonly unknown[] = [] extends Q ? unknown[] : Q>(options: {
    keepErrors: true;
  }): Promise<CommandResults<R>>;
  /** How many commands have been collected. */
  length(): number;
}

class CommandQueue {
  readonly #commands: Command[] = [];
  readonly #executor: CommandExecutor;
  readonly #path: BatchPath;

  constructor(executor: CommandExecutor, path: BatchPath) {
    this.#executor = executor;
    this.#path = path;
  }

  [SEND](spec: CommandSpec, args: readonly unknown[]): this {
    this.#commands.push(this.#executor.prepare(spec, args, this.#commands.length));
    return this;
  }

  // Bound, as everything that is taken out of a client or a pipeline works on its own.
  length = (): number => this.#commands.length;

  exec = async (options?: { keepErrors?: boolean }): Promise<unknown[]> => {
    const unknown = options && findUnknownOption(options, ["keepErrors"]);
    if (unknown) throw new ArgumentError(`${this.#path}: ${unknown}`, { command: undefined });
    const executor = this.#executor;
    let commands: readonly Command[] = this.#commands;
    if (commands.length === 0) throw new ArgumentError("Pipeline is empty");
    const limits = createLimits(executor.settings);
    const needsLazy = commands.some(needsLazyFeatures);
    if (executor.waits || needsLazy)
      commands = await executor.prepareToSend(() => this.#commands, needsLazy, limits, "exec");
    const signal = limits?.signal;
    const results =
      this.#path === "pipeline"
        ? await sendAll(executor, commands, limits)
        : await executor.runBatch(() => commands, this.#path, {
            time: timeLeft(executor.settings, limits),
            signal,
          });
    const kept = results.some(isPending) ? await Promise.all(results.map(settled)) : results;
    if (options?.keepErrors) return kept as unknown[];
    return kept.map((item) => {
      if ("error" in item) throw item.error;
      return item.result;
    });
  };
}

function sendAll(
  executor: CommandExecutor,
  commands: readonly Command[],
  limits: Limits | undefined,
): Promise<Result[]> {
  return new Promise((done, onFailure) => {
    const results: Result[] = [];
    let missing = commands.length;
    const batch = commands.map((command, at) => {
      const settle = (result: Result) => {
        results[at] = result;
        if (--missing === 0) done(results);
      };
      return {
        command,
        resolve: (result: unknown) => settle({ result }),
        reject: (error: unknown) => settle({ error }),
      };
    });
    // Commands that wait do so one after the other.
    const wait = commands.reduce((sum, command) => sum + (command.wait ?? 0), 0);
    const time = timeLeft(executor.settings, limits, wait);
    sendPipeline(executor, batch, { time, signal: limits?.signal }, { onFailure });
  });
}

/** Whether a schema is still checking the value. */
function isPending(result: Result): boolean {
  return "result" in result && result.result instanceof Promise;
}

async function settled(outcome: Result): Promise<Result> {
  if ("error" in outcome) return outcome;
  try {
    return { result: await outcome.result };
  } catch (error) {
    return { error };
  }
}

/** A command's method collects it; what is put together of several specs is made anew for each pipeline. */
function describeProperty(name: string): PropertyDescriptor | undefined {
  const spec = getSpec(name);
  if (spec) {
    return boundProperty<CommandQueue>(
      name,
      (queue) =>
        (...args: unknown[]) =>
          queue[SEND](spec, args),
    );
  }
  const make = commandMethod(name);
  return make && boundProperty<CommandQueue>(name, (queue) => make((spec, args) => queue[SEND](spec, args)));
}

Object.setPrototypeOf(CommandQueue.prototype, onDemand(Object.prototype, describeProperty, commandNames));

/** @param path `pipeline`, or `multi-exec` for a transaction. */
export function createPipeline(executor: CommandExecutor, path: BatchPath): Pipeline {
  return new CommandQueue(executor, path) as unknown as Pipeline;
}
