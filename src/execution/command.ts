import { blockingTime } from "../commands/blocking.js";
import { type StandardSchema, schemaAmong } from "../commands/schema.js";
import type { CommandSpec } from "../commands/spec.js";
import { ArgumentError } from "../errors.js";
import { type CommandArg, hasBytes, type InvalidArgument } from "../protocol/args.js";
import type { Codec } from "../protocol/codec.js";
import type { ConfiguredClient } from "./client-context.js";

/** A command ready to be sent. */
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
