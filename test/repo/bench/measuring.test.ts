import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { httpResponses } from "../../../bench/src/client/raw-connection.js";
import { arrivals, maxConcurrent, predict } from "../../../bench/src/fleet/arrivals.js";
import { handler as fleet } from "../../../bench/src/handlers/fleet.js";
import { supportedDigits } from "../../../bench/src/results/present.js";
import { costOfMillion } from "../../../bench/src/results/prices.js";
import { sumOf } from "../../../bench/src/rig/rig.js";
import { followClosed } from "../../../bench/src/sockets/follow.js";
import { timeWaitCounter } from "../../../bench/src/sockets/kernel.js";
import { Gate } from "../../../bench/src/util/gate.js";
import { everyMs, runAt } from "../../../bench/src/util/schedule.js";

test("a plain socket returns the body of an HTTP response once it is complete", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
  const read = (...parts: string[]) => {
    const reader = httpResponses();
    return parts.map((part) => reader(Buffer.from(part)));
  };
  expect(read(head.slice(0, 20), head.slice(20), "ab", "cd", `${head}efgh`)).toEqual([
    [],
    [],
    [],
    ["abcd"],
    ["efgh"],
  ]);
  expect(read("HTTP/1.1 503 Service Unavailable\r\n\r\n")).toMatchObject([
    [{ message: "HTTP/1.1 503 Service Unavailable" }],
  ]);
  expect(read("HTTP/1.1 200 OK\r\n\r\n")).toMatchObject([
    [{ message: expect.stringContaining("Content-Length") }],
  ]);
});

describe("the kernel's sockets", () => {
  test("work at a fixed rate runs whether or not the last one has ended, and counts from when it was due", async () => {
    expect(everyMs(10, 50)).toEqual([0, 10, 20, 30, 40]);
    const begunAt = performance.now();
    let [running, most] = [0, 0];
    const from: number[] = [];
    await runAt(everyMs(10, 50), async (dueAt, index) => {
      from[index] = dueAt - begunAt;
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 100));
      running--;
    });
    expect([from.length, running, most > 1]).toEqual([5, 0, true]);
    // A busy machine delays the first call; later ones are due at their distance from it.
    for (const [index, at] of from.entries()) expect(at).toBeLessThan(10 * (index + 1) + from[0]!);
    await expect(runAt([0], () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  const socket = (localPort: number, remotePort: number, state: string, localAddress = "0100007F") => ({
    localAddress,
    remoteAddress: "0100007F",
    localPort,
    remotePort,
    state,
  });

  test("the kernel's sockets in TIME_WAIT are counted at both sides, without earlier ones", () => {
    const count = timeWaitCounter(new Set([6_379, 8_079]), [socket(6_379, 1, "06")]);
    const now = [
      socket(6_379, 1, "06"),
      socket(2, 6_379, "06"),
      socket(3, 8_079, "01"),
      socket(8_079, 3, "01"),
      socket(8_079, 4, "06"),
      socket(5, 6, "01"),
    ];
    expect(count(now)).toBe(2);
    const ofOneClient = timeWaitCounter(new Set([6_379]), [], "127.0.0.9");
    const others = [socket(2, 6_379, "06"), socket(2, 6_379, "06", "0900007F")];
    expect(ofOneClient(others)).toBe(1);
  });

  /** Returns a function that reads these lists in turn, the last one repeatedly. A list has the states of the ports 1, 2 and so on. */
  const lists = (states: readonly (readonly string[])[], others: ReturnType<typeof socket>[] = []) => {
    const left = [...states];
    return () => {
      const own = (left.length > 1 ? left.shift()! : left[0]!).map((state, at) =>
        socket(6_379, at + 1, state),
      );
      return own.length === 0 ? others : [...own, ...others];
    };
  };

  test("a server's sockets are followed until they have left FIN_WAIT_2, without others that were there before", async () => {
    const other = [socket(6_379, 9, "01"), socket(6_379, 8, "05")];
    const states = [[], ["01", "01"], ["01", "05"], ["04", "05"], ["04", "05"], ["05", "05"], ["05"], []];
    const { closedMs, finWaitMs } = await followClosed(6_379, 10_000, new Set([8, 9]), lists(states, other));
    expect(closedMs).toBeGreaterThan(250);
    expect(finWaitMs).toBeGreaterThan(350);
  });

  test("a socket that stays in FIN_WAIT_2 is followed up to the limit", async () => {
    // FIN_WAIT_1 until the client's kernel acknowledges the FIN.
    const { finWaitMs } = await followClosed(6_379, 20, new Set(), lists([["01"], ["04"], ["04"], ["05"]]));
    expect(finWaitMs).toBeGreaterThanOrEqual(20);
  });
});

describe("a fleet", () => {
  const load = { quiet: 50, burst: 500, burstMs: 500, everyMs: 3_000 };

  test("a fleet's arrivals are determined by the seed, at the requested rates", () => {
    expect(arrivals(load, 6_000, 3)).toEqual(arrivals(load, 6_000, 3));
    expect(arrivals(load, 6_000, 3)).not.toEqual(arrivals(load, 6_000, 4));
    const expected = (500 * 0.5 + 50 * 2.5) * 2;
    expect(arrivals(load, 6_000, 3).length / expected).toBeGreaterThan(0.8);
    expect(arrivals(load, 6_000, 3).length / expected).toBeLessThan(1.2);
  });

  test("a fleet's maximum of concurrent invocations matches a count", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 100 }),
        (given, takes) => {
          const times = [...given].sort((a, b) => a - b);
          const counts = times.map((at) => times.filter((from) => from <= at && at < from + takes).length);
          expect(maxConcurrent(times, takes)).toBe(Math.max(...counts));
        },
      ),
    );
  });

  test("a fleet's model has one connection per instance, up to the platform's and the gateway's limits", () => {
    const facts = { arrivals: [0, 1, 2, 3, 4], workMs: 10, maxInstances: 4, softLimit: 2, hardLimit: 3 };
    expect(predict(facts)).toEqual({
      connectionsUnlimited: 4,
      connectionsLimited: [2, 3],
      evicts: true,
    });
    expect(predict({ ...facts, softLimit: 10, hardLimit: 20 })).toMatchObject({
      connectionsLimited: [4, 4],
      evicts: false,
    });
  });

  describe("with invocations that do not get through", () => {
    /** Runs a fleet of at most one instance against a server with these responses, the last one repeated. */
    const fleetOf = async (responses: readonly string[], arrivals: readonly number[]) => {
      let served = 0;
      const server = createServer((socket) => {
        const response = responses[Math.min(served++, responses.length - 1)]!;
        socket.on("error", () => {}).on("data", () => socket.end(response));
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const target = { port, tls: false, auth: { protocol: "http", token: "t" } } as const;
      const limits = { workMs: 40, lifetimeMs: 1_000, maxInstances: 1, timeoutMs: 60_000, retries: 2 };
      try {
        return (await fleet({ target, arrivals, ...limits, retryAfterMs: 1 })).body;
      } finally {
        server.close();
      }
    };
    const ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";
    const refused = "HTTP/1.1 503 Service Unavailable\r\n\r\n";

    test("a throttled invocation is counted, with the function's timeout as its latency", async () => {
      const { latencies, throttled, failed, instances } = await fleetOf([ok], [0, 1, 2]);
      expect([throttled, failed, instances, latencies.length]).toEqual([2, 0, 1, 3]);
      expect(latencies.filter((ms) => ms === 60_000)).toHaveLength(2);
    });

    test("an invocation that is refused to the end counts with the function's timeout, a retried one with its time", async () => {
      const lost = await fleetOf([refused], [0]);
      expect(lost).toMatchObject({ latencies: [60_000], failed: 1, refusals: 3 });
      const retried = await fleetOf([refused, ok], [0]);
      expect(retried).toMatchObject({ failed: 0, refusals: 1 });
      expect(retried.latencies[0]).toBeLessThan(60_000);
    });
  });

  test("a metric is summed over its labels", () => {
    expect(sumOf('# HELP up x\nup{use="a"} 2\nup{use="b"} 3\nupper 9\n', "up")).toBe(5);
    expect(() => sumOf("", "up")).toThrow("no metric up");
  });
});

test("a gate runs as many tasks at a time as its limit, in order", async () => {
  const gate = new Gate(2);
  let [running, most] = [0, 0];
  const order: number[] = [];
  const task = (name: number) =>
    gate.run(async () => {
      order.push(name);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      if (name === 1) throw new Error("failed");
    });
  const ended = await Promise.allSettled([0, 1, 2, 3, 4].map(task));
  expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect([most, order]).toEqual([2, [0, 1, 2, 3, 4]]);
});

test("a million invocations are priced by duration, requests, commands and bandwidth", () => {
  const { lambda, redis, egress } = costOfMillion({
    ...{ ms: 10, memoryMb: 1_024, commands: 10 },
    ...{ bytes: 1_000, sent: 2_000 },
  });
  expect(lambda).toBeCloseTo(0.2 + 10_000 * 0.000_016_666_7, 9);
  expect(redis).toBeCloseTo(20 + 0.03, 9);
  expect(egress).toBeCloseTo(2 * 0.09, 9);
});

test("dollars have the digits that their interval supports", () => {
  const digits = (low: number, high: number) => supportedDigits({ value: low, low, high, n: 5 });
  expect(digits(0.2187, 0.2199)).toBe(4);
  expect(digits(20.0, 20.05)).toBe(3);
  expect(digits(1.47, 2.27)).toBe(2);
  // At most a hundredth of a cent, even without a width.
  expect([digits(2, 2), digits(0.02, 0.020_001)]).toEqual([4, 4]);
});
