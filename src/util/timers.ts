import { onAbort } from "./abort.js";

/** Returns a timer function of the runtime. Fakes of Vitest, Jest and Sinon keep the real one in their clock. */
function real<Name extends keyof typeof globalThis>(name: Name): (typeof globalThis)[Name] {
  const timer = globalThis[name] as any;
  return timer?.clock?.[`_${name}`] ?? timer;
}

// The runtime's own timers: fake ones, installed before or after this package is loaded, must not keep a call from settling.
export const setTimeout = real("setTimeout");
export const clearTimeout = real("clearTimeout");
export const setInterval = real("setInterval");
export const clearInterval = real("clearInterval");
export const setImmediate = real("setImmediate");

/** Calls a function in the next microtask. Fake timers may have taken the place of `queueMicrotask`. */
export const microtask = (run: () => void): void => void Promise.resolve().then(run);

/** Maximum delay of setTimeout in ms. A timer with a longer one fires at once. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Calls `then` after the event loop has polled twice, if the runtime can. One poll is not enough if a freeze began in a callback. */
export function afterTwoPolls(then: () => void): void {
  const poll = setImmediate ?? ((next: () => void) => setTimeout(next, 0));
  poll(() => poll(then));
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await within(ms, new Promise(() => {}), undefined, signal).catch(() => {});
}

/**
 * Settles as `promise` does. Rejects if `ms` pass or the signal aborts first.
 * @param timeoutError creates the error of a timeout.
 */
export function within<T>(
  ms: number,
  promise: Promise<T>,
  timeoutError?: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        forgetSignal?.();
        settle(value);
      };
    const fail = end(reject);
    const timer = setTimeout(() => fail(timeoutError?.()), Math.min(ms, MAX_TIMER));
    const forgetSignal = signal && onAbort(signal, () => fail(signal.reason));
    promise.then(end(resolve), fail);
  });
}
