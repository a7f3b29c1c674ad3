import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advise } from "../../../bench/src/advise/advice.js";
import {
  type Evidence,
  estimate,
  type FunctionEstimate,
} from "../../../bench/src/advise/function-estimate.js";
import { between, times } from "../../../bench/src/advise/intervals.js";
import { httpResponse, redisReply } from "../../../bench/src/client/raw-connection.js";
import { arrivals, maxConcurrent } from "../../../bench/src/fleet/arrivals.js";
import { sumOf } from "../../../bench/src/fleet/metrics.js";
import { predict } from "../../../bench/src/fleet/model.js";
import { handler as fleet } from "../../../bench/src/handlers/fleet.js";
import { costOfGateway, costOfMillion, GATEWAY } from "../../../bench/src/results/prices.js";
import type { Question } from "../../../bench/src/runner/question.js";
import { driveRequests } from "../../../bench/src/sockets/drive.js";
import { followClosed } from "../../../bench/src/sockets/follow.js";
import {
  parseSockets,
  SocketCounter,
  SocketPeaks,
  sharedSockets,
} from "../../../bench/src/sockets/kernel.js";
import { rangesOfSlots, slotOf, slotRanges } from "../../../bench/src/sockets/slots.js";
import { Gate } from "../../../bench/src/util/gate.js";

describe("a plain socket", () => {
  test("a plain socket returns a Redis reply once it is complete", () => {
    expect(redisReply("+OK\r\n")).toBe("OK");
    expect(redisReply("$5\r\nhel")).toBeUndefined();
    expect(redisReply("$5\r\nhello\r\n")).toBe("hello");
    expect(redisReply("$-1\r\n")).toBe("-1");
    expect(redisReply("$5")).toBeUndefined();
    const slots = "*1\r\n*3\r\n:0\r\n:5460\r\n*2\r\n$9\r\n127.0.0.1\r\n:7001\r\n";
    expect(redisReply(slots)).toBe('[["0","5460",["127.0.0.1","7001"]]]');
    for (let length = 0; length < slots.length; length++)
      expect(redisReply(slots.slice(0, length))).toBeUndefined();
    expect(() => redisReply("-WRONGPASS no\r\n")).toThrow("WRONGPASS no");
  });

  test("a plain socket returns the body of an HTTP response once it is complete", () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
    expect(httpResponse(head.slice(0, 20))).toBeUndefined();
    expect(httpResponse(`${head}ab`)).toBeUndefined();
    expect(httpResponse(`${head}abcd`)).toBe("abcd");
    expect(() => httpResponse("HTTP/1.1 503 Service Unavailable\r\n\r\n")).toThrow("503");
    expect(() => httpResponse("HTTP/1.1 200 OK\r\n\r\n")).toThrow("Content-Length");
  });
});

const SOCKET = {
  localAddress: "0100007F",
  remoteAddress: "0100007F",
  localPort: 1,
  remotePort: 2,
  state: "01",
};

describe("the kernel's sockets", () => {
  test("the kernel's sockets are read once for all counters until the list is too old", () => {
    let reads = 0;
    const read = () => [{ ...SOCKET, localPort: ++reads }];
    const shared = sharedSockets(60_000, read);
    expect([shared(), shared()]).toEqual([[{ ...SOCKET, localPort: 1 }], [{ ...SOCKET, localPort: 1 }]]);
    const fresh = sharedSockets(0, read);
    expect([fresh()[0]!.localPort, fresh()[0]!.localPort]).toEqual([2, 3]);
  });

  test("requests at a fixed rate that lag count by the time that they took, without the first one", async () => {
    const counts = { clientTimeWait: 0, clientEstablished: 0, serverTimeWait: 0, serverEstablished: 0 };
    const request = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return 2;
    };
    const { closed, elapsedS, latencies } = await driveRequests(request, 100, 0.05, { count: () => counts });
    expect([closed, latencies.length]).toEqual([10, 5]);
    expect(elapsedS).toBeGreaterThan(0.09);
  });

  test("the kernel's sockets have ports and states for IPv4 and IPv6 addresses", () => {
    const text =
      "  sl  local_address rem_address   st tx_queue\n" +
      "   0: 0100007F:1F90 0100007F:C350 06 00000000:00000000 03:00000F45 0 0 0\n" +
      "   1: 0000000000000000FFFF00000100007F:0050 0000000000000000FFFF00000100007F:FFFF 01 0 0\n";
    const V6 = "0000000000000000FFFF00000100007F";
    expect(parseSockets(text)).toEqual([
      {
        localAddress: "0100007F",
        remoteAddress: "0100007F",
        localPort: 8_080,
        remotePort: 50_000,
        state: "06",
      },
      { localAddress: V6, remoteAddress: V6, localPort: 80, remotePort: 65_535, state: "01" },
    ]);
  });

  const socket = (localPort: number, remotePort: number, state: string, localAddress = "0100007F") => ({
    localAddress,
    remoteAddress: "0100007F",
    localPort,
    remotePort,
    state,
  });

  test("the kernel's sockets are counted by side and state, without earlier ones", () => {
    const counter = new SocketCounter(new Set([6_379]), [socket(6_379, 1, "06")]);
    counter.ports.add(8_079);
    const now = [
      socket(6_379, 1, "06"),
      socket(2, 6_379, "06"),
      socket(3, 8_079, "01"),
      socket(8_079, 3, "01"),
      socket(8_079, 4, "06"),
      socket(5, 6, "01"),
    ];
    expect(counter.count(now)).toEqual({
      clientTimeWait: 1,
      clientEstablished: 1,
      serverTimeWait: 1,
      serverEstablished: 1,
    });
    const one = new SocketCounter(new Set([6_379]), [], "127.0.0.9");
    const others = [socket(2, 6_379, "06"), socket(2, 6_379, "06", "0900007F")];
    expect(one.count(others)).toMatchObject({ clientTimeWait: 1, serverTimeWait: 0 });
  });

  test("a server's sockets are followed until they have left FIN_WAIT_2, without later ones and other servers'", async () => {
    const other = [socket(6_379, 9, "01"), socket(8_079, 2, "05"), socket(2, 6_379, "08")];
    const states = [["01", "01"], ["01", "05"], ["04", "05"], ["04", "05"], ["05", "05"], ["05"], []];
    let reads = 0;
    const read = () => {
      const own = (states.shift() ?? []).map((state, at) => socket(6_379, at + 1, state));
      return reads++ === 0 ? own : [...own, ...other];
    };
    const { closedMs, finWaitMs } = await followClosed(6_379, 10_000, new Set(), read);
    expect(states).toEqual([]);
    expect(Math.min(closedMs, finWaitMs)).toBeGreaterThan(50);
    await expect(followClosed(6_379, 10_000, new Set(), () => other.slice(1))).rejects.toThrow(
      "The server on port 6379 has no connection to follow.",
    );
  });

  test("a socket that stays in FIN_WAIT_2 is followed up to the limit", async () => {
    // FIN_WAIT_1 until the client's kernel acknowledges the FIN.
    const states = ["01", "04", "04", "05"];
    const read = () => [socket(6_379, 1, states.length > 1 ? states.shift()! : states[0]!)];
    const { finWaitMs } = await followClosed(6_379, 20, new Set(), read);
    expect(finWaitMs).toBeGreaterThanOrEqual(20);
  });

  test("sockets in ESTABLISHED at Redis and at the gateway are counted apart, those in TIME_WAIT together", () => {
    const peaks = new SocketPeaks(
      new SocketCounter(new Set([6_379]), []),
      new SocketCounter(new Set([8_079]), []),
    );
    const established = [socket(6_379, 1, "01"), socket(8_079, 2, "01"), socket(8_079, 3, "01")];
    expect(peaks.count(established)).toMatchObject({ serverEstablished: 1, serverTimeWait: 0 });
    const waiting = [socket(4, 6_379, "06"), socket(8_079, 5, "06"), socket(6, 8_079, "06")];
    expect(peaks.count(waiting)).toMatchObject({
      serverEstablished: 0,
      serverTimeWait: 1,
      clientTimeWait: 2,
    });
    expect(peaks.establishedAtGateway).toBe(2);
  });

  test("the slots of keys and nodes match Redis", () => {
    // CLUSTER KEYSLOT of Redis gives these.
    expect([slotOf("foo"), slotOf("bar"), slotOf("somekey")]).toEqual([12_182, 5_061, 11_058]);
    const nodes =
      "a 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460 16383\n" +
      "b 127.0.0.1:7002@17002,host master - 0 0 2 connected 5461-16382 [77->-c]\n" +
      "c 127.0.0.1:7003@17003 slave a 0 0 1 connected\n";
    const ranges = [
      { from: 0, to: 5_460, port: 7_001 },
      { from: 16_383, to: 16_383, port: 7_001 },
      { from: 5_461, to: 16_382, port: 7_002 },
    ];
    expect(slotRanges(nodes)).toEqual(ranges);
    const reply = ranges.map(
      ({ from, to, port }) => [String(from), String(to), ["127.0.0.1", String(port)]] as const,
    );
    expect(rangesOfSlots(reply)).toEqual(ranges);
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
      instances: 4,
      connectionsUnlimited: 4,
      connectionsLimited: [2, 3],
      evicts: true,
      refuses: true,
    });
    expect(predict({ ...facts, softLimit: 10, hardLimit: 20 })).toMatchObject({
      connectionsLimited: [4, 4],
      evicts: false,
      refuses: false,
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
  expect(ended.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
  expect([most, order]).toEqual([2, [0, 1, 2, 3, 4]]);
});

describe("advice", () => {
  const question: Question = {
    memoryMb: 512,
    ops: 3,
    rttMs: 2,
    concurrency: 200,
    maxConnections: 1_000,
    tls: false,
    upstash: false,
    perMonth: undefined,
  };
  /** An estimate with an interval of a tenth to both sides. */
  const about = (value: number) => ({ value, low: value * 0.9, high: value * 1.1, n: 5 });
  const zero = { value: 0, low: 0, high: 0, n: 5 };
  const http: FunctionEstimate = {
    label: "warmline",
    warm: about(3),
    connect: about(4),
    reused: about(9),
    ephemeral: about(13),
    pipelined: about(3.2),
    start: about(100),
    afterFreeze: about(2),
    perInvocation: about(12),
    dollars: { lambda: about(0.5), redis: zero, egress: zero, total: about(0.5) },
    reuseSaves: zero,
    pipelineSaves: zero,
    lostAfterFreeze: { lost: 0, calls: 9 },
    beyond: [],
  };
  const tcp: FunctionEstimate = {
    ...http,
    label: "ioredis",
    reused: about(6),
    perInvocation: about(8),
    lostAfterFreeze: { lost: 4, calls: 9 },
  };
  const responses = (...args: Parameters<typeof advise>) =>
    advise(...args).map(({ answer: response }) => response);

  test("advice interpolates between measurements and extrapolates beyond them", () => {
    const points = [[0, about(1)] as const, [2, about(3)] as const, [20, about(30)] as const];
    const at = (place: number) => between(points, place).value;
    expect([at(1), at(2), at(11), at(38)]).toEqual([2, 3, 16.5, 57]);
    expect(between([[5, about(7)]], 100).value).toBe(7);
    // Beyond them the interval grows.
    expect(between(points, 38)).toMatchObject({ low: 2 * 27 - 3.3, high: 2 * 33 - 2.7 });
    expect(times(about(10), -1)).toMatchObject({ value: -10, low: -11, high: -9 });
  });

  test("advice estimates larger functions like the largest measured one, and no start faster for a longer round trip", () => {
    const of = (data: object[], settings = {}) => ({
      data: data.map((row) => ({ client: "warmline", ...row })),
      settings,
    });
    const numbers = (value: number) => ({ p50: about(value), mean: about(value) });
    const time = (value: number) => ({ warm: numbers(value) });
    const size = (memoryMb: number, init: number) =>
      [true, false].map((reused) => ({
        memoryMb,
        reused,
        start: numbers(init + 3),
        ...time(reused ? 2 : 4),
      }));
    const evidence: Evidence = new Map([
      ["memory", of([...size(128, 1_600), ...size(1_769, 300), ...size(3_008, 97)], { rttMs: 1 })],
      [
        "distance",
        of(
          [0, 20].flatMap((rttMs) =>
            [true, false].map((keepAlive) => ({
              label: "warmline",
              tls: false,
              rttMs,
              keepAlive,
              ...time((keepAlive ? 1 : 2) * (rttMs + 1)),
            })),
          ),
        ),
      ],
      [
        "sequential",
        of([
          { name: "one", keepAlive: true, commands: 1, ...time(1) },
          { name: "pipeline", keepAlive: true, commands: 10, ...time(2) },
        ]),
      ],
    ]);
    const start = (memoryMb: number, rttMs: number) =>
      estimate(evidence, { ...question, memoryMb, rttMs }, "warmline")!.start.value;
    expect(start(10_240, 1)).toBe(100);
    expect(start(3_008, 1)).toBe(100);
    // Connecting and the command: two round trips.
    expect(start(10_240, 101)).toBe(300);
    // Half the processor of the smallest that was measured: longer, and not by a step of a straight line.
    expect(start(64, 1)).toBeGreaterThan(2_800);
    expect(start(256, 1)).toBeCloseTo(300 + 3 + (1_300 * (1 / 256 - 1 / 1_769)) / (1 / 128 - 1 / 1_769), 6);
  });

  test("advice weighs starts, writes after a freeze, lost calls and dollars, with intervals", () => {
    const series = (rows: object[], settings = {}) => ({
      data: rows.map((row) => ({ client: "warmline", label: "warmline", ...row })),
      settings,
    });
    const time = (value: number) => ({ warm: { p50: about(value), mean: about(value) } });
    const pause = (idleS: number, frozen: boolean, ms: number) => ({
      ...{ command: "set", idleS, frozen },
      latencies: { p50: about(ms), mean: about(ms) },
    });
    const counts = (values: number[]) => ({ values });
    const lost = { limitS: 60, calls: counts([5]), failed: counts([1]), hung: counts([2]) };
    const distance = [true, false].map((keepAlive) => ({ tls: false, rttMs: 1, keepAlive, ...time(2) }));
    const size = [true, false].map((reused) => ({
      ...{ memoryMb: 512, reused, start: { p50: about(200), mean: about(200) } },
      ...time(2),
    }));
    const evidence: Evidence = new Map([
      ["distance", series(distance)],
      ["memory", series(size, { rttMs: 1 })],
      [
        "sequential",
        series([
          { name: "one", keepAlive: true, commands: 1, ...time(2) },
          { name: "pipeline", keepAlive: true, commands: 10, ...time(3) },
        ]),
      ],
      ["idle", series([pause(0, false, 2), pause(2, true, 9), pause(60, true, 4)], { rttMs: 1 })],
      ["zombie", series([lost, { ...lost, limitS: 310 }])],
    ]);
    const own = estimate(evidence, { ...question, rttMs: 1 }, "warmline")!;
    // Three commands of 2 ms, a hundredth of a start of 200 ms, 2 ms after the longest freeze.
    expect(own.perInvocation.value).toBeCloseTo(6 + 2 + 2, 9);
    expect(own.perInvocation.low).toBeLessThan(own.perInvocation.value);
    const { total, redis, egress } = own.dollars;
    expect(total.value).toBeCloseTo(0.2 + 10_000 * 0.5 * 0.000_016_666_7, 9);
    expect(total.high).toBeGreaterThan(total.value);
    expect([redis.value, egress.value]).toEqual([0, 0]);
    expect(own.lostAfterFreeze).toEqual({ lost: 3, calls: 5 });
    expect(own.beyond).toEqual([]);
    const far = estimate(evidence, { ...question, rttMs: 5, memoryMb: 64 }, "warmline")!;
    expect(far.afterFreeze!.value).toBeCloseTo(10, 9);
    expect(far.beyond).toEqual([
      "a round trip of 5 ms is beyond the measured 1 to 1 ms",
      "a function of 64 MB is beyond the measured 512 to 512 MB",
    ]);
  });

  describe("prices", () => {
    const series = (rows: object[], settings: object = { rttMs: 1 }) => ({
      data: rows.map((row) => ({ client: "warmline", label: "warmline", ...row })),
      settings: settings as Record<string, unknown>,
    });
    const numbers = (value: number) => ({ p50: about(value), mean: about(value) });
    const exact = (value: number) => {
      const same = { value, low: value, high: value, n: 5 };
      return { p50: same, mean: same };
    };
    const wire = { sent: 100, received: 200, sentBefore: 1_000, receivedBefore: 3_000 };
    const evidenceOf = (settings?: object): Evidence =>
      new Map([
        [
          "distance",
          series(
            [true, false].map((keepAlive) => ({
              ...{ tls: true, rttMs: 1, keepAlive, warm: numbers(2) },
            })),
            settings,
          ),
        ],
        [
          "memory",
          series(
            [true, false].map((reused) => ({
              ...{ memoryMb: 512, reused, start: numbers(200), warm: numbers(2) },
            })),
          ),
        ],
        [
          "sequential",
          series([
            { name: "one", keepAlive: true, commands: 1, warm: numbers(2) },
            { name: "pipeline", keepAlive: true, commands: 10, warm: numbers(3) },
          ]),
        ],
        [
          "bytes",
          series(
            [false, true].map((tls) => ({
              tls,
              ...Object.fromEntries(
                Object.entries(wire).map(([name, value]) => [name, exact(tls ? value : 1)]),
              ),
            })),
          ),
        ],
        [
          "cost",
          series([
            { commands: 1, how: "sequential", sent: exact(110), received: exact(210) },
            { commands: 10, how: "sequential", sent: exact(1_100), received: exact(2_100) },
            { commands: 10, how: "pipeline", sent: exact(200), received: exact(390) },
          ]),
        ],
      ]);
    const asked = { ...question, rttMs: 1, tls: true, upstash: true };

    test("advice prices commands, bytes on the wire and handshakes at Upstash, and none of them at one's own Redis", () => {
      const { dollars, reuseSaves, pipelineSaves } = estimate(evidenceOf(), asked, "warmline")!;
      // Three commands, and a hundredth of a handshake.
      expect(dollars.redis.value).toBeCloseTo(3 * 2 + ((3 * 200 + 30) / 1_000) * 0.03, 9);
      expect(dollars.egress.value).toBeCloseTo(((3 * 100 + 10) / 1_000) * 0.09, 9);
      const sum = dollars.lambda.value + dollars.redis.value + dollars.egress.value;
      expect(dollars.total.value).toBeCloseTo(sum, 9);
      // Connecting takes no time here, so only the handshake's bytes remain.
      expect(reuseSaves.low).toBeCloseTo(3 * 0.03 + 0.09, 9);
      // A further command takes 10 and 20 bytes in a pipeline, and 100 and 200 without.
      const time = 10_000 * 0.5 * 0.000_016_666_7 * ((6 - (2 + 2 / 9)) / 10);
      expect(pipelineSaves.value).toBeCloseTo(time + 2 * (0.18 * 0.03 + 0.09 * 0.09), 9);
      const own = estimate(evidenceOf(), { ...asked, upstash: false }, "warmline")!;
      expect([own.dollars.redis.value, own.dollars.egress.value, own.reuseSaves.value]).toEqual([0, 0, 0]);
    });

    test("a quick result decides nothing, however many repetitions it has", () => {
      const [full, quick] = [{ rttMs: 1 }, { rttMs: 1, quick: true }].map(
        (settings) => estimate(evidenceOf(settings), asked, "warmline")!,
      );
      for (const each of ["reused", "ephemeral", "pipelined", "perInvocation", "reuseSaves"] as const)
        expect([full![each].n, quick![each].n], each).toEqual([5, 1]);
      expect(quick!.dollars.total.n).toBe(1);
    });
  });

  test("advice lets calls that are lost decide if time does not, and else the dollars", () => {
    const small = { value: 9, low: 8.9, high: 9.1, n: 5 };
    const priced = (total: number) => ({ ...http.dollars, total: about(total) });
    const one = { ...http, perInvocation: small, dollars: priced(0.5) };
    const other = { ...one, label: "ioredis" };
    const protocol = (own: FunctionEstimate, tcpOne: FunctionEstimate, more = {}) =>
      advise({ ...question, ...more }, own, tcpOne)[1]!;
    const losing = { ...other, lostAfterFreeze: { lost: 4, calls: 9 }, dollars: priced(0.1) };
    expect(protocol(one, losing)).toMatchObject({
      answer: "HTTP.",
      reason: expect.stringMatching(/^neither is much faster, and over TCP more calls are lost/),
    });
    expect(protocol({ ...losing, label: "warmline" }, other).answer).toBe(
      "TCP, if the function can reach Redis.",
    );
    expect(protocol(one, { ...other, dollars: priced(0.3) })).toMatchObject({
      answer: "TCP, if the function can reach Redis.",
      reason: expect.stringMatching(
        /^neither is much faster, and TCP costs \$0\.20 \(\$0\.12 to \$0\.28\) less/,
      ),
    });
    const dear = { ...other, dollars: priced(0.9) };
    expect(protocol(one, dear, { upstash: true }).reason).toMatch(/^neither .* HTTP costs \$0\.40 /);
    // Without the gateway's price HTTP may cost more.
    expect(protocol(one, dear).reason).toContain("which costs less is open");
    expect(protocol(one, other).reason).toMatch(/^neither is much faster, and which costs less is open/);
    // Ten million invocations share the gateway's price; a billion hardly have it.
    expect(protocol(one, other, { perMonth: 1e7 }).reason).toMatch(
      /TCP costs \$4\.53 .* and the gateway \$4\.53$/,
    );
    expect(protocol(one, other, { perMonth: 1e9 }).reason).toContain("which costs less is open");
    expect(protocol(one, other, { perMonth: 1e7, upstash: true }).reason).toContain(
      "which costs less is open",
    );
    const fast = { ...other, perInvocation: { value: 6, low: 5.9, high: 6.1, n: 5 }, dollars: priced(2) };
    expect(protocol(one, fast).reason).toMatch(/^TCP takes 3\.00 ms/);
  });

  test("advice names the cost where it decides about reusing and about a pipeline, and the price of a gateway", () => {
    const exact = (value: number) => ({ value, low: value, high: value, n: 5 });
    const cheap = { ...http, reused: exact(9), ephemeral: exact(9.1), pipelined: exact(8.9) };
    const saving = { ...cheap, reuseSaves: about(0.02), pipelineSaves: about(0.01) };
    expect(responses(question, cheap, undefined).slice(0, 3)).toEqual([
      expect.stringMatching(/^Either/),
      "HTTP.",
      expect.stringMatching(/^Either/),
    ]);
    expect(responses(question, saving, undefined)).toMatchObject({
      0: "Reuse: it saves little time, but costs less.",
      2: "Yes: a pipeline saves little time, but costs less.",
    });
    const gateway = (more: object) => advise({ ...question, ...more }, http, undefined)[3]!;
    expect(gateway({}).reason).toMatch(/costs \$\d+\.\d\d a month \(--per-month N spreads that/);
    expect(gateway({ perMonth: 1e6 }).reason).toMatch(/\(\$\d+\.\d\d per million invocations\)$/);
    expect(gateway({ upstash: true })).toMatchObject({
      answer: "No.",
      reason: "Upstash has an HTTP endpoint",
    });
  });

  test("advice prices the gateway of gateway/deploy/ecs.yaml", () => {
    const template = readFileSync(new URL("../../../gateway/deploy/ecs.yaml", import.meta.url), "utf8");
    const of = (pattern: RegExp) => Number(pattern.exec(template)![1]);
    expect(GATEWAY).toEqual({
      tasks: of(/Tasks:\n {4}Type: Number\n {4}Default: (\d+)/),
      vcpus: of(/Cpu: "(\d+)"/) / 1_024,
      gb: of(/Memory: "(\d+)"/) / 1_024,
    });
    expect(template).toContain("CpuArchitecture: ARM64");
    // Two halves of a processor, two GB and a load balancer, for 730 hours.
    expect(costOfGateway()).toBeCloseTo(730 * (0.032_38 + 2 * 0.003_56 + 0.022_5), 9);
  });

  test("advice recommends TCP if it is faster and the connections fit, else HTTP", () => {
    expect(responses(question, http, tcp)).toEqual([
      expect.stringMatching(/^Reuse: create/),
      expect.stringMatching(/^TCP, if Redis and every device .* else HTTP, since calls are lost/),
      expect.stringMatching(/^Yes: run/),
      "No.",
    ]);
    const { reason } = advise(question, http, tcp)[1]!;
    expect(reason).toContain("4 of 9 calls after a freeze lost");
    expect(reason).toContain("a start 100.00 ms (90.00 ms to 110.00 ms)");
    expect(reason).toContain("the first write after a freeze 2.00 ms");
    expect(reason).toContain("$0.50 ($0.45 to $0.55) per million invocations");
    expect(responses(question, http, { ...tcp, lostAfterFreeze: undefined })[1]).toBe(
      "TCP, if the function can reach Redis.",
    );
    const crowded = advise({ ...question, concurrency: 600 }, http, tcp);
    expect(crowded[1]!.answer).toMatch(/^HTTP/);
    expect(crowded[1]!.reason).toContain("up to 1200 connections");
    expect(crowded[3]!.answer).toMatch(/^Yes/);
  });

  test("advice recommends HTTP without TCP measurements or for a small difference, and no pipeline for one command", () => {
    expect(responses(question, http, undefined)[1]).toBe("HTTP.");
    const close = advise(question, http, { ...tcp, perInvocation: about(11) })[1]!;
    expect([close.answer, close.reason]).toEqual(["HTTP.", expect.stringContaining("leave open which")]);
    const slow = advise(question, http, { ...tcp, perInvocation: about(30) })[1]!;
    expect(slow.reason).toMatch(/^HTTP takes 18\.00 ms/);
    expect(responses({ ...question, ops: 1 }, http, tcp)[2]).toMatch(/^No/);
    const once = (each: FunctionEstimate) => ({ ...each, perInvocation: { ...each.perInvocation, n: 1 } });
    expect(advise(question, once(http), once(tcp))[1]!.reason).toContain("leave open which");
    const exact = (value: number) => ({ value, low: value, high: value, n: 5 });
    const sure = { ...http, reused: exact(9) };
    expect(responses(question, { ...sure, ephemeral: exact(9.1) }, undefined)[0]).toMatch(/^Either/);
    expect(responses(question, { ...http, ephemeral: about(10) }, undefined)[0]).toMatch(
      /^Reuse, to be safe/,
    );
  });
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
