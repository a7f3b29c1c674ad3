import type { Builders, Commands, Namespaces } from "../commands/index.js";
import { commandMethod, commandNames } from "../commands/methods.js";
import { SEND, type Target } from "../commands/modules/target.js";
import { boundPrototype } from "../commands/on-demand.js";
import type { ReplyMode } from "../commands/reply-mode.js";
import type { CommandSpec } from "../commands/spec.js";
import { ArgumentError } from "../errors.js";
import type { ConfiguredClient } from "../execution/client-context.js";
import { Command, Pending, type Receiver, type Result } from "../execution/command.js";
import { guardReads, guardWrite } from "../execution/exactly-once/guard.js";
import { beforeCall, createLimits, type Limits, timeLeft } from "../execution/limits.js";
import { getNear, type NearClient } from "../execution/near-hooks.js";
import { LABELS, sendCommands } from "../execution/request.js";
import { traced, traceName } from "../execution/trace.js";
import { assertKnownOptions } from "../options/option-names.js";
import type { BatchPath } from "../protocol/rest-protocol.js";
import { atCaller } from "../util/at-caller.js";

/** The reply mode of a pipeline: each method returns the pipeline, whose type then has one more result. */
export interface Queued<Q extends readonly unknown[], V = unknown> extends ReplyMode {
  /** The pipeline. */
  readonly reply: Pipeline<[...Q, this["value"]], V>;
  /** The type of stored values. */
  readonly stored: V;
}

/** The result of one command, with the option `keepErrors`. `error` is set if the command failed. */
export type CommandResult<T> =
  | { readonly result: T; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: Error };

/** The result of each command of a pipeline, with the option `keepErrors`. */
export type CommandResults<Q extends readonly unknown[]> = { -readonly [I in keyof Q]: CommandResult<Q[I]> };

/**
 * Commands collected now and sent as one request by `exec()`.
 *
 * @typeParam Q the values of the commands, in order.
 * @typeParam V the type that the client's codec gives stored values.
 */
export interface Pipeline<Q extends readonly unknown[] = [], V = unknown>
  extends Commands<Queued<Q, V>>,
    Namespaces<Queued<Q, V>>,
    Builders<Queued<Q, V>>,
    Target<Queued<Q, V>> {
  /**
   * Sends the commands.
   * @returns their values, in order.
   * @throws the first error among them. Its `.index` is the position of the command. The other commands have run anyway, unless
   * this is a transaction that Redis discarded.
   */
  exec<R extends readonly unknown[] = [] extends Q ? unknown[] : Q>(): Promise<R>;
  /** Sends the commands. Returns each command's value or error in its place, rather than throwing the first error. */
  exec<R extends readonly unknown[] = [] extends Q ? unknown[] : Q>(options: {
    keepErrors: true;
  }): Promise<CommandResults<R>>;
  /** Returns the number of collected commands. */
  length(): number;
}

class CommandQueue {
  // A copy, for the reason given at Command: an array in the old space keeps its commands after the pipeline has ended.
  readonly #commands: Command[] = [].slice();
  readonly #client: NearClient;
  readonly #path: BatchPath;

  constructor(client: NearClient, path: BatchPath) {
    this.#client = client;
    this.#path = path;
  }

  [SEND](spec: CommandSpec, args: readonly unknown[]): this {
    this.#commands.push(new Command(this.#client, spec, args, this.#commands.length));
    return this;
  }

  // Arrow functions, so that they work detached, as all methods of clients and pipelines do.
  length = (): number => this.#commands.length;

  exec = async (options?: { keepErrors?: boolean }): Promise<unknown[]> => {
    try {
      const results = await this.#send(options);
      return results.map((item) => {
        if (!("error" in item)) return options?.keepErrors ? item : item.result;
        if (!options?.keepErrors) throw item.error;
        atCaller(item.error, this.exec);
        return item;
      });
    } catch (error) {
      throw atCaller(error, this.exec);
    }
  };

  async #send(options: object | undefined): Promise<Result[]> {
    if (options) assertKnownOptions(this.#path, options, "keepErrors");
    if (this.#commands.length === 0) throw new ArgumentError("Pipeline is empty");
    const client = this.#client;
    const waitFor = beforeCall(client, "exec");
    if (waitFor) await waitFor;
    const { settings } = client;
    const path = this.#path;
    const send = (commands: readonly Command[]): Promise<Result[]> => {
      const guardedWrites = commands.map((command) => guardWrite(client, command));
      const guarded = guardReads(client, guardedWrites, path, settings.scope);
      // Limits may throw, so they come after the guards: each write takes its ordinal in the scope even then.
      return sendAll(client, guarded, path, createLimits(settings));
    };
    const near = getNear(client);
    const run = () =>
      near ? near.runBatch(client, this.#commands, path === "multi-exec", send) : send(this.#commands);
    return traced(client.context, "command", run, () => ({
      command: traceName(LABELS[path], this.#commands),
      batchSize: this.#commands.length,
    }));
  }
}

function sendAll(
  client: ConfiguredClient,
  commands: readonly Command[],
  path: BatchPath,
  limits: Limits | undefined,
): Promise<Result[]> {
  return new Promise((done, onFailure) => {
    const results: Result[] = [];
    let missing = commands.length;
    const settle = (place: number, result: Result) => {
      results[place] = result;
      if (--missing === 0) done(results);
    };
    const receiver: Receiver = {
      onValue: (value, place) => {
        // A schema may still be checking the value.
        if (!(value instanceof Promise)) settle(place, { result: value });
        else
          value.then(
            (result) => receiver.onValue(result, place),
            (error) => receiver.onError(error, place),
          );
      },
      onError: (error, place) => settle(place, { error }),
    };
    const batch = commands.map((command, place) => new Pending(command, undefined, receiver, place));
    // Blocking commands of a pipeline wait one after the other. In a transaction no command waits.
    let wait = 0;
    if (path === "pipeline") for (const command of commands) wait += command.wait ?? 0;
    const time = timeLeft(client.settings, limits, wait);
    sendCommands(client, batch, path, { time, signal: limits?.signal, onFailure });
  });
}

const methodFactory = (name: string) => {
  const make = commandMethod(name);
  return make && ((queue: CommandQueue) => make((spec, args) => queue[SEND](spec, args)));
};

Object.setPrototypeOf(
  CommandQueue.prototype,
  boundPrototype(methodFactory, commandNames, (object) => Object.hasOwn(object, "exec"), true),
);

/** @param path `pipeline`, or `multi-exec` for a transaction. */
export function createPipeline(client: NearClient, path: BatchPath): Pipeline {
  return new CommandQueue(client, path) as unknown as Pipeline;
}
