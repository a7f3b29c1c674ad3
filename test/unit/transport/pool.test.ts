import { beforeEach, describe, expect, test, vi } from "vitest";
import { Redis, type RedisOptions } from "../../../src/index.js";
import { getPool, Pool } from "../../../src/transport/node/pool.js";
import { NodeTransport } from "../../../src/transport/node/transport.js";
import { createNodeTransportOptions } from "../../../src/transport/node/transport-options.js";
import { jsonResponse, RawEndpoint, resp2Response } from "../../support/endpoint.js";
import { forTest } from "../../support/lifetime.js";
import { TestClock } from "../../support/test-clock.js";

// The pool's rules about time, on a clock that the tests move. Sockets and commands' timeouts are real.

const endpoint = RawEndpoint.forEachTest();
let clock: TestClock;
beforeEach(() => {
  clock = new TestClock();
  endpoint.onRequest = reply();
});

/** A client whose pool has the test's clock. */
function createClient(options: RedisOptions = {}): Redis {
  const probe = { path: "/", headers: {}, body: '["PING"]' };
  const client = new Redis({
    url: endpoint.url,
    token: "t",
    timeout: 5_000,
    enableAutoPipelining: false,
    transport: (origin, own, maxReplySize) =>
      new NodeTransport(
        createNodeTransportOptions(origin, own, maxReplySize, probe),
        new Pool(origin, undefined, clock),
      ),
    ...options,
  });
  return forTest(client);
}

function reply(headers: Record<string, string> = {}) {
  return ({ socket }: { socket: RawEndpoint["requests"][number]["socket"] }) =>
    void socket.write(resp2Response(":1\r\n", headers));
}

/** Replies on connections above this number; drops all bytes of the others, as after a middlebox has dropped the flows. */
function dropUpTo(dropped: number): void {
  endpoint.onRequest = (request) => request.connection > dropped && reply()(request);
}

const arrived = (count: number) => expect.poll(() => endpoint.requests.length).toBe(count);
const connected = (count: number) => expect.poll(() => endpoint.connections).toBe(count);

/** Lets sockets and polls of the event loop happen, also where a busy machine runs nothing else meanwhile. */
async function networkEvents(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

test.each([
  ["keepAlive: false", { keepAlive: false }],
  ["WARMLINE_KEEPALIVE=0", {}],
])("with %s every command has a connection of its own", async (name, options) => {
  if (name.endsWith("=0")) vi.stubEnv("WARMLINE_KEEPALIVE", "0");
  const redis = createClient(options);
  for (let i = 0; i < 3; i++) await redis.strlen("k");
  expect(endpoint.connections).toBe(3);
  expect(endpoint.requests[0]!.head).toMatch(/connection: close/i);
});

describe("idle connections", () => {
  test.each([
    ["305 s", {}, 305_000],
    ["a second less than the server's keep-alive timeout", { "keep-alive": "timeout=5" }, 4_000],
    ["a second less than the gateway's keep-alive timeout", { "keep-alive": "timeout=310" }, 309_000],
    ["345 s of a longer keep-alive timeout", { "keep-alive": "timeout=900" }, 345_000],
  ])("an idle connection is closed after %s", async (_limit, headers, ms) => {
    endpoint.onRequest = reply(headers);
    const redis = createClient();
    await redis.strlen("k");
    clock.advance(ms - 1);
    await redis.strlen("k");
    expect(endpoint.connections).toBe(1);
    clock.advance(ms);
    await redis.strlen("k");
    expect(endpoint.connections).toBe(2);
    expect(redis.stats()).toMatchObject({ opened: 2, closed: 1 });
  });

  test("an idle connection carries a write at once for a second, and after a probe from then on", async () => {
    const redis = createClient();
    await redis.strlen("k");
    clock.advance(1_000);
    await redis.incr("n");
    expect(endpoint.count("PING")).toBe(0);
    clock.advance(1_001);
    await redis.incr("n");
    expect(endpoint.count("PING")).toBe(1);
    expect(endpoint.connections).toBe(1);
  });

  test("an idle connection carries a read at once although it is suspect", async () => {
    const redis = createClient();
    await redis.strlen("k");
    clock.advance(200_000);
    await redis.strlen("k");
    expect(endpoint.count("PING")).toBe(0);
    expect(endpoint.connections).toBe(1);
  });
});

describe("suspect connections", () => {
  test("one carries a numbered write at once, and if it was dropped, a fresh one carries the same number", async () => {
    endpoint.onRequest = reply({ "warmline-instance": "process.1" });
    const redis = createClient();
    await redis.strlen("k");
    clock.advance(1_100);
    expect(await redis.incr("n")).toBe(1);
    expect(endpoint.connections).toBe(1);
    clock.advance(1_100);
    dropUpTo(1);
    expect(await clock.settle(redis.incr("n"))).toBe(1);
    expect(endpoint.connections).toBe(2);
    const [first, second, repeat] = endpoint.requests.slice(1).map(({ head }) => head.split(" ")[1]);
    expect([first, second]).toEqual(Array(2).fill(expect.stringMatching(/^\/n\/process\.1\./)));
    expect([second === first, repeat === second]).toEqual([false, true]);
    expect(endpoint.count("PING")).toBe(0);
  });

  test.each(["", "through middleware"])("one carries an exactly-once write at once %s", async (way) => {
    endpoint.answer(jsonResponse('{"result":1}'));
    const redis = createClient({ writes: "exactly-once" });
    if (way) redis.use((request, next) => next(request));
    await redis.strlen("k");
    clock.advance(1_100);
    expect(await redis.incr("n")).toBe(1);
    expect(endpoint.count("PING")).toBe(0);
    expect(endpoint.count("EVAL")).toBe(1);
  });

  test.each([
    [0, 20],
    [50, 200],
    [200, 500],
  ])("a dropped connection that opened in %i ms is raced by a fresh one after %i ms", async (took, delay) => {
    const redis = createClient();
    const first = redis.strlen("k");
    clock.advance(took);
    await first;
    dropUpTo(1);
    clock.advance(1_100);
    const read = redis.strlen("k");
    await arrived(2);
    clock.advance(delay - 1);
    await networkEvents();
    expect(endpoint.connections).toBe(1);
    clock.advance(1);
    expect(await read).toBe(1);
    expect(endpoint.connections).toBe(2);
    expect(redis.stats()).toMatchObject({ opened: 2, closed: 1 });
  });

  test("a dropped connection is raced again 500 ms after the fresh one was refused", async () => {
    const redis = createClient();
    await redis.strlen("k");
    dropUpTo(2);
    endpoint.onConnection = (socket, connection) => connection === 2 && socket.resetAndDestroy();
    clock.advance(1_100);
    const write = redis.incr("n");
    await arrived(2);
    clock.advance(20);
    await connected(2);
    await networkEvents();
    const { connections } = endpoint;
    clock.advance(499);
    await networkEvents();
    expect(endpoint.connections).toBe(connections);
    expect(await clock.settle(write)).toBe(1);
    expect(endpoint.count("INCR")).toBe(1);
  });

  test.each(["strlen", "incr"] as const)("the only connection, dropped, is replaced: %s", async (command) => {
    const redis = createClient({ maxConnections: 1 });
    await redis.strlen("k");
    dropUpTo(1);
    clock.advance(1_100);
    expect(await clock.settle(redis[command]("n"))).toBe(1);
    expect(endpoint.count("INCR")).toBe(command === "incr" ? 1 : 0);
    expect(endpoint.connections).toBe(2);
  });

  test.each(["reset", "dropped"])("a dozen %s connections are replaced by one fresh one", async (fault) => {
    const redis = createClient({ retry: false });
    const sockets: RawEndpoint["requests"][number]["socket"][] = [];
    endpoint.onRequest = ({ socket }) => sockets.push(socket);
    const first = Promise.all(Array.from({ length: 12 }, () => redis.strlen("k")));
    await arrived(12);
    for (const socket of sockets) socket.write(resp2Response(":1\r\n"));
    await first;
    endpoint.onRequest = (request) => {
      if (request.connection > 12) reply()(request);
      else if (fault === "reset") request.socket.resetAndDestroy();
    };
    clock.advance(1_100);
    expect(await clock.settle(redis.strlen("k"))).toBe(1);
    expect(await clock.settle(redis.incr("n"))).toBe(1);
    expect(endpoint.connections).toBe(13);
    expect(endpoint.count("INCR")).toBe(1);
  });

  test.each([
    ["429", "-ERR slow down\r\n", "429 Too Many"],
    ["LOADING", "-LOADING Redis is loading\r\n", "400 Bad Request"],
    ["a 503 of a gateway that sent nothing", "-ERR no room\r\n", "503 Service Unavailable"],
  ])("a dropped connection may have applied what gets %s on the fresh one", async (_, error, status) => {
    const redis = createClient({ writes: "exactly-once", retry: { retries: 1, backoff: () => 1 } });
    await redis.strlen("k");
    endpoint.onRequest = ({ socket, connection }) =>
      connection > 1 && socket.write(resp2Response(error, { "warmline-outcome": "unsent" }, status));
    clock.advance(1_100);
    await expect(clock.settle(redis.incr("n"))).rejects.toMatchObject({
      name: "UnknownOutcomeError",
      outcome: "unknown",
    });
    expect(new Set(endpoint.requests.slice(1).map(({ connection }) => connection))).toEqual(new Set([1, 2]));
  });
});

describe("ready() with a suspect connection", () => {
  test("ready() replaces it if it was dropped, and the write is written once", async () => {
    const redis = createClient();
    await redis.strlen("k");
    dropUpTo(1);
    clock.freeze(60_000);
    await clock.settle(redis.ready());
    expect(await redis.incr("n")).toBe(1);
    expect(endpoint.count("PING")).toBe(2);
    expect(endpoint.count("INCR")).toBe(1);
    expect(endpoint.connections).toBe(2);
  });

  test("ready() settles within a second if nothing responds, and a write beside it is written once", async () => {
    const redis = createClient();
    await redis.strlen("k");
    endpoint.onRequest = () => {};
    clock.advance(1_100);
    const began = performance.now();
    await redis.ready();
    expect(performance.now() - began).toBeLessThan(1_500);
    endpoint.onRequest = reply();
    clock.advance(1_100);
    const ready = redis.ready();
    expect(await redis.incr("n")).toBe(1);
    await ready;
    expect(endpoint.count("INCR")).toBe(1);
  });
});

test("the first response of a slow suspect connection counts, and the write is not repeated", async () => {
  const redis = createClient();
  await redis.strlen("k");
  endpoint.onRequest = (request) => setTimeout(() => reply()(request), 20);
  clock.advance(1_100);
  expect(await clock.settle(redis.incr("n"))).toBe(1);
  expect(endpoint.count("INCR")).toBe(1);
  clock.advance(1_100);
  expect(await clock.settle(redis.strlen("k"))).toBe(1);
});

test("a header that can't be sent makes the call fail as unsent, and no other", async () => {
  let headers: Record<string, string> | undefined = { "x-user": "\u540d" };
  const hook = (context: { headers?: object | undefined }) => {
    context.headers = headers;
    return undefined;
  };
  const redis = createClient({ tracing: { hook }, retry: false });
  await expect(redis.incr("n")).rejects.toMatchObject({
    outcome: "unsent",
    message: "INCR: not sent: header x-user has a character that a header can't contain",
  });
  headers = undefined;
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.count("INCR")).toBe(1);
});

test("a thaw is a tick that comes over a second late", async () => {
  const redis = createClient();
  await redis.strlen("k");
  clock.freeze(2_000);
  expect(redis.stats().thaws).toBe(0);
  clock.freeze(2_001);
  expect(redis.stats().thaws).toBe(1);
  clock.advance(10_000);
  expect(redis.stats().thaws).toBe(1);
});

describe("connections that hang while they open", () => {
  // A TLS client, to a server that never sends a byte of the handshake.
  const overTls = (options: RedisOptions = {}) =>
    createClient({ url: endpoint.url.replace("http:", "https:"), ...options });

  /** Issues a write, and aborts it when `reached` has resolved. */
  async function abortedWrite(redis: Redis, reached: () => Promise<unknown>): Promise<void> {
    const cancelled = new AbortController();
    const write = redis.with({ signal: cancelled.signal }).incr("n");
    await reached();
    cancelled.abort(new Error("enough"));
    await expect(write).rejects.toThrow("enough");
  }

  test("a hanging connection is raced by another one after a second", async () => {
    await abortedWrite(overTls(), async () => {
      await connected(1);
      clock.advance(999);
      await networkEvents();
      expect(endpoint.connections).toBe(1);
      clock.advance(1);
      await connected(2);
    });
  });

  test("a hanging connection is closed after three seconds unless a command waits for it", async () => {
    let closed = 0;
    endpoint.onConnection = (socket) => void socket.on("close", () => closed++);
    const redis = overTls();
    await abortedWrite(redis, () => connected(1));
    clock.advance(900);
    await networkEvents();
    // The next command waits for the same connection.
    await abortedWrite(redis, () => connected(1));
    clock.advance(2_099);
    await networkEvents();
    expect([endpoint.connections, closed]).toEqual([1, 0]);
    clock.advance(1);
    await expect.poll(() => closed).toBe(1);
    expect(clock.timers).toBe(0);
  });

  test("a hanging connection does not use up the pool: every command opens a new one", async () => {
    const redis = overTls({ maxConnections: 2 });
    for (let i = 1; i <= 4; i++) {
      const before = endpoint.connections;
      await abortedWrite(redis, async () => {
        await networkEvents();
        clock.advance(1_500);
        await expect.poll(() => endpoint.connections).toBeGreaterThan(before);
      });
    }
  });
});

test.each([
  ["maxConnections", { maxConnections: 2 }, 2],
  ["64", {}, 64],
])("slow commands open at most %s connections; the last used is used first", async (_, options, most) => {
  const redis = createClient(options);
  const sockets: RawEndpoint["requests"][number]["socket"][] = [];
  endpoint.onRequest = ({ socket }) => sockets.push(socket);
  const replies = Promise.all(Array.from({ length: 2 * most }, () => redis.strlen("k")));
  for (let round = 1; round <= 2; round++) {
    await arrived(most * round);
    clock.advance(10_000);
    await networkEvents();
    expect(endpoint.connections).toBe(most);
    for (const socket of sockets.splice(0)) socket.write(resp2Response(":1\r\n"));
  }
  await replies;
  endpoint.onRequest = reply();
  for (let i = 0; i < 3; i++) await redis.strlen("k");
  expect(new Set(endpoint.requests.slice(-3).map(({ connection }) => connection)).size).toBe(1);
});

describe("pools of many origins", () => {
  const pools = () => (globalThis as any)[Symbol.for("warmline.pools.1")] as Map<string, Pool>;

  test("a process that uses many origins keeps a bounded number of unused pools", () => {
    for (let i = 0; i < 1_000; i++) getPool(`http://tenant-${i}.test`, true);
    expect(pools().size).toBeLessThanOrEqual(100);
    const last = getPool("http://tenant-999.test", true);
    expect(getPool("http://tenant-999.test", true)).toBe(last);
  });

  test("a pool of an origin that does not respond is dropped once its circuit may be tried again", async () => {
    endpoint.onRequest = () => {};
    const url = endpoint.url;
    // Long enough for a connection to open on a busy machine: a pool with a connection stays.
    const circuit = { resetTimeout: 1_000, probeTimeout: 300 };
    const redis = new Redis({ url, token: "t", timeout: 300, retry: false, circuit });
    await expect(redis.incr("n")).rejects.toThrow();
    await expect.poll(() => redis.stats().circuit, { interval: 5 }).toBe("open");
    const pool = getPool(url, true);
    const use = () => {
      for (let i = 0; i < 100; i++) getPool(`http://more-${i}.test`, true);
      return getPool(url, true);
    };
    expect(use()).toBe(pool);
    await expect.poll(use).not.toBe(pool);
    const { opened, closed } = redis.stats();
    expect(opened).toBeGreaterThanOrEqual(2);
    expect(closed).toBe(opened);
  });
});
