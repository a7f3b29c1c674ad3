/**
 * A reply before a command gives it its meaning: what RESP2 and the JSON protocol have in common.
 * Text and bytes of a bulk string are created on demand, since most replies need one of them once.
 */
export interface Bulk {
  /** The string as UTF-8 text; invalid bytes become U+FFFD. */
  text(): string;
  /** The string's own bytes, never a view of a shared buffer. */
  bytes(): Uint8Array;
}

/** An error reply. It is a value here: inside a batch or an array only the reader can assign it to a command. */
export class ErrorReply {
  readonly isErrorReply = true;

  constructor(readonly message: string) {}

  // `warmline/modules` has a copy of this class.
  static [Symbol.hasInstance](value: unknown): boolean {
    return (value as Partial<ErrorReply> | null | undefined)?.isErrorReply === true;
  }
}

/**
 * `string` is a simple string such as `OK`, or an integer that a JavaScript number would round, digit by digit.
 */
export type RawReply = null | number | string | Bulk | ErrorReply | RawReply[];
