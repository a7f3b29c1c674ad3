import type { CommandArg } from "../protocol/args.js";
import type { Bulk, RawReply } from "../protocol/reply.js";

/** Turns a value (not a key, field, id or option) into what is sent, as the codec says. */
export type Encode = (value: unknown) => unknown;

/** Turns a stored value into what the caller gets, as the codec says. */
export type Decode = (bulk: Bulk) => unknown;

/**
 * Appends a command's arguments to `out`, by default an empty array, as text or bytes, and returns it. In `args`, options
 * get their names as they are declared, which the decoder goes by.
 * @throws InvalidArgument, which says which argument is wrong and how.
 */
export type EncodeArgs = (encode: Encode, args: any[], out?: CommandArg[]) => CommandArg[];

/** Returns a command's value from its reply; `args` are the caller's, for commands whose options shape the reply. */
export type Decoder = (reply: RawReply, decode: Decode, args: readonly any[]) => unknown;

/** All that is known about a command at run time. */
export interface CommandSpec {
  /** Redis's name, in upper case; a subcommand after a space. */
  readonly name: string;
  /**
   * Whether it may change data, or a function that decides by its arguments (without its name). Only a command that does
   * not change data is retried automatically.
   */
  readonly write: boolean | ((args: readonly unknown[]) => boolean);
  readonly encodeArgs: EncodeArgs;
  readonly reply: Decoder;
  /** Whether it takes a schema, and what that checks: each stored value, the whole of what is read, or its items. */
  readonly schema?: "each" | "whole" | "items" | undefined;
}
