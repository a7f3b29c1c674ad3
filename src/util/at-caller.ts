import { WarmlineError } from "../errors.js";

/**
 * Returns the error. An error of warmline gets the stack of the code that awaits the running function: on V8 an error that
 * was created in the callback of a socket has no frame of the program. Does nothing without `Error.captureStackTrace`.
 * @param hide the running function, which the stack does not show.
 * @see https://v8.dev/docs/stack-trace-api#async-stack-traces
 */
export function atCaller<T>(error: T, hide: (...args: any[]) => unknown): T {
  if (error instanceof WarmlineError) Error.captureStackTrace?.(error, hide);
  return error;
}

/**
 * Rejects with the error as {@link atCaller} returns it. To fail, a call resolves its own promise with this one. Unlike
 * a catch handler on the promise of each call, this costs nothing while commands succeed.
 */
export async function rejectAtCaller(error: unknown): Promise<never> {
  // Only after two microtasks does the call's promise wait for this one, so that V8 finds the caller for the stack.
  await undefined;
  await undefined;
  throw atCaller(error, rejectAtCaller);
}
