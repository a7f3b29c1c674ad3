/**
 * The return type of commands, as a function on types. Each command has one signature: on the client it returns a promise, on
 * a pipeline or transaction the pipeline with one more result.
 */
export interface ReplyMode {
  /** The value of the command. */
  readonly value: unknown;
  /** The return type of its method, by `value`. */
  readonly reply: unknown;
  /** The type that the codec gives a stored value: `unknown` for JSON, `Uint8Array` for bytes, `string` for text. */
  readonly stored: unknown;
}

/** The return type of a command with the value `T` in the reply mode `K`. */
export type Reply<K extends ReplyMode, T> = (K & { readonly value: T })["reply"];

/** The type of a stored value if the caller names none: the codec's, or `Default` if the codec's is unknown. */
export type Stored<K extends ReplyMode, Default = unknown> = unknown extends K["stored"]
  ? Default
  : K["stored"];

/** As {@link Stored}, for an array of stored values. */
export type StoredList<K extends ReplyMode, Default = unknown[]> = unknown extends K["stored"]
  ? Default
  : K["stored"][];

/** A command called on the client. `V` is the type that its codec gives stored values. */
export interface Immediate<V = unknown> extends ReplyMode {
  /** A promise of the value. */
  readonly reply: Promise<this["value"]>;
  /** The type of stored values. */
  readonly stored: V;
}

/** A key, field, id or cursor: sent unchanged, without the codec. */
export type Key = string | Uint8Array;
