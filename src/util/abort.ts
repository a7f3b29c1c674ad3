/** The listeners of one signal, themselves one listener of its abort event. */
class AbortListeners extends Set<() => void> {
  handleEvent(): void {
    for (const listener of this) listener();
  }
}

const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/**
 * Calls `listener` when the signal aborts, at once if it has. A signal gets one listener of ours, however many calls it is for: Node warns
 * of a leak from the eleventh on, and compares each that is added with all that are there.
 * @returns takes `listener` back.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  let listeners = listenersOf.get(signal);
  if (!listeners) {
    listeners = new AbortListeners();
    listenersOf.set(signal, listeners);
    signal.addEventListener("abort", listeners);
  }
  const mine = listeners.add(listener);
  return () => {
    mine.delete(listener);
    if (mine.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener("abort", mine);
  };
}

/** Throws the reason of a signal that is aborted. Polyfills may have no method for it. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
}
