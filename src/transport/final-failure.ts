/** A failure that a repeat of the request would meet again. A mark instead of a class, since `warmline/undici` has a copy of it. */
export interface FinalFailure extends Error {
  readonly final: true;
}

/** Whether a repeat of the request would fail in the same way. */
export const isFinal = (error: Error): boolean => (error as Partial<FinalFailure>).final === true;
