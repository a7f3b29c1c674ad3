/**
 * One signature per command, three uses: called on the client a command returns a promise, on a pipeline or a
 * transaction it returns the pipeline with one more result. A `ReplyMode` is that difference, as a function on types.
 */
export interface ReplyMode {
  /** The value of the command. */
  readonly value: unknown;
  /** The return type of its method, by `value`. */
  readonly reply: unknown;
}

/** The return type of a command with the value `T` under the reply mode `K`. */
export type Reply<K extends ReplyMode, T> = (K & { readonly value: T })["reply"];

/** A command called on the client. */
export interface Immediate extends ReplyMode {
  /** A promise of the value. */
  readonly reply: Promise<this["value"]>;
}

/** A key, a field, an id or a cursor: sent as it is, never through the codec. */
export type Key = string | Uint8Array;
