import { createServer, type ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { startNetworkProxy, startRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { Redis, type Subscriber } from "../../../src/index.js";
import { runProgram } from "../../faults/support/program.js";
import { forTest } from "../../support/lifetime.js";
import { startServer } from "../../support/start-server.js";
import { metric } from "../gateway/http.js";
import { dataOf, listen, numsub } from "./listen.js";

const clientOf = (gateway: Gateway, url = gateway.url) =>
  new Redis({ url, token: gateway.token, timeout: 10_000 });

/** Collects all events of a subscriber, in order. */
function record(subscriber: Subscriber<unknown>): unknown[] {
  onTestFinished(() => subscriber.unsubscribe());
  const heard: unknown[] = [];
  subscriber.on("message", ({ channel, message }) => heard.push([channel, message]));
  subscriber.on("gap", ({ channel }) => heard.push(["gap", channel]));
  subscriber.on("error", (error) => heard.push(error));
  return heard;
}

describe("Redis restarts under a subscription", { tags: "redis-server" }, () => {
  test("listeners get a gap event when Redis restarts, and later messages", async () => {
    const redis = forTest(await startRedis());
    const gateway = forTest(await createGateway({ redis: redis.url, port: 0 }));
    const client = clientOf(gateway);
    const subscriber = client.subscribe<unknown>(["a", "b"]);
    const heard = record(subscriber);
    await subscriber.ready;
    const raw = await listen(gateway, "/subscribe/a/b");
    await client.publish("a", "before");
    await expect.poll(() => heard).toEqual([["a", "before"]]);

    await redis.kill();
    await redis.restart();
    await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(3);
    expect(heard.slice(1).sort()).toEqual([
      ["gap", "a"],
      ["gap", "b"],
    ]);
    expect(await numsub(gateway, "a")).toBe(1);
    await client.publish("b", "after");
    await expect.poll(() => heard.at(-1)).toEqual(["b", "after"]);
    expect(await dataOf(raw, 4)).toEqual([
      "subscribe,a,1",
      "subscribe,b,2",
      "message,a,before",
      "message,b,after",
    ]);
    expect(raw.text.match(/^event: gap\ndata:\n\n/gm)).toHaveLength(1);
    raw.close();
  });

  test("the listeners of the token whose connection Redis closes get a gap, and no others", async () => {
    const redis = forTest(await startRedis());
    const tokens = ["one", "other"].map((name) => ({ name, token: name }));
    const gateway = forTest(await createGateway({ redis: redis.url, port: 0, tokens }));
    const one = await listen(gateway, "/subscribe/a/b", { token: "one" });
    const other = await listen(gateway, "/subscribe/a", { token: "other" });
    await Promise.all([dataOf(one, 2), dataOf(other, 1)]);
    const [, id] = /^id=(\d+) .* sub=2 /m.exec(String(await redis.command("CLIENT", "LIST")))!;
    await redis.command("CLIENT", "KILL", "ID", id!);
    await expect.poll(() => one.text).toContain("event: gap");
    expect(other.text).not.toContain("event: gap");
    for (const stream of [one, other]) stream.close();
  });

  test("MONITOR ends when Redis restarts, and its loop throws", async () => {
    const redis = forTest(await startRedis());
    const gateway = forTest(await createGateway({ redis: redis.url, port: 0 }));
    const client = clientOf(gateway);
    const lines = client.monitor();
    const seen: unknown[] = [];
    const first = lines.next().then(({ value }) => seen.push(value));
    await expect.poll(() => client.set("k", "v").then(() => seen.length)).toBe(1);
    await first;
    await redis.kill();
    const rest = (async () => {
      for await (const _ of lines);
    })();
    await expect(rest).rejects.toMatchObject({ name: "ConnectionError", command: "MONITOR" });
  });
});

test("a stream cut by the network is opened again", async () => {
  const gateway = forTest(await createGateway({ engine: "embedded", port: 0 }));
  const path = forTest(await startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));
  const client = clientOf(gateway);
  const subscriber = clientOf(gateway, `http://127.0.0.1:${path.port}`).subscribe<unknown>("a");
  const heard = record(subscriber);
  await subscriber.ready;
  path.connections[0]!.destroy();
  await expect.poll(() => heard, { timeout: 10_000 }).toEqual([["gap", "a"]]);
  await client.publish("a", 1);
  await expect.poll(() => heard.slice(1)).toEqual([["a", 1]]);
  await expect.poll(() => metric(gateway, "streams_open")).toBe(1);
});

describe("an endpoint that is not ours", () => {
  async function serve(response: (res: ServerResponse, request: number) => void): Promise<string> {
    let requests = 0;
    const server = createServer((_, res) => response(res, ++requests));
    const { port } = forTest(await startServer(server));
    return `http://127.0.0.1:${port}`;
  }
  const stream = { "content-type": "text/event-stream" };
  const make = (url: string, options = {}) => new Redis({ url, token: "t", ...options });

  test("a subscription to a busy endpoint is retried as often as a command, until it is confirmed", async () => {
    const url = await serve((res, request) => {
      if (request < 3) res.writeHead(503, { "content-type": "text/html" }).end("<p>busy");
      else res.writeHead(200, stream).write("data: subscribe,a,1\n\n");
    });
    const subscriber = make(url, { retry: { retries: 2, backoff: () => 1 } }).subscribe("a");
    const heard = record(subscriber);
    await subscriber.ready;
    expect(heard).toEqual([]);
    const other = make(await serve((res) => res.writeHead(503).end()), { retry: false }).subscribe("a");
    await expect(other.ready).rejects.toMatchObject({
      name: "ConnectionError",
      message: "SUBSCRIBE: status 503",
    });
  });

  test("an error with status 200, an HTML page and a redirect are errors", async () => {
    const responses = [
      [200, "application/json", '{"error":"ERR not here"}', { name: "RedisError", code: "ERR" }],
      [200, "text/html", "<p>hello", { name: "ProtocolError" }],
      [302, "text/plain", "", { name: "ProtocolError" }],
      [404, "application/json", "[]", { name: "ProtocolError" }],
      [404, "application/json", '{"error":{"code":"404"}}', { name: "ProtocolError" }],
    ] as const;
    for (const [status, type, body, error] of responses) {
      const url = await serve((res) => {
        res.writeHead(status, { "content-type": type, location: "/elsewhere" }).end(body);
      });
      await expect(make(url).subscribe("a").ready).rejects.toMatchObject(error);
    }
  });

  test("an endpoint that never responds times out", async () => {
    const url = await serve(() => {});
    const subscriber = make(url, { timeout: 100 }).subscribe("a");
    await expect(subscriber.ready).rejects.toMatchObject({ name: "TimeoutError", command: "SUBSCRIBE" });
  });

  test("an endpoint that confirms and disconnects is retried with growing pauses", async () => {
    let requests = 0;
    const url = await serve((res, request) => {
      requests = request;
      res.writeHead(200, stream).end("data: subscribe,a,1\n\n");
    });
    const subscriber = make(url).subscribe("a");
    record(subscriber);
    await subscriber.ready;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(requests).toBeLessThan(12);
    await expect.poll(() => requests).toBeGreaterThan(2);
  });
});

describe("the process", () => {
  /** Runs a module that has `redis`, a client of the gateway. */
  const run = ({ url }: Gateway, token: string, body: string) =>
    runProgram(`import { Redis } from "warmline"; const redis = Redis.fromEnv(); ${body}`, {
      WARMLINE_URL: url,
      WARMLINE_TOKEN: token,
    });

  test("a process stays alive while it is subscribed, and ends after unsubscribe", async () => {
    const gateway = forTest(await createGateway({ engine: "embedded", port: 0 }));
    const running = run(
      gateway,
      gateway.token,
      `const subscriber = redis.subscribe("stop");
       subscriber.on("message", ({ message }) => {
         console.log(message);
         subscriber.unsubscribe().then(() => console.log("ended", performance.now() - start < 3_000));
         const start = performance.now();
       });`,
    );
    const client = clientOf(gateway);
    await expect.poll(() => numsub(gateway, "stop"), { timeout: 10_000 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await client.publish("stop", "now");
    expect(await running).toEqual({ code: 0, output: "now\nended true", errors: "" });
  });

  test("a process ends after its loop was left", async () => {
    const gateway = forTest(await createGateway({ engine: "embedded", port: 0 }));
    const running = run(
      gateway,
      gateway.token,
      `for await (const { message } of redis.psubscribe("st*")) { console.log(message); break; }`,
    );
    await expect.poll(() => clientOf(gateway).publish("stop", "now"), { timeout: 10_000 }).toBe(1);
    expect(await running).toEqual({ code: 0, output: "now", errors: "" });
  });

  test("an unhandled error of a subscription ends the process, an awaited one does not", async () => {
    const gateway = forTest(await createGateway({ engine: "embedded", port: 0 }));
    const unhandled = await run(gateway, "wrong", `redis.subscribe("a");`);
    expect(unhandled.code).toBe(1);
    expect(unhandled.errors).toMatch(/WRONGPASS/);
    const heard = await run(
      gateway,
      "wrong",
      `redis.subscribe("a").on("error", (error) => console.log(error.code));`,
    );
    expect(heard).toEqual({ code: 0, output: "WRONGPASS", errors: "" });
    const awaited = await run(
      gateway,
      "wrong",
      `await redis.subscribe("a").ready.catch((error) => console.log(error.code));`,
    );
    expect(awaited).toEqual({ code: 0, output: "WRONGPASS", errors: "" });
  });
});
