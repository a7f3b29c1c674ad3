/** An event of an event stream, encoded: pieces that are written together, and that its readers share. */
export type Frame = readonly Buffer[];

/** A frame; null if there is no memory to encode it now; `too-large` if it never fits in the memory for events. */
export type EncodedFrame = Frame | null | "too-large";
