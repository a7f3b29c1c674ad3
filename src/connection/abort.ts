/** Those who wait for one signal; a listener in itself, as the event's targets have it. */
class Waiting extends Set<() => void> {
  handleEvent(): void {
    for (const tell of this) tell();
  }
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `listener` when the signal aborts. A signal gets one listener of ours, however many calls it is for: Node warns
 * of a leak from the eleventh on, and compares each that is added with all that are there.
 * @returns takes `listener` back.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let waiting = waitingFor.get(signal);
  if (!waiting) {
    waiting = new Waiting();
    waitingFor.set(signal, waiting);
    signal.addEventListener("abort", waiting);
  }
  const mine = waiting.add(listener);
  return () => {
    mine.delete(listener);
    if (mine.size > 0) return;
    waitingFor.delete(signal);
    signal.removeEventListener("abort", mine);
  };
}
