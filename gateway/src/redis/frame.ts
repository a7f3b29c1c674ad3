/** An event of an event stream, encoded: pieces that are written together, and that its readers share. */
export type Frame = readonly Buffer[];

/** A frame; null if there is no memory to encode it now; `too-large` if it never fits in the memory for events. */
export type EncodedFrame = Frame | null | "too-large";

/** A frame, or the promise of one that takes long to encode. */
export type PendingFrame = EncodedFrame | Promise<EncodedFrame>;
