import { getResponse, HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { redisHandlers } from "../../../gateway/src/testing/msw.js";
import { Redis, type RedisOptions } from "../../../src/fetch.js";
import { Redis as NodeRedis } from "../../../src/index.js";
import { follow } from "../../../src/streams.js";

// Failures of fetch under the fetch entry: network errors, statuses of proxies, bodies that are cut or not replies at all.

const endpoint = { url: "https://redis.example.com", token: "secret" };
const handlers = redisHandlers(endpoint);
const server = setupServer(...handlers);
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(() => handlers.flush());
afterEach(() => server.resetHandlers());
afterAll(async () => {
  server.close();
  await handlers.close();
});

const client = (options: RedisOptions = {}) =>
  new Redis({ ...endpoint, retry: { retries: 2, backoff: () => 1 }, ...options });

/** The value of the counter that was really reached. */
const applied = async () => Number(await client().get("n"));

type Failure = (response: Response) => Response | Promise<Response>;

/** Replaces the response to the next request, which Redis has run. */
function failAfterwards(failure: Failure, times = 1): void {
  for (let i = 0; i < times; i++) {
    server.use(
      http.post(
        `${endpoint.url}/*`,
        async ({ request }) => failure((await getResponse(handlers, request.clone()))!),
        { once: true },
      ),
    );
  }
}

/** A body that breaks off after some bytes, as when a connection is lost. */
function brokenBody(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new TypeError("terminated"));
      else controller.enqueue(bytes);
      sent = true;
    },
  });
}

const html = (status: number) =>
  new HttpResponse("<h1>Bad Gateway</h1>", { status, headers: { "content-type": "text/html" } });

const FAILURES: [name: string, failure: Failure][] = [
  ["a network error", () => HttpResponse.error()],
  ["a body that breaks off", ({ status, headers }) => new Response(brokenBody(":"), { status, headers })],
  ["a body that ends early", ({ status, headers }) => new Response(":", { status, headers })],
  ["an empty body", ({ status, headers }) => new Response("", { status, headers })],
  ["a page of HTML with status 200", () => html(200)],
  ["a 500 of a proxy", () => html(500)],
  ["a 502 of a proxy", () => html(502)],
  ["a 504 of a proxy", () => html(504)],
  ["a status 204", () => new HttpResponse(null, { status: 204 })],
];

describe.each(FAILURES)("after %s", (_name, failure) => {
  test("a write that was applied is sent again with its number, and applied once", async () => {
    // The response offers numbers.
    await client().get("n");
    failAfterwards(failure);
    expect(await client().incr("n")).toBe(1);
    expect(await applied()).toBe(1);
  });

  test("a write without a number rejects as unknown, and is not sent again", async () => {
    failAfterwards(failure);
    const large = client().append("large", "x".repeat(70_000));
    await expect(large).rejects.toMatchObject({ outcome: "unknown", command: "APPEND" });
    expect(await client().strlen("large")).toBe(70_000);
  });

  test("a write that may be repeated is sent again without a number", async () => {
    failAfterwards(failure);
    const redis = client({ writes: "at-least-once" });
    expect(await redis.append("large", "x".repeat(70_000))).toBe(140_000);
  });

  test("an exactly-once write is sent again and applied once", async () => {
    failAfterwards(failure);
    expect(await client({ writes: "exactly-once" }).incr("n")).toBe(1);
    expect(await applied()).toBe(1);
  });
});

describe("reads", () => {
  test.each(FAILURES.filter(([name]) => !/204|HTML/.test(name)))(
    "a read is sent again after %s",
    async (_name, failure) => {
      await client().set("k", { a: 1 });
      failAfterwards(failure);
      expect(await client().get("k")).toEqual({ a: 1 });
    },
  );

  test("a read rejects as unknown when every attempt fails", async () => {
    failAfterwards(() => HttpResponse.error(), 3);
    await expect(client().get("k")).rejects.toMatchObject({ outcome: "unknown", command: "GET" });
  });
});

describe.each([
  ["the fetch entry", Redis],
  ["Node's entry", NodeRedis],
])("what %s gives to fetch", (_name, Client) => {
  let inits: (RequestInit & { cache?: string })[];
  beforeEach(() => {
    inits = [];
    vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
      inits.push(init);
      throw new TypeError("fetch failed");
    });
  });

  /** Everything that the client sends by fetch; Node's entry sends commands on its own connections. */
  async function requestAll(options: RedisOptions = {}): Promise<void> {
    const redis = new Client({ url: "http://127.0.0.2:9", token: "t", retry: false, ...options });
    const calls = [
      redis.get("k"),
      redis.set("k", new Uint8Array([1])),
      redis.pipeline().get("k").exec(),
      redis.subscribe("c").ready,
      redis.monitor().next(),
      follow(redis, "s").next(),
    ];
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(
      calls.map(() => "rejected"),
    );
    expect(inits.length).toBeGreaterThanOrEqual(3);
  }

  test("no cache may answer, and headers are a plain object", async () => {
    await requestAll();
    for (const { cache, headers } of inits) {
      expect(cache).toBe("no-store");
      expect(headers).toHaveProperty("authorization", "Bearer t");
    }
  });

  test("a runtime whose Request has no `cache`, such as a Worker, is not given that option", async () => {
    const { cache } = Object.getOwnPropertyDescriptors(Request.prototype) as { cache: PropertyDescriptor };
    delete (Request.prototype as { cache?: unknown }).cache;
    try {
      await requestAll();
    } finally {
      Object.defineProperty(Request.prototype, "cache", cache);
    }
    for (const init of inits) expect(init).not.toHaveProperty("cache");
  });
});

test("ready() and close() have nothing to do, and stats() counts retries alone", async () => {
  const redis = client();
  const { retries } = redis.stats();
  failAfterwards(() => HttpResponse.error());
  await redis.get("k");
  vi.stubGlobal("fetch", undefined);
  await redis.ready();
  redis.close();
  expect(redis.stats()).toMatchObject({ opened: 0, reused: 0, closed: 0, thaws: 0, retries: retries + 1 });
});

test("the mode of the cache can be set", async () => {
  const modes: unknown[] = [];
  vi.stubGlobal("fetch", async (_url: string, { cache }: { cache?: string }) => {
    modes.push(cache);
    return Response.json({ result: "v" });
  });
  expect(
    await client({ url: "https://cached.example.com", cache: "force-cache", responseFormat: "json" }).get(
      "k",
    ),
  ).toBe("v");
  expect(modes).toEqual(["force-cache"]);
});

test("an error by which a framework ends the rendering is passed on, without another attempt", async () => {
  const dynamic = Object.assign(new Error("Dynamic server usage"), { digest: "DYNAMIC_SERVER_USAGE" });
  let requests = 0;
  vi.stubGlobal("fetch", async () => {
    requests++;
    throw dynamic;
  });
  await expect(client().get("k")).rejects.toBe(dynamic);
  await expect(client().incr("n")).rejects.toBe(dynamic);
  await expect(client().pipeline().get("k").exec()).rejects.toBe(dynamic);
  expect(requests).toBe(3);
});

test.each<[string, () => Response]>([
  ["plain text", () => new Response(JSON.stringify({ result: "v" }))],
  ["bytes without a type", () => new Response(new TextEncoder().encode(JSON.stringify({ result: "v" })))],
  ["spaced text", () => new Response(JSON.stringify({ result: "v" }, null, 2))],
])("a stubbed fetch may return JSON as %s", async (_, respond) => {
  vi.stubGlobal("fetch", async () => respond());
  const stubbed = (options: RedisOptions = {}) =>
    new Redis({ url: "https://stub.example.com", token: "t", ...options });
  expect(await stubbed().get("k")).toBe("v");
  expect(await stubbed({ responseFormat: "json" }).get("k")).toBe("v");
  const list = new Response('[{"result":1},{"error":"ERR no"}]');
  vi.stubGlobal("fetch", async () => list);
  expect(await stubbed().pipeline().incr("n").get("k").exec({ keepErrors: true })).toMatchObject([
    { result: 1 },
    { error: { message: expect.stringContaining("ERR no") } },
  ]);
});

test("a write whose number a proxy does not let pass is sent without one, and so are the next ones", async () => {
  await client().get("k");
  let refused = 0;
  const refuse = () => {
    refused++;
    return html(404);
  };
  server.use(http.post(`${endpoint.url}/n/*`, refuse));
  expect(await client().incr("n")).toBe(1);
  expect(await client().incr("n")).toBe(2);
  expect(refused).toBe(1);
});
