/** An entry of a stream. */
export interface FollowedEntry<T = unknown> {
  /** Its id, by which `follow` can continue after it. */
  readonly id: string;
  /** Its fields, with values decoded by the client's codec. */
  readonly fields: Record<string, T>;
}

/** The field of the entry with which a producer ends a stream. */
export const END_FIELD = "wl:end";

/** The field of the entry with which a producer aborts a stream. */
export const ABORT_FIELD = "wl:abort";
