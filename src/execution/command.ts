import { blockingTime } from "../commands/blocking.js";
import { type StandardSchema, schemaAmong } from "../commands/schema.js";
import type { CommandSpec } from "../commands/spec.js";
import { ArgumentError } from "../errors.js";
import { type CommandArg, hasBytes, type InvalidArgument } from "../protocol/args.js";
import type { Codec } from "../protocol/codec.js";
import { createTimeoutError } from "../transport/timeout-error.js";
import { rejectAtCaller } from "../util/at-caller.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Limits } from "./limits.js";
import type { Deliverable } from "./verdict.js";

/** A command with its arguments encoded. */
export interface Command {
  readonly spec: CommandSpec;
  readonly args: readonly unknown[];
  readonly argv: readonly CommandArg[];
  readonly codec: Codec;
  /** Whether it may change data. */
  readonly write: boolean;
  /** Whether it may be sent again when it may have been applied: a read, or a write that is guarded. */
  readonly repeatable: boolean;
  /** The time in ms for which a blocking command may block. Undefined for other commands. */
  readonly wait: number | undefined;
  /** Whether there are bytes among its arguments. */
  readonly bytes: boolean;
  /** The schema of the values that it reads. */
  readonly schema?: StandardSchema | undefined;
  /** Its place in a batch that is its user's own. */
  readonly index?: number | undefined;
  /** Calls what reads the reply in the asynchronous context of the caller, where the user's own functions read it. */
  readonly inContext?: (<T>(read: () => T) => T) | undefined;
}

/** @throws ArgumentError when an argument can't be sent. */
export function createCommand(
  { context, settings: { codec, writes } }: ConfiguredClient,
  spec: CommandSpec,
  given: readonly unknown[],
  index?: number,
): Command {
  const { name } = spec;
  const argv: CommandArg[] = name.includes(" ") ? name.split(" ") : [name];
  const nameLength = argv.length;
  let schema: StandardSchema | undefined;
  let args = given as unknown[];
  try {
    if (spec.schema) [schema, args] = schemaAmong(given);
    spec.encodeArgs(codec.encode, args, argv);
  } catch (error) {
    if ((error as Error)?.name !== "InvalidArgument") throw error;
    const { message, cause } = error as InvalidArgument;
    throw new ArgumentError(`${name}: ${message}`, { command: name, index, cause });
  }
  const write = typeof spec.write === "function" ? spec.write(argv.slice(nameLength)) : spec.write;
  return {
    spec,
    args,
    argv,
    codec,
    write,
    repeatable: !write || writes === "at-least-once",
    wait: blockingTime(argv),
    bytes: hasBytes(argv),
    schema,
    index,
    inContext: codec.custom || schema ? context.contextNow?.() : undefined,
  };
}

/** Whether the reply is read as bytes: by the codec, or because it is a dump. */
export function readsBytes({ codec, spec }: Command): boolean {
  return !codec.text || spec.name.endsWith("DUMP");
}

/** Result of one command of a batch. A value that a schema checks may be a promise. */
export type Result = { readonly result: unknown } | { readonly error: unknown };

/** A command in flight, and the promise that it settles. */
export class PendingCommand implements Deliverable {
  settled = false;
  possiblyApplied = false;
  #unwatch: (() => void) | undefined;
  readonly #onValue: (value: unknown) => void;
  readonly #onError: ((error: unknown) => void) | undefined;

  constructor(
    /** Replaced if reads of its list are guarded. */
    public command: Command,
    /** Its own limits, if it has any but the timeout. */
    readonly limits: Limits | undefined,
    onValue: (value: unknown) => void,
    /** By default `onValue` gets a rejected promise whose error has the caller's stack. */
    onError?: (error: unknown) => void,
  ) {
    this.#onValue = onValue;
    this.#onError = onError;
  }

  get name(): string {
    return this.command.spec.name;
  }

  get write(): boolean {
    return this.command.write;
  }

  get repeatable(): boolean {
    return this.command.repeatable;
  }

  resolve(value: unknown): void {
    if (this.#settle()) this.#onValue(value);
  }

  reject(error: unknown): void {
    if (!this.#settle()) return;
    if (this.#onError) this.#onError(error);
    else this.#onValue(rejectAtCaller(error));
  }

  /**
   * Rejects the command when its limits end, if it has any, while others in its request continue.
   * @param time a time limit in ms that its request enforces.
   * @param isWritten returns whether its request is written.
   * @param onLeave called after the rejection.
   */
  watchLimits(time: number, isWritten = () => false, onLeave = () => {}): void {
    const { limits } = this;
    this.stopWatching();
    this.#unwatch = limits?.watch(time, () => {
      if (this.settled) return;
      const written = isWritten() || this.possiblyApplied;
      const { signal } = limits;
      this.reject(
        signal?.aborted ? signal.reason : createTimeoutError(this.name, limits.time(), written, this.write),
      );
      onLeave();
    });
  }

  /** Leaves the limits to the request, which has this command alone. */
  stopWatching(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.stopWatching();
    return true;
  }
}
