import { blockingTime } from "../commands/blocking.js";
import { prefixKeys } from "../commands/keys.js";
import { type StandardSchema, schemaAmong } from "../commands/schema.js";
import type { CommandSpec } from "../commands/spec.js";
import { ArgumentError } from "../errors.js";
import { type CommandArg, hasBytes, type InvalidArgument } from "../protocol/args.js";
import type { Codec } from "../protocol/codec.js";
import { onAbort } from "../util/abort.js";
import { rejectAtCaller } from "../util/at-caller.js";
import { afterTwoPolls, clearTimeout, setTimeout } from "../util/timers.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Limits } from "./limits.js";
import { createTimeoutError, type Sent } from "./verdict.js";

// V8 allocates objects of a literal in its old space once many of them have outlived a collection, as the commands of long
// pipelines do. Each then costs twice the CPU time. It does not do so with instances of classes, nor with copies of arrays.
const ROOM: readonly CommandArg[] = ["", "", "", ""];

/** A command with its arguments encoded. */
export class Command {
  /** Redis's name of the command, in upper case. */
  readonly name: string;
  /** The caller's arguments. */
  readonly args: readonly unknown[];
  /** The name and the encoded arguments, as they are sent. */
  readonly argv: readonly CommandArg[];
  readonly codec: Codec;
  /** Whether it may change data. */
  readonly write: boolean;
  /** Whether it may be sent again after it may have been applied. */
  readonly repeatable: boolean;
  /** The time in ms for which a blocking command may block. Undefined for other commands. */
  readonly wait: number | undefined;
  /** Whether there are bytes among its arguments. */
  readonly bytes: boolean;
  /** The schema of the values that it reads. */
  readonly schema?: StandardSchema | undefined;
  /** Runs a function in the asynchronous context of the caller. Present if functions of the user (codec, schema) read the reply, and the runtime has such contexts. */
  readonly inContext?: (<T>(read: () => T) => T) | undefined;

  /**
   * Encodes the call of a command's method.
   * @param index its position in a pipeline or transaction of the user.
   * @throws ArgumentError if an argument can't be sent.
   */
  constructor(
    { context, settings: { codec, writes } }: ConfiguredClient,
    readonly spec: CommandSpec,
    args: readonly unknown[],
    readonly index?: number,
  ) {
    const { name } = spec;
    // Room for four elements is enough for most commands. When an array grows, V8 adds room for sixteen more.
    let encoded = ROOM.slice();
    // Setting its length would take longer.
    for (let spare = 3; spare > 0; spare--) encoded.pop();
    encoded[0] = name;
    if (name.includes(" ")) encoded = name.split(" ");
    const nameLength = encoded.length;
    this.name = name;
    this.args = args;
    this.codec = codec;
    try {
      if (spec.schema && args.some((arg) => typeof arg === "object"))
        [this.schema, this.args] = schemaAmong(args as unknown[]);
      spec.encodeArgs(codec.encode, this.args as unknown[], encoded);
      if (context.prefix) prefixKeys(encoded, context.prefix);
    } catch (error) {
      // Compared by name: `warmline/modules` may have a copy of the class.
      if ((error as Error)?.name !== "InvalidArgument") throw error;
      const { message, cause } = error as InvalidArgument;
      throw new ArgumentError(`${name}: ${message}`, { command: name, index, cause });
    }
    // A copy has no spare room.
    const argv = encoded.length > 4 ? encoded.slice() : encoded;
    const write = typeof spec.write === "function" ? spec.write(argv.slice(nameLength)) : spec.write;
    this.argv = argv;
    this.write = write;
    this.repeatable = !write || writes === "at-least-once";
    this.wait = blockingTime(argv);
    this.bytes = hasBytes(argv);
    this.inContext = codec.custom || this.schema ? context.contextNow?.() : undefined;
  }
}

/** Whether the reply is read as bytes: by the codec, or because it is a dump. */
export function readsBytes({ codec, spec }: Command): boolean {
  return !codec.text || spec.name.endsWith("DUMP");
}

/** Result of one command of a batch. */
export type Result = { readonly result: unknown } | { readonly error: unknown };

/** Gets the values and the errors of commands. */
export interface Receiver {
  /** @param place position of the command among the commands of this receiver. */
  onValue(value: unknown, place: number): void;
  onError(error: unknown, place: number): void;
}

/** Settles the promise of a call. An error gets the stack of the code that waits for it. */
export class Call implements Receiver {
  constructor(readonly onValue: (value: unknown) => void) {}

  onError(error: unknown): void {
    this.onValue(rejectAtCaller(error));
  }
}

/** A command in flight. One receiver serves a whole batch, so that a command needs no functions of its own. */
export class Pending<C extends Sent["command"] = Command> implements Sent {
  settled = false;
  possiblyApplied = false;
  #unwatch: (() => void) | undefined;

  /**
   * @param limits what limits this command alone. Undefined if only the timeout of its request does.
   * @param place its position among the commands of the receiver.
   */
  constructor(
    public command: C,
    readonly limits: Limits | undefined,
    private readonly receiver: Receiver,
    private readonly place = 0,
  ) {}

  resolve(value: unknown): void {
    if (this.#settle()) this.receiver.onValue(value, this.place);
  }

  reject(error: unknown): void {
    if (this.#settle()) this.receiver.onError(error, this.place);
  }

  /**
   * Rejects the command when its own limits end, if it has any, while other commands of its request continue.
   * @param time the time in ms after which its request ends anyway.
   * @param onLeave called with the error after the rejection.
   */
  watchLimits(time: number, isWritten?: () => boolean, onLeave?: (error: unknown) => void): void {
    const { limits, command } = this;
    if (!limits) return;
    const { signal } = limits;
    const leave = () => {
      if (this.settled) return;
      const written = isWritten?.() || this.possiblyApplied;
      const error = signal?.aborted
        ? signal.reason
        : createTimeoutError(command.name, limits.time(command.wait), written, command.write);
      this.reject(error);
      onLeave?.(error);
    };
    this.#unwatch?.();
    const left = limits.left(command.wait);
    if (left <= 0 || signal?.aborted) {
      leave();
      return;
    }
    const forgetSignal = signal && onAbort(signal, leave);
    // After a freeze, a response that has already arrived is read before the timeout takes effect.
    const timer = left < time - 1 ? setTimeout(afterTwoPolls, left, leave) : undefined;
    this.#unwatch = () => {
      clearTimeout(timer);
      forgetSignal?.();
    };
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#unwatch?.();
    return true;
  }
}
