import type { Bulk, RawReply } from "../wire/reply.js";

/** Turns a value (not a key, field, id or option) into what is sent, as the codec says. */
export type Encode = (value: unknown) => unknown;

/** Turns a stored value into what the caller gets, as the codec says. */
export type Decode = (bulk: Bulk) => unknown;

/** Gives a command's words without its name. Arguments are checked and turned into text or bytes later. */
export type Words = (encode: Encode, ...args: any[]) => unknown[];

/** Gives a command's value from its reply; `args` are the caller's, for commands whose options shape the reply. */
export type Decoder = (reply: RawReply, decode: Decode, args: readonly any[]) => unknown;

/** All that is known about a command at run time. */
export interface Row {
  /** Redis's name, in upper case; a subcommand after a space. */
  readonly name: string;
  /**
   * Whether it may change data, or how its words (without its name) tell. Only a command that does not is ever sent
   * a second time on its own.
   */
  readonly write: boolean | ((words: readonly unknown[]) => boolean);
  readonly words: Words;
  readonly reply: Decoder;
  /** Whether it takes a schema, and what that checks: each stored value, the whole of what is read, or its items. */
  readonly schema?: "each" | "whole" | "items";
}
