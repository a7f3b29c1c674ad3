/** Calls `listener` when the signal aborts, or now if it has. @returns what makes the signal forget it. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  else signal?.addEventListener("abort", listener);
  return () => signal?.removeEventListener("abort", listener);
}
