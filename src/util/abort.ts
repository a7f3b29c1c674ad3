/** The listeners of one signal. The set itself is the listener of the abort event. */
class AbortListeners extends Set<() => void> {
  handleEvent(): void {
    for (const listener of this) listener();
  }
}

const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/**
 * Calls `listener` when the signal aborts, or at once if it has aborted. Returns a function that removes it. A signal gets one event
 * listener for all calls, because Node warns of a leak from the eleventh on, and compares a new one with all others.
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
  const added = listeners.add(listener);
  return () => {
    if (!added.delete(listener) || added.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener("abort", added);
  };
}

/** Throws the reason of an aborted signal. A polyfill may have no method for this. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
}

/** Whether a value is an AbortSignal, also of another realm or a polyfill. */
export function isSignal(value: unknown): value is AbortSignal {
  return "aborted" in Object(value) && "addEventListener" in (value as object);
}
