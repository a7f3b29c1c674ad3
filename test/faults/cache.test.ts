import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { type CachedOptions, cached } from "warmline/cache";
import {
  blackhole,
  carries,
  delayReply,
  type Instance,
  loseReply,
  onRequest,
  startInstance,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { startEmbeddedEngine } from "../../gateway/src/engine/embedded.js";
import { createGateway } from "../../gateway/src/index.js";
import { httpResponse, RawEndpoint } from "../support/endpoint.js";
import { forEachTest, forTest, sharedByTests } from "../support/lifetime.js";

// The cache while instances are frozen, responses are lost, and Redis can't be reached.

const HANDLER = fileURLToPath(new URL("handlers/cached.mjs", import.meta.url));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Outcome {
  readonly results: { value?: number; error?: string; code?: string; ms: number }[];
  readonly runs: number;
}

const gateway = sharedByTests(async () => createGateway({ engine: await startEmbeddedEngine(), port: 0 }));
const redis = sharedByTests(async () => new Redis({ url: gateway.url, token: gateway.token }));
beforeEach(() => redis.flushall());

async function startFunction(
  url: string,
  options: Partial<CachedOptions<any, any>> = {},
  client: RedisOptions = {},
): Promise<Instance & { call(event: object): Promise<Outcome> }> {
  const instance = await startInstance({
    handler: HANDLER,
    timeoutMs: 15_000,
    env: {
      WARMLINE_URL: url,
      WARMLINE_TOKEN: gateway.token,
      CACHED: JSON.stringify({ url: gateway.url, options, client: { timeout: 10_000, ...client } }),
    },
  });
  const call = async (event: object) => {
    const { result, error } = await instance.invoke(event);
    if (error) throw new Error(`The handler failed: ${error.errorMessage}\n${instance.output}`);
    return result as Outcome;
  };
  return forTest(Object.create(instance, { call: { value: call } }));
}

test("fifty calls in each of four instances compute a cold key once", async () => {
  const functions = await Promise.all(Array.from({ length: 4 }, () => startFunction(gateway.url)));
  const outcomes = await Promise.all(functions.map(({ call }) => call({ id: "cold", calls: 50, ms: 200 })));
  expect(outcomes.flatMap(({ results }) => results.map(({ value }) => value))).toEqual(
    Array.from({ length: 200 }, () => 1),
  );
  expect(await redis.get("runs:cold")).toBe(1);
});

// With the default lease, and frozen for a minute: test/soak/cache.test.ts.
test("another instance takes over from one frozen past its lease, and the late result is not stored", async () => {
  const functions = await Promise.all([1, 2].map(() => startFunction(gateway.url, { lease: 1.5 })));
  const [frozen, other] = functions;
  const first = frozen!.call({ id: "7", ms: 1_000 });
  await expect.poll(() => redis.get("runs:7")).toBe(1);
  await frozen!.freeze();
  expect((await other!.call({ id: "7" })).results).toMatchObject([{ value: 2 }]);
  await frozen!.thaw();
  expect((await first).results).toMatchObject([{ value: 1 }]);
  expect((await frozen!.call({ id: "7" })).results).toMatchObject([{ value: 2 }]);
  expect(await redis.get("runs:7")).toBe(2);
});

describe("on a path with faults", () => {
  const path = forEachTest(() => startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));

  function createFunction(
    options: Partial<CachedOptions<[id: string], string>> = {},
    client: RedisOptions = {},
  ) {
    const load = { runs: 0, ms: 0, value: "a", error: undefined as Error | undefined };
    const call = cached(
      new Redis({ url: path.url, token: gateway.token, retry: { backoff: () => 1 }, ...client }),
      "load",
      async (_id: string) => {
        load.runs++;
        const { value } = load;
        await pause(load.ms);
        if (load.error) throw load.error;
        return value;
      },
      { key: (id) => id, fresh: 60, tags: () => ["tag"], ...options },
    );
    return { load, call };
  }

  const TIMEOUT = 1_500;
  /** Drops all bytes from now on, on open and on new connections. */
  const swallow = () => {
    path.onConnection(() => blackhole("open"));
    path.blackholeAll();
  };

  test("no call waits longer than one timeout during an outage, and each process computes once", async () => {
    const instance = await startFunction(path.url, {}, { timeout: TIMEOUT, preconnect: false });
    expect((await instance.call({ id: "7" })).results).toMatchObject([{ value: 1 }]);
    swallow();
    const { results, runs } = await instance.call({ id: "7", calls: 50, ms: 50 });
    expect(runs).toBe(1);
    expect(new Set(results.map(({ value }) => value))).toEqual(new Set([2]));
    // A second timeout would make it twice as long.
    for (const { ms } of results) expect(ms).toBeLessThan(1.9 * TIMEOUT);
    // The circuit is open.
    const next = await instance.call({ id: "7", calls: 50 });
    expect(next.runs).toBe(1);
    for (const { ms } of next.results) expect(ms).toBeLessThan(0.9 * TIMEOUT);
  });

  test("with onOutage: throw, calls reject with the client's error, and nothing is computed", async () => {
    const options = { onOutage: "throw" } as const;
    const instance = await startFunction(path.url, options, { timeout: 1_000, preconnect: false });
    swallow();
    const first = await instance.call({ id: "7", calls: 3 });
    const timedOut = { error: "TimeoutError" };
    expect(first).toMatchObject({ runs: 0, results: [timedOut, timedOut, timedOut] });
    const second = await instance.call({ id: "7", calls: 3 });
    const open = { error: "ConnectionError", code: "circuit-open" };
    expect(second).toMatchObject({ runs: 0, results: [open, open, open] });
  });

  test.each([
    ["its result is stored", { fails: false, unloaded: false }],
    ["the lease ends after the function failed", { fails: true, unloaded: false }],
    ["a script was not loaded", { fails: false, unloaded: true }],
  ])("all requests of a call share one timeout: %s", async (_when, { fails, unloaded }) => {
    const { call, load } = createFunction({}, { timeout: 1_800, circuit: false });
    const failure = new Error("no database");
    // Loads the scripts.
    load.error = failure;
    await call("7").catch(() => {});
    load.error = undefined;
    await call("7");
    if (unloaded) await redis.scriptFlush();
    if (fails) load.error = failure;
    // A request that has no response for long may be sent twice.
    const scripts = new Set<string>();
    const lost = { request: () => {} };
    path.onConnection(() => ({
      exchange(each) {
        if (!carries("eval")(each)) return lost;
        const text = each.request.toString("latin1");
        scripts.add(text);
        return text === [...scripts][0] ? delayReply(900) : lost;
      },
    }));
    for (const connection of path.connections) connection.resetClient();
    const began = performance.now();
    expect(await call("8").catch((error: unknown) => error)).toBe(fails ? failure : "a");
    // With a whole timeout after the slow response it would be 2,700 ms.
    expect(performance.now() - began).toBeLessThan(2_600);
    expect(scripts.size).toBe(2);
  });

  test.each([true, false])("an error waits for the lease, or waitUntil does: %s", async (hasWaitUntil) => {
    const pending: Promise<unknown>[] = [];
    const waitUntil = (promise: Promise<unknown>) => pending.push(promise);
    const { call, load } = createFunction(hasWaitUntil ? { waitUntil } : {}, { timeout: 10_000 });
    const held: (() => void)[] = [];
    let holds = true;
    path.onConnection(() => ({
      exchange: () => ({
        request(connection, { request }) {
          const pass = () => connection.toServer(request);
          if (holds && load.runs > 0) held.push(pass);
          else pass();
        },
      }),
    }));
    load.error = new Error("no database");
    let isPending = true;
    const failed = call("7").catch((error: unknown) => {
      isPending = false;
      return error;
    });
    await expect.poll(() => held.length).toBe(1);
    await pause(50);
    expect(isPending).toBe(!hasWaitUntil);
    expect(await redis.hexists("load:cached:7", "lease")).toBe(1);
    holds = false;
    for (const pass of held) pass();
    expect(await failed).toBe(load.error);
    await Promise.all(pending);
    expect(await redis.exists("load:cached:7")).toBe(0);
  });

  test("a refused connection is an outage, and so is a gateway without Redis", async () => {
    const { call, load } = createFunction({}, { retry: false });
    path.refuse();
    expect(await Promise.all([call("7"), call("7"), call("7")])).toEqual(["a", "a", "a"]);
    expect(load.runs).toBe(1);
    await expect(call.delete("7")).rejects.toMatchObject({ name: "ConnectionError" });
    await expect(call.deleteTag("tag")).rejects.toMatchObject({ name: "ConnectionError" });
    const unreached = forTest(
      await createGateway({ redis: "redis://127.0.0.1:1", port: 0, logLevel: "silent" }),
    );
    const client = { url: unreached.url, token: unreached.token, retry: false as const };
    const other = createFunction({}, client);
    expect(await other.call("7")).toBe("a");
    await expect(createFunction({ onOutage: "throw" }, client).call("7")).rejects.toMatchObject({
      name: "ConnectionError",
    });
  });

  test("even without Redis, a call waits at most one lease for the computation of another call", async () => {
    const { call, load } = createFunction({ lease: 0.2 }, { retry: false });
    path.refuse();
    load.ms = 5_000;
    let isFirstPending = true;
    const first = call("7").finally(() => {
      isFirstPending = false;
    });
    await expect.poll(() => load.runs).toBe(1);
    load.ms = 0;
    load.value = "b";
    expect(await call("7")).toBe("b");
    expect(isFirstPending).toBe(true);
    first.catch(() => {});
  });

  test.each([
    ["the lookup", "EVAL"],
    ["the request that stores the result", '\\"a\\"'],
  ])("a function runs once if the response is lost: %s", async (_which, part) => {
    let left = 1;
    path.onConnection(() =>
      onRequest(({ request }) => request.includes(part) && left-- > 0, loseReply({ leave: "reset" })),
    );
    const { call, load } = createFunction({ lease: 60 });
    expect(await call("7")).toBe("a");
    load.value = "b";
    expect([await call("7"), load.runs]).toEqual(["a", 1]);
    expect(left).toBeLessThan(1);
  });

  test("deletions are repeated until their response arrives", async () => {
    const { call, load } = createFunction();
    await call("7");
    for (const remove of [() => call.delete("7"), () => call.deleteTag("tag")]) {
      let left = 2;
      path.onConnection(() => onRequest(() => left-- > 0, loseReply({ leave: "reset" })));
      for (const connection of path.connections) connection.resetClient();
      await remove();
      expect(left).toBeLessThan(1);
      load.value = `after ${load.runs}`;
      expect(await call("7")).toBe(load.value);
    }
  });

  test.each([
    ["UnknownOutcomeError", "502 Bad Gateway"],
    ["ProtocolError", "200 OK"],
  ])("an HTML page in place of a response is an outage: %s", async (name, status) => {
    const endpoint = await RawEndpoint.startForTest();
    endpoint.answer(httpResponse("<html></html>", { "content-type": "text/html" }, status));
    const client = { url: endpoint.url, retry: false as const, circuit: false as const };
    expect(await createFunction({}, client).call("7")).toBe("a");
    await expect(createFunction({ onOutage: "throw" }, client).call("7")).rejects.toMatchObject({ name });
  });

  test("copies of requests that arrive after a deletion do not bring the old result back", async () => {
    const client = new Redis({ url: gateway.url, token: gateway.token });
    const resend: (() => Promise<unknown>)[] = [];
    client.use((request, next) => {
      resend.push(() => next(request));
      return next(request);
    });
    let value = "old";
    const call = cached(client, "late", async () => value, {
      key: () => "all",
      fresh: 60,
      tags: () => ["tag"],
    });
    expect(await call()).toBe("old");
    const copies = resend.splice(0);
    expect(copies.length).toBeGreaterThanOrEqual(2);
    value = "new";
    await call.delete();
    for (const copy of copies) await copy();
    expect(await redis.hexists("late:cached:all", "value")).toBe(0);
    // The copy of the lookup has taken the lease.
    await redis.hdel("late:cached:all", "lease");
    expect(await call()).toBe("new");
  });
});

test("a gateway that refuses requests above a limit counts as one that can't be reached", async () => {
  const tokens = [
    { name: "rate", token: "rate-".repeat(8), limits: { commandsPerSecond: 1 } },
    { name: "requests", token: "requests-".repeat(4), limits: { concurrentRequests: 1 } },
  ];
  const limited = await createGateway({ engine: await startEmbeddedEngine(), port: 0, tokens });
  try {
    for (const { name, token } of tokens) {
      // The gateway admits the next request after 1 s, which is longer than the timeout.
      const client = new Redis({ url: limited.url, token, timeout: 900 });
      let runs = 0;
      const createFunction = (onOutage: "compute" | "throw") =>
        cached(client, name, () => ++runs, { key: () => "all", fresh: 60, onOutage });
      const first = name === "requests" ? client.blpop("none", 3) : client.get("none");
      const blocked = first.catch(() => {});
      await pause(50);
      const [computes, throws] = [createFunction("compute"), createFunction("throw")];
      expect([name, await computes()]).toEqual([name, 1]);
      await expect(throws()).rejects.toMatchObject({ name: "RedisError", message: /limit/ });
      await blocked;
    }
  } finally {
    await limited.close();
  }
});

describe("a Redis that refuses writes", { tags: "redis-server" }, () => {
  const server = sharedByTests(() =>
    startRedis({ flags: ["--enable-protected-configs", "yes", "--save", "3600 1"] }),
  );
  const refusing = sharedByTests(() => createGateway({ redis: server.url, port: 0 }));

  const set = (name: string, value: string | number) => server.command("CONFIG", "SET", name, value);

  test.each([
    ["MISCONF", () => failToSave(), () => set("stop-writes-on-bgsave-error", "no")],
    ["NOREPLICAS", () => set("min-replicas-to-write", 1), () => set("min-replicas-to-write", 0)],
    ["OOM", () => set("maxmemory", 1), () => set("maxmemory", 0)],
  ])("counts as one that can't be reached: %s", async (code, begin, end) => {
    const { url, token } = refusing;
    let runs = 0;
    const createFunction = (onOutage: "compute" | "throw") =>
      cached(new Redis({ url, token, retry: false }), code, (_id: string) => ++runs, {
        ...{ key: (id) => id, fresh: 60, tags: () => ["tag"], onOutage },
      });
    const [computes, throws] = [createFunction("compute"), createFunction("throw")];
    expect(await computes("stored")).toBe(1);
    try {
      await begin();
      expect([await computes("new"), await computes("new")]).toEqual([2, 3]);
      await expect(throws("new")).rejects.toMatchObject({ code });
      expect([await computes("stored"), await throws("stored")]).toEqual([1, 1]);
    } finally {
      await end();
    }
    expect([await computes("new"), await computes("new")]).toEqual([4, 4]);
  });

  test("a lease is ended if Redis refuses the result", async () => {
    const { url, token } = refusing;
    let runs = 0;
    const call = cached(
      new Redis({ url, token, retry: false }),
      "refused",
      async () => {
        if (++runs === 1) await set("maxmemory", 1);
        return runs;
      },
      // Longer than this test may take.
      { key: () => "all", fresh: 600, lease: 300 },
    );
    try {
      expect(await call()).toBe(1);
    } finally {
      await set("maxmemory", 0);
    }
    expect([await call(), await call()]).toEqual([2, 2]);
  });

  /** Makes Redis fail to save its data. */
  async function failToSave(): Promise<void> {
    await set("dir", "/proc");
    await server.command("BGSAVE");
    const readPersistence = async () => String(await server.command("INFO", "persistence"));
    await expect.poll(readPersistence).toContain("rdb_last_bgsave_status:err");
  }
});
