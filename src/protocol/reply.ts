/** A bulk string. Its text and its bytes are created on demand, because most replies need one of them once. */
export interface Bulk {
  /** Returns the string as UTF-8 text. Invalid bytes become U+FFFD. */
  text(): string;
  /** Returns a copy of the string's bytes. */
  bytes(): Uint8Array;
}

/** An error reply. It is a value, not thrown, because it may be inside a batch or an array. */
export class ErrorReply {
  readonly isErrorReply = true;

  constructor(readonly message: string) {}

  // `warmline/modules` has a copy of this class.
  static [Symbol.hasInstance](value: unknown): boolean {
    return (value as Partial<ErrorReply> | null | undefined)?.isErrorReply === true;
  }
}

/** A reply before it is decoded. `string`: a simple string such as `OK`, or digits that a number would round. */
export type RawReply = null | number | string | Bulk | ErrorReply | RawReply[];
