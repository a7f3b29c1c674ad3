import type { CommandArg } from "../protocol/args.js";
import type { Bulk, RawReply } from "../protocol/reply.js";

/** Encodes a stored value (not a key, field, id or option) by the codec. */
export type Encode = (value: unknown) => unknown;

/** Decodes a stored value by the codec. */
export type Decode = (bulk: Bulk) => unknown;

/**
 * Appends a command's arguments, as text or bytes, to `out`, by default a new array, and returns it. Renames the options in
 * `args` to their declared names, which the decoder reads.
 * @throws InvalidArgument with the position of the wrong argument and the problem.
 */
export type EncodeArgs = (encode: Encode, args: any[], out?: CommandArg[]) => CommandArg[];

/** Returns a command's value from its reply. `args` are the caller's arguments, since some options change the reply. */
export type Decoder = (reply: RawReply, decode: Decode, args: readonly any[]) => unknown;

/** The run-time description of a command. */
export interface CommandSpec {
  /** The name in upper case; a subcommand follows after a space. */
  readonly name: string;
  /** Whether the command may change data, or a function that tells by its arguments. Others are retried by default. */
  readonly write: boolean | ((args: readonly unknown[]) => boolean);
  readonly encodeArgs: EncodeArgs;
  readonly reply: Decoder;
  /** What a schema checks: each stored value, the whole result, or its items. Undefined: the command takes no schema. */
  readonly schema?: "each" | "whole" | "items" | undefined;
}
