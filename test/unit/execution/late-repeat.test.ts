import { expect, test } from "vitest";
import { TimeoutError } from "../../../src/errors.js";
import { deliverRequest } from "../../../src/execution/delivery.js";
import { type AttemptListener, createStats, type Transport } from "../../../src/transport/transport.js";

// A process that was frozen between two tries finds all of its timers late at once. What was to be repeated must not
// be repeated now: an exactly-once write's first reply may be forgotten by then.

const incr = { label: "INCR", write: true, repeatable: true, time: 1_000 };
const encoded = { request: { path: "/", headers: {}, body: "" }, read: () => 1 };

function createTransport(
  attempt: (number: number, listener: AttemptListener) => void,
): Transport & { attempts: number } {
  return {
    attempts: 0,
    stats: createStats(),
    attempt(listener) {
      attempt(++this.attempts, listener);
      return { abort() {} };
    },
    onRetry() {},
  };
}

function call(transport: Transport, waitMs = 20): Promise<unknown> {
  const settings = { retries: 5, backoff: () => waitMs };
  const context = { transport, endpoint: undefined };
  return new Promise((resolve, reject) => {
    deliverRequest(context, encoded, { ...incr, settings }, resolve, reject);
  });
}

/** Nothing runs meanwhile, as in a frozen process. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a repeat is not sent after a freeze in the pause before it", async () => {
  const transport = createTransport((number, listener) => {
    listener.onStart();
    setTimeout(() => {
      listener.onFailure(new Error("lost"));
      // The first repeat is made at once, the second waits for 60 ms.
      if (number === 2) setTimeout(freeze, 0, 1_300);
    }, 0);
  });
  const called = call(transport, 60);
  await expect(called).rejects.toBeInstanceOf(TimeoutError);
  expect(transport.attempts).toBe(2);
});

test("a repeat is not written after a freeze while it waits for its connection", async () => {
  let written = 0;
  const transport = createTransport((number, listener) => {
    const write = () => {
      listener.onStart();
      written++;
      setTimeout(() => listener.onFailure(new Error("lost")), 0);
    };
    if (number === 1) write();
    else {
      setTimeout(() => {
        freeze(1_300);
        try {
          write();
        } catch (cause) {
          listener.onFailure(cause as Error);
        }
      }, 10);
    }
  });
  await expect(call(transport)).rejects.toMatchObject({ outcome: "unknown" });
  expect(written).toBe(1);
});
