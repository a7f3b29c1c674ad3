import { expect, test } from "vitest";
import { TimeoutError } from "../../../src/errors.js";
import { Redis } from "../../../src/index.js";
import { beginCall, type OutgoingRequest } from "../../../src/transport/request-call.js";
import { RetryBudget } from "../../../src/transport/retry-budget.js";
import { type AttemptListener, createStats, type Transport } from "../../../src/transport/transport.js";
import { httpResponse, RawEndpoint } from "../../support/endpoint.js";

// A process that was frozen between two tries finds all of its timers late at once. What was to be repeated must not
// be repeated now: an exactly-once write's first reply may be forgotten by then.

const outgoing: Omit<OutgoingRequest<unknown>, "budget" | "resolve" | "reject"> = {
  request: { path: "/", headers: [], body: "" },
  label: "INCR",
  write: true,
  repeatable: true,
  repeated: false,
  signal: undefined,
  read: () => 1,
};

function transport(
  attempt: (number: number, listener: AttemptListener) => void,
): Transport & { attempts: number } {
  return {
    attempts: 0,
    stats: createStats(),
    attempt(_safe, listener) {
      attempt(++this.attempts, listener);
      return { abort() {} };
    },
    onRetry() {},
  };
}

function call(path: Transport, waitMs = 20): Promise<unknown> {
  const budget = new RetryBudget({ retries: 5, backoff: () => waitMs }, 200);
  return new Promise((resolve, reject) => beginCall(path, { ...outgoing, budget, resolve, reject }));
}

/** Nothing runs meanwhile, as in a frozen process. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a repeat is not sent after a freeze in the pause before it", async () => {
  const path = transport((number, listener) => {
    listener.onStart();
    setTimeout(() => {
      listener.onFailure(new Error("lost"));
      // The first repeat is made at once, the second waits for 60 ms.
      if (number === 2) setTimeout(freeze, 0, 400);
    }, 0);
  });
  const called = call(path, 60);
  await expect(called).rejects.toBeInstanceOf(TimeoutError);
  expect(path.attempts).toBe(2);
});

test("a repeat is not written after a freeze while it waits for its connection", async () => {
  let written = 0;
  const path = transport((number, listener) => {
    const write = () => {
      listener.onStart();
      written++;
      setTimeout(() => listener.onFailure(new Error("lost")), 0);
    };
    if (number === 1) write();
    else {
      setTimeout(() => {
        freeze(400);
        try {
          write();
        } catch (cause) {
          listener.onFailure(cause as Error);
        }
      }, 10);
    }
  });
  await expect(call(path)).rejects.toMatchObject({ outcome: "unknown" });
  expect(written).toBe(1);
});

test("a repeated command of a batch is not written after a freeze while it waits for its connection", async () => {
  const endpoint = await RawEndpoint.start();
  const unknown = '{"error":"UNKNOWNOUTCOME the connection to Redis was lost"}';
  endpoint.onRequest = ({ socket }) => {
    const headers = { "content-type": "application/json", "warmline-gateway": "0", connection: "close" };
    socket.end(httpResponse(`[${unknown},${unknown}]`, headers));
  };
  endpoint.onConnection = (_, connection) => {
    if (connection === 2) freeze(700);
  };
  const redis = new Redis({
    url: endpoint.url,
    token: "t",
    writes: "exactly-once",
    timeout: 400,
    retry: { backoff: () => 1 },
  });
  const written = redis.pipeline().incr("a").incr("b").exec();
  await expect(written).rejects.toMatchObject({ outcome: "unknown" });
  expect(endpoint.connections).toBe(2);
  expect(endpoint.requests).toHaveLength(1);
  await endpoint.stop();
});
