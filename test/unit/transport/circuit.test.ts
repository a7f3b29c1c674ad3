import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { type CircuitOptions, ConnectionError, Redis, type RedisOptions } from "../../../src/index.js";
import { Pool } from "../../../src/transport/node/pool.js";
import { NodeTransport } from "../../../src/transport/node/transport.js";
import { httpResponse, RawEndpoint, resp2Response } from "../../support/endpoint.js";
import { errorOf } from "../../support/error-of.js";
import { forTest } from "../../support/lifetime.js";
import { mulberry32 } from "../../support/model/random.mjs";
import { SEED, scaled } from "../../support/random-tests.js";
import { TestClock } from "../../support/test-clock.js";

// The circuit's rules about time, on a clock that the tests move. Sockets and commands' timeouts are real.

const endpoint = RawEndpoint.forEachTest();
let clock: TestClock;
beforeEach(() => {
  clock = new TestClock();
  endpoint.onRequest = healthy;
});

const healthy: RawEndpoint["onRequest"] = ({ socket }) => void socket.write(resp2Response(":1\r\n"));
const silent: RawEndpoint["onRequest"] = () => {};

function createTransport(options: RedisOptions = {}, pool = new Pool(endpoint.url, undefined, clock)) {
  const probe = { path: "/", headers: {}, body: '["PING"]' };
  const { maxConnections = 64, circuit = {} } = options;
  return new NodeTransport(
    { origin: endpoint.url, keepAlive: true, maxConnections, maxReplySize: 1_024, probe, circuit },
    pool,
  );
}

/** A client whose pool has the test's clock. */
function createClient(options: RedisOptions = {}, pool?: Pool): Redis {
  const client = new Redis({
    url: endpoint.url,
    token: "t",
    timeout: 5_000,
    retry: false,
    enableAutoPipelining: false,
    transport: (_origin, given) => createTransport(given, pool),
    ...options,
  });
  return forTest(client);
}

/** The client with calls that fail after 30 ms of real time. */
const hasty = (redis: Redis) => redis.with({ timeout: 30 });

const pings = () => endpoint.count("PING");

/** Waits for `count` turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

/** Lets sockets and polls of the event loop happen, also where a busy machine runs nothing else meanwhile. */
async function networkEvents(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  await turns(20);
}

/** Moves the clock on by `count` ticks of the check, with network events after each. */
async function ticks(count: number, ms = 50): Promise<void> {
  for (let i = 0; i < count; i++) {
    clock.advance(ms);
    await new Promise((resolve) => setTimeout(resolve, 3));
    await turns(4);
  }
}

/** Lets a call and the check after it fail. */
async function fail(redis: Redis): Promise<void> {
  endpoint.onRequest = silent;
  await expect(hasty(redis).strlen("k")).rejects.toMatchObject({ name: "TimeoutError" });
  await ticks(10);
}

/** Moves the clock on in steps shorter than a tick, with turns of the event loop after each. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 2) {
    clock.advance(Math.min(left, 2));
    await turns(4);
  }
}

/** Fails a call on the pool's clock, as a call without a response does. Returns the ms until the circuit is open. */
async function timeToOpen(transport: NodeTransport, timeout: number): Promise<number> {
  const began = clock.moment();
  for (let waited = 0; waited < timeout; ) {
    const next = transport.onWait(waited, timeout);
    await pass(next - waited);
    waited = next;
  }
  transport.onCallFailed(timeout, true);
  for (let i = 0; i < 1_000 && transport.stats.circuit !== "open"; i++) await pass(10);
  return clock.elapsed(began);
}

const OPEN = { name: "ConnectionError", outcome: "unsent", code: "circuit-open" };

describe("a closed circuit", () => {
  test("a closed circuit opens when a call and a PING beside it get no response", async () => {
    const redis = createClient();
    expect(redis.stats().circuit).toBe("closed");
    endpoint.onRequest = silent;
    await expect(hasty(redis).incr("n")).rejects.toMatchObject({ name: "TimeoutError" });
    await ticks(9);
    expect(redis.stats().circuit).toBe("closed");
    await ticks(1);
    expect(redis.stats().circuit).toBe("open");
    expect(pings()).toBe(1);
    const sent = endpoint.count("INCR");
    const retryAt = clock.moment().wall + 1_000;
    const error = await redis.incr("n").catch((error) => error);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ ...OPEN, command: "INCR", retryAt });
    expect(error.message).toBe(
      `INCR: not sent: ${endpoint.url} does not respond, so the circuit is open; error.retryAt is the time of the next attempt`,
    );
    await expect(redis.strlen("k")).rejects.toMatchObject({ ...OPEN, command: "STRLEN", retryAt });
    const both = await Promise.allSettled([
      redis.pipeline().incr("n").strlen("k").exec(),
      redis.multi().incr("n").exec(),
    ]);
    for (const each of both) expect(each).toMatchObject({ reason: { ...OPEN, retryAt } });
    expect(endpoint.count("INCR")).toBe(sent);
  });

  test("a closed circuit stays closed while a PING beside a slow command gets a response", async () => {
    const redis = createClient();
    endpoint.onRequest = (request) => void (request.body.includes("PING") && healthy(request));
    for (let i = 1; i <= 5; i++) {
      await expect(hasty(redis).strlen("k")).rejects.toMatchObject({ name: "TimeoutError" });
      await ticks(12);
      expect(redis.stats().circuit).toBe("closed");
      expect(pings()).toBe(i);
    }
  });

  test.each([
    ["500", httpResponse("", {}, "500 Internal Server Error")],
    ["503", httpResponse("<html>", { "content-type": "text/html" }, "503 Service Unavailable")],
    ["401", resp2Response("-WRONGPASS\r\n", {}, "401 Unauthorized")],
    ["429", httpResponse("", { "retry-after": "60" }, "429 Too Many Requests")],
  ])("a closed circuit stays closed while responses have status %s", async (_status, response) => {
    endpoint.answer(response);
    const redis = createClient();
    for (let i = 0; i < 5; i++) await expect(redis.strlen("k")).rejects.toThrow();
    await ticks(12);
    expect(redis.stats().circuit).toBe("closed");
    expect(pings()).toBe(0);
  });

  test("a closed circuit opens after resets on every connection", async () => {
    const redis = createClient();
    endpoint.onConnection = (socket) => socket.resetAndDestroy();
    await expect(hasty(redis).strlen("k")).rejects.toThrow();
    await ticks(10);
    await expect(redis.strlen("k")).rejects.toMatchObject(OPEN);
  });

  test("calls after a failed one wait for the result of the check, and are not sent if it has none", async () => {
    const redis = createClient();
    endpoint.onRequest = silent;
    await expect(hasty(redis).strlen("k")).rejects.toMatchObject({ name: "TimeoutError" });
    // The request of a call that has failed may still be on its way.
    await networkEvents();
    const sent = endpoint.count("STRLEN");
    const waiting = Promise.all([redis, redis].map((each) => each.strlen("k").catch((error) => error)));
    await expect(hasty(redis).strlen("k")).rejects.toMatchObject({ name: "TimeoutError", outcome: "unsent" });
    await ticks(10);
    expect(await waiting).toMatchObject([OPEN, OPEN]);
    expect(endpoint.count("STRLEN")).toBe(sent);
  });

  test("calls after a failed one are sent when the PING beside it gets a response", async () => {
    const redis = createClient();
    endpoint.onRequest = ({ body, ...request }) => {
      if (!body.includes("slow")) healthy({ body, ...request });
    };
    await expect(hasty(redis).strlen("slow")).rejects.toMatchObject({ name: "TimeoutError" });
    expect(await redis.strlen("k")).toBe(1);
    expect(pings()).toBe(1);
    expect(redis.stats().circuit).toBe("closed");
  });

  test("calls after a failed one are sent after a thaw, also where a PING would get no response", async () => {
    const redis = createClient();
    endpoint.onRequest = silent;
    await expect(hasty(redis).strlen("k")).rejects.toMatchObject({ name: "TimeoutError" });
    const waiting = redis.strlen("k");
    await networkEvents();
    endpoint.onRequest = (request) => void (!request.body.includes("PING") && healthy(request));
    clock.freeze(2_001);
    expect(await waiting).toBe(1);
    expect(redis.stats().circuit).toBe("closed");
  });

  test("a check's connection that hangs while it opens is closed three seconds after the check", async () => {
    let closed = 0;
    endpoint.onConnection = (socket) => void socket.on("close", () => closed++);
    // A TLS client, to a server that never sends a byte of the handshake.
    const pool = new Pool(endpoint.url.replace("http:", "https:"), undefined, clock);
    createTransport({}, pool).onCallFailed(5_000, true);
    await ticks(10);
    expect(pool.stats.circuit).toBe("open");
    clock.advance(2_999);
    await networkEvents();
    expect([endpoint.connections, closed]).toEqual([1, 0]);
    clock.advance(1);
    await expect.poll(() => closed).toBe(1);
  });

  test("a closed circuit stays closed while the event loop is blocked", async () => {
    const redis = createClient();
    await redis.strlen("k");
    endpoint.onRequest = silent;
    await expect(hasty(redis).strlen("k")).rejects.toThrow();
    endpoint.onRequest = healthy;
    await ticks(4, 900);
    expect(redis.stats().circuit).toBe("closed");
    expect(pings()).toBe(1);
  });

  test("a closed circuit stays closed when a freeze interrupts the check while no connection is idle", async () => {
    const redis = createClient();
    endpoint.onRequest = silent;
    const failing = hasty(redis)
      .strlen("k")
      .catch((error) => error);
    await expect.poll(() => endpoint.count("STRLEN")).toBe(1);
    // Without an idle connection, the pool no longer detects thaws.
    clock.advance(1_000);
    expect(await failing).toMatchObject({ name: "TimeoutError" });
    await ticks(5);
    endpoint.onRequest = healthy;
    clock.freeze(2_001);
    await ticks(12);
    expect(redis.stats().circuit).toBe("closed");
    expect(pings()).toBe(1);
    // The next outage opens it.
    await fail(redis);
    expect(redis.stats().circuit).toBe("open");
  });
});

describe("an open circuit", () => {
  test("an open circuit closes after one PING once the endpoint is back, and calls meanwhile wait for it", async () => {
    const redis = createClient();
    await fail(redis);
    await expect(redis.strlen("k")).rejects.toMatchObject(OPEN);
    clock.advance(1_000);
    const before = pings();
    let answer = () => {};
    endpoint.onRequest = (request) => {
      if (request.body.includes("PING")) answer = () => healthy(request);
      else healthy(request);
    };
    const calls = Promise.all([redis.incr("n"), redis.strlen("k"), redis.incr("n")]);
    await expect.poll(() => pings()).toBe(before + 1);
    expect(redis.stats().circuit).toBe("half-open");
    expect(endpoint.count("INCR")).toBe(0);
    answer();
    expect(await calls).toEqual([1, 1, 1]);
    expect(pings()).toBe(before + 1);
    expect(redis.stats().circuit).toBe("closed");
  });

  test("an open circuit doubles its time after each PING without a response, up to 30 s", async () => {
    const redis = createClient();
    await fail(redis);
    for (const seconds of [2, 4, 8, 16, 30, 30]) {
      const { retryAt } = await redis.strlen("k").catch((error) => error);
      clock.advance(retryAt - clock.moment().wall);
      const waiting = redis.strlen("k").catch((error) => error);
      await ticks(10);
      expect(await waiting).toMatchObject({ ...OPEN, retryAt: clock.moment().wall + seconds * 1_000 });
    }
  });

  test("an open circuit half-opens at once after a thaw, also before a timer fires", async () => {
    const redis = createClient();
    await fail(redis);
    for (let i = 0; i < 6; i++) {
      const { retryAt } = await redis.strlen("k").catch((error) => error);
      clock.advance(retryAt - clock.moment().wall);
      const waiting = redis.strlen("k").catch((error) => error);
      await ticks(10);
      await waiting;
    }
    endpoint.onRequest = healthy;
    clock.setForward(5_000);
    expect(await redis.strlen("k")).toBe(1);
    expect(redis.stats()).toMatchObject({ circuit: "closed", thaws: 1 });
  });

  test("an open circuit whose time has passed leaves no timer", async () => {
    const redis = createClient();
    await fail(redis);
    expect(clock.timers).toBe(1);
    clock.advance(2_000);
    expect(clock.timers).toBe(0);
  });

  test("the cause of an open circuit is the error that opened it", async () => {
    const redis = createClient();
    endpoint.onConnection = (socket) => socket.resetAndDestroy();
    const { cause } = await errorOf(hasty(redis).strlen("k"));
    expect(cause).toBeInstanceOf(Error);
    await ticks(10);
    const error = await redis.strlen("k").catch((error) => error);
    expect(error).toMatchObject({ ...OPEN, cause: { name: "Error", cause: { message: cause.message } } });
  });

  test("ready() opens no connection while a circuit is open, and checks the next one", async () => {
    const redis = createClient();
    await fail(redis);
    const before = endpoint.connections;
    await redis.ready();
    expect(endpoint.connections).toBe(before);
    clock.advance(1_000);
    endpoint.onRequest = healthy;
    await redis.ready();
    expect(redis.stats().circuit).toBe("closed");
  });

  test("calls that wait for a connection when it opens are not sent", async () => {
    const pool = new Pool(endpoint.url, undefined, clock);
    const redis = createClient({ maxConnections: 1 }, pool);
    endpoint.onRequest = silent;
    const written = redis.incr("a").catch((error) => error);
    const waiting = redis.incr("b").catch((error) => error);
    const heedless = createClient({ maxConnections: 1, timeout: 300, circuit: false }, pool);
    const patient = heedless.incr("c").catch((error) => error);
    await networkEvents();
    createTransport({}, pool).onCallFailed(300, true);
    await ticks(10);
    expect(await waiting).toMatchObject(OPEN);
    expect(await patient).toMatchObject({ name: "TimeoutError", outcome: "unsent" });
    expect(endpoint.count('"b"')).toBe(0);
    for (const { socket } of endpoint.requests) socket.destroy();
    expect(await written).toMatchObject({ name: "UnknownOutcomeError" });
  });

  test("any response closes the circuit, also a late one to the PING that opened it", async () => {
    const redis = createClient();
    await fail(redis);
    healthy(endpoint.requests.find(({ body }) => body.includes("PING"))!);
    await expect.poll(() => redis.stats().circuit).toBe("closed");
    endpoint.onRequest = healthy;
    expect(await redis.strlen("k")).toBe(1);
  });

  test("a call that waits for the PING keeps its own timeout and signal", async () => {
    const redis = createClient();
    await fail(redis);
    clock.advance(1_000);
    const controller = new AbortController();
    const aborted = redis.with({ signal: controller.signal }).strlen("k");
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await expect(hasty(redis).strlen("k")).rejects.toMatchObject({
      name: "TimeoutError",
      outcome: "unsent",
    });
  });

  test("an open circuit is shared by all clients of the origin, except those without a circuit", async () => {
    const pool = new Pool(endpoint.url, undefined, clock);
    await fail(createClient({}, pool));
    await expect(createClient({}, pool).strlen("k")).rejects.toMatchObject(OPEN);
    endpoint.onRequest = healthy;
    expect(await createClient({ circuit: false }, pool).strlen("k")).toBe(1);
    expect(createClient({}, pool).stats().circuit).toBe("closed");
  });

  test("changes of the circuit are published with the origin and the time of the next attempt", async () => {
    const heard: unknown[] = [];
    const listener = (message: unknown) => heard.push(message);
    subscribe("warmline:circuit", listener);
    onTestFinished(() => void unsubscribe("warmline:circuit", listener));
    const redis = createClient({ circuit: { resetTimeout: 7_000 } });
    await fail(redis);
    const retryAt = clock.moment().wall + 7_000;
    clock.advance(7_000);
    endpoint.onRequest = healthy;
    await redis.strlen("k");
    const origin = endpoint.url;
    expect(heard).toEqual([
      { origin, state: "open", retryAt },
      { origin, state: "half-open" },
      { origin, state: "closed" },
    ]);
  });
});

test.each<[string, number, RedisOptions, openTook?: number]>([
  ["by default", 10_000, {}],
  ["with a timeout of 1 s", 1_000, {}],
  ["with a timeout of 160 ms", 160, {}],
  ["with a probeTimeout of 2 s", 10_000, { circuit: { probeTimeout: 2_000 } }],
  ["with a probeTimeout of 2 s and a timeout of 1 s", 1_000, { circuit: { probeTimeout: 2_000 } }],
  ["where connecting takes 188 ms, with a timeout of 1.5 s", 1_500, {}, 188],
  ["where connecting takes 30 ms, with a timeout of 200 ms", 200, {}, 30],
])("a circuit is open after at most 1.05 timeouts %s", async (_case, timeout, options, openTook = 0) => {
  const pool = new Pool(endpoint.url, undefined, clock);
  pool.openTook = openTook;
  endpoint.onRequest = silent;
  expect(await timeToOpen(createTransport(options, pool), timeout)).toBeLessThanOrEqual(1.05 * timeout);
});

test("the fetch entry has no circuit, and refuses its options", () => {
  const create = (circuit: CircuitOptions | false) =>
    new FetchRedis({ url: "http://localhost", token: "t", circuit });
  expect(() => create({})).toThrow('tls, proxy and circuit need the entry "warmline", which runs on Node');
  expect(create(false).stats().circuit).toBe("closed");
});

test("random freezes with a healthy server never open the circuit", {
  tags: "random",
  timeout: 60_000,
}, async () => {
  const next = mulberry32(SEED);
  const freezes = scaled(10_000);
  const pool = new Pool(endpoint.url, undefined, clock);
  const transport = createTransport({}, pool);
  let responses = 0;
  // A middlebox drops the flows of connections up to this number.
  let dropped = 0;
  endpoint.onRequest = (request) => request.connection > dropped && healthy(request);
  const command = () => {
    const repeatable = next() < 0.5;
    const listener = {
      label: "GET",
      numberIfNeeded: () => repeatable,
      take: () => ({ path: "/", headers: {}, body: '["GET","k"]' }),
      onStart() {},
      onResponse: () => responses++,
      onFailure() {},
    };
    return transport.attempt(listener);
  };
  let commands = 0.8;
  for (let i = 0; i < freezes; i++) {
    // For a while hardly any command is sent, whose response would close the circuit.
    if (i % 25 === 0) commands = next() < 0.5 ? 0.8 : 0.05;
    const attempt = next() < commands ? command() : undefined;
    await turns(next() * 4);
    const short = next() < 0.5;
    if (!short && pool.circuit.alarmed) dropped = endpoint.connections;
    clock.freeze(short ? next() * 1_500 : 2_001 + next() * 400_000);
    // Timers of calls are late after a freeze, and may fire before its thaw is detected.
    if (next() < 0.5) transport.onWait(999, 1_000);
    if (next() < 0.5) {
      attempt?.abort();
      transport.onCallFailed(1_000, true);
    }
    if (next() < 0.7) {
      await turns(next() * 6);
      clock.advance(next() * 60);
    }
    if (pool.circuit.state !== "closed") expect.fail(`open after ${i + 1} freezes`);
  }
  expect(responses).toBeGreaterThan(freezes / 10);
  transport.close();
});
