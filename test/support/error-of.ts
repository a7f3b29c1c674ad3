import { expect } from "vitest";

/** Returns the error that a call rejects with. The test fails if the call resolves. */
export async function errorOf(call: PromiseLike<unknown>): Promise<any> {
  return call.then(
    () => expect.unreachable(),
    (error) => error,
  );
}
