import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  carries,
  freePorts,
  onRequest,
  startGatewayProcess,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../gateway/src/index.js";
import { Redis as FetchRedis } from "../../src/fetch.js";
import { Redis, type RedisOptions, type Subscriber } from "../../src/index.js";
import { sharedStream } from "../../src/shared-stream.js";
import { metric, numsub } from "../integration/subscribe/listen.js";
import { startEngineServer } from "../support/engine-server.js";
import { runProgram } from "./support/program.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startGateway(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const engine = options.redis ? {} : ({ engine: "embedded" } as const);
  const gateway = await createGateway({ ...engine, port: 0, token: "t", shutdownTimeout: 0, ...options });
  cleanups.push(() => gateway.close());
  return gateway;
}

async function startProxy({ url }: Pick<Gateway, "url">) {
  const proxy = await startNetworkProxy({ to: { port: Number(new URL(url).port) } });
  cleanups.push(() => proxy.close());
  return proxy;
}

const quick: RedisOptions = { token: "t", retry: { retries: 5, backoff: () => 5 } };
const streamAt = (url: string, options: RedisOptions = {}) =>
  sharedStream(new Redis({ ...quick, url, ...options }));

/** The events of a subscriber, in order. */
function record(subscriber: Subscriber): unknown[] {
  cleanups.push(() => subscriber.unsubscribe());
  const heard: unknown[] = [];
  subscriber.on("message", ({ channel, message }) => heard.push([channel, message]));
  subscriber.on("gap", ({ channel }) => heard.push(["gap", channel]));
  subscriber.on("error", (error) => heard.push(error));
  return heard;
}

/** Subscribers of these channels, and the events of each. */
async function subscribeTo(stream: ReturnType<typeof sharedStream>, names: readonly string[]) {
  const subscribers = names.map((name) => stream.subscribe(name));
  const heard = subscribers.map(record);
  for (const { ready } of subscribers) await ready;
  return { subscribers, heard };
}

const NAMES = ["a", "b", "c"];

describe("a shared stream is lost", () => {
  test("every subscription gets one gap event, and shares the next stream", async () => {
    const gateway = await startGateway();
    const proxy = await startProxy(gateway);
    const { heard } = await subscribeTo(streamAt(proxy.url), NAMES);
    for (const connection of proxy.connections) connection.destroy();
    await expect.poll(() => heard).toEqual(NAMES.map((name) => [["gap", name]]));
    await expect.poll(() => metric(gateway, "streams_open")).toBe(1);
    const redis = new Redis({ ...quick, url: gateway.url });
    for (const name of NAMES) await redis.publish(name, 1);
    await expect
      .poll(() => heard)
      .toEqual(
        NAMES.map((name) => [
          ["gap", name],
          [name, 1],
        ]),
      );
  });

  test("every subscription gets a gap event when the gateway restarts", async () => {
    const [port] = await freePorts(1);
    const first = await startGateway({ port: port! });
    const { heard } = await subscribeTo(streamAt(first.url), NAMES);
    await first.close();
    const second = await startGateway({ port: port! });
    await expect.poll(() => heard, { timeout: 5_000 }).toEqual(NAMES.map((name) => [["gap", name]]));
    expect(await metric(second, "streams_open")).toBe(1);
  });

  test("a subscription whose change is under way when the stream is lost is made on the next stream", async () => {
    const gateway = await startGateway();
    const proxy = await startProxy(gateway);
    const stream = streamAt(proxy.url);
    const { heard } = await subscribeTo(stream, ["a"]);
    proxy.onConnection(() =>
      onRequest(carries('"late"'), {
        request(connection, { request }) {
          for (const other of proxy.connections) if (other !== connection) other.destroy();
          proxy.onConnection(() => undefined);
          connection.toServer(request);
        },
      }),
    );
    // The pool's connection must be a new one.
    for (const connection of proxy.connections.slice(1)) connection.destroy();
    const late = stream.subscribe("late");
    const heardLate = record(late);
    await late.ready;
    await expect.poll(() => heard).toEqual([[["gap", "a"]]]);
    await new Redis({ ...quick, url: gateway.url }).publish("late", 1);
    await expect.poll(() => heardLate.at(-1)).toEqual(["late", 1]);
  });

  test("every subscription gets a gap event when its worker dies", async () => {
    const server = await startEngineServer();
    cleanups.push(() => server.stop());
    const args = ["--redis", server.url, "--workers", "2", "--shutdown-timeout", "0"];
    const gateway = await startGatewayProcess({ args });
    cleanups.push(() => gateway.stop());
    const proxy = await startProxy(gateway);
    let worker = Number.NaN;
    proxy.onConnection(() => ({
      exchange({ request }) {
        const [, number] = /^POST \/events\/(\d+)-/.exec(request.toString()) ?? [];
        if (number !== undefined) worker = Number(number);
        return undefined;
      },
    }));
    const { heard } = await subscribeTo(streamAt(proxy.url, { token: gateway.token }), NAMES);
    const children = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, "utf8");
    // Workers are numbered from 1.
    process.kill(Number(children.trim().split(" ")[worker - 1]!), "SIGKILL");
    await expect
      .poll(() => heard.map(([event]) => event), { timeout: 15_000 })
      .toEqual(NAMES.map((name) => ["gap", name]));
    const redis = new Redis({ ...quick, url: gateway.url, token: gateway.token });
    for (const name of NAMES) await redis.publish(name, 1);
    await expect.poll(() => heard.map((events) => events.at(-1))).toEqual(NAMES.map((name) => [name, 1]));
  });
});

describe("a change of a shared stream is lost", () => {
  test.each([
    ["request", { request: (connection: { close(): void }) => connection.close() }],
    ["response", { response: (connection: { close(): void }) => connection.close() }],
  ])("a change whose %s is lost is sent again, and each message arrives once", async (_, fault) => {
    const gateway = await startGateway();
    const proxy = await startProxy(gateway);
    let changes = 0;
    proxy.onConnection(() => ({
      exchange({ request }) {
        if (!request.toString().startsWith("POST /events/")) return undefined;
        changes++;
        return changes === 1 ? (fault as object) : undefined;
      },
    }));
    const { heard } = await subscribeTo(streamAt(proxy.url), NAMES);
    await expect.poll(() => changes).toBe(2);
    const redis = new Redis({ ...quick, url: gateway.url });
    for (const name of NAMES) expect(await redis.publish(name, 1)).toBe(1);
    await expect.poll(() => heard).toEqual(NAMES.map((name) => [[name, 1]]));
  });

  test("a change that does not arrive times out, and others do not wait for it", async () => {
    const gateway = await startGateway();
    const proxy = await startProxy(gateway);
    let swallowed = 0;
    proxy.onConnection(() => onRequest(carries('{"subscribe":["lost"'), { request: () => void swallowed++ }));
    const stream = streamAt(proxy.url, { timeout: 1_500 });
    const { heard } = await subscribeTo(stream, ["a"]);
    const lost = stream.subscribe("lost");
    const failed = expect(lost.ready).rejects.toMatchObject({ name: "TimeoutError", command: "SUBSCRIBE" });
    await expect.poll(() => swallowed).toBe(1);
    const { heard: others } = await subscribeTo(stream, ["b"]);
    expect(lost.getSubscribedChannels()).toEqual(["lost"]);
    await failed;
    const redis = new Redis({ ...quick, url: gateway.url });
    await redis.publish("a", 1);
    await redis.publish("b", 1);
    await expect.poll(() => [heard, others]).toEqual([[[["a", 1]]], [[["b", 1]]]]);
  });

  test("a change is confirmed when Redis is lost during it, with a gap for the others", {
    tags: "redis-server",
  }, async () => {
    const server = await startRedis();
    cleanups.push(() => server.stop());
    const proxy = await startNetworkProxy({
      to: { path: server.path! },
      protocol: "resp",
    });
    cleanups.push(() => proxy.close());
    let cuts = 0;
    proxy.onConnection(() =>
      onRequest((exchange) => carries("subscribe")(exchange) && carries("late")(exchange) && cuts === 0, {
        request(connection) {
          cuts++;
          connection.destroy();
        },
      }),
    );
    const gateway = await startGateway({ redis: `redis://127.0.0.1:${proxy.port}` });
    const stream = streamAt(gateway.url);
    const { heard } = await subscribeTo(stream, NAMES);
    const { heard: late } = await subscribeTo(stream, ["late"]);
    expect(cuts).toBe(1);
    await expect.poll(() => heard.map(([event]) => event)).toEqual(NAMES.map((name) => ["gap", name]));
    await new Redis({ ...quick, url: gateway.url }).publish("late", 1);
    await expect.poll(() => late[0]!.at(-1)).toEqual(["late", 1]);
  });

  test("messages arrive through a balancer whose gateways do not know each other's streams", async () => {
    const gateways = [await startGateway(), await startGateway()];
    let next = 0;
    const balancer = createTcpServer((socket) => {
      const port = Number(new URL(gateways[next++ % 2]!.url).port);
      const upstream = connect(port, "127.0.0.1").on("error", () => {});
      socket
        .on("error", () => {})
        .pipe(upstream)
        .pipe(socket);
    });
    await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => balancer.close());
    const { port } = balancer.address() as { port: number };
    const stream = streamAt(`http://127.0.0.1:${port}`);
    const names = Array.from({ length: 12 }, (_, n) => `c${n}`);
    const all: unknown[][] = [];
    for (const name of names) all.push(...(await subscribeTo(stream, [name])).heard);
    for (const { url } of gateways) {
      const redis = new Redis({ ...quick, url });
      for (const name of names) await redis.publish(name, 1);
    }
    await expect.poll(() => all).toEqual(names.map((name) => [[name, 1]]));
  });
});

describe("an endpoint without streams that can be changed", () => {
  async function serve(handle: (path: string, res: ServerResponse) => void) {
    const paths: string[] = [];
    const server = createServer((req, res) => {
      paths.push(req.url!);
      handle(req.url!, res);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, paths };
  }

  test.each([
    ["Upstash", {}],
    ["an earlier gateway", { "warmline-gateway": "0.0.1" }],
  ])("subscriptions of %s have a stream each, which is found out once", async (_, headers) => {
    const { url, paths } = await serve((path, res) => {
      const [, method, name] = path.split("/");
      if (method === "subscribe") {
        res.writeHead(200, { "content-type": "text/event-stream", ...headers });
        res.write(`data: subscribe,${name},1\n\ndata: message,${name},1\n\n`);
      } else {
        res.writeHead(400, { "content-type": "application/json", ...headers });
        res.end('{"error":"ERR unknown command"}');
      }
    });
    for (const Client of [Redis, FetchRedis]) {
      const stream = sharedStream(new Client({ ...quick, url }));
      const { heard } = await subscribeTo(stream, NAMES);
      await expect.poll(() => heard).toEqual(NAMES.map((name) => [[name, 1]]));
      expect(paths.splice(0).sort()).toEqual(["/events", "/subscribe/a", "/subscribe/b", "/subscribe/c"]);
      await subscribeTo(stream, ["d", "e"]);
      expect(paths.splice(0).sort()).toEqual(["/subscribe/d", "/subscribe/e"]);
    }
  });

  test("a busy endpoint is retried as often as a command", async () => {
    const { url, paths } = await serve((_, res) => void res.writeHead(503).end("busy"));
    const subscriber = streamAt(url, { retry: { retries: 2, backoff: () => 1 } }).psubscribe("a*");
    await expect(subscriber.ready).rejects.toMatchObject({
      name: "ConnectionError",
      message: "PSUBSCRIBE: status 503",
    });
    expect(paths).toEqual(["/events", "/events", "/events"]);
  });

  test("an endpoint that does not respond times out", async () => {
    const { url } = await serve(() => {});
    const { ready } = streamAt(url, { timeout: 100 }).subscribe("a");
    await expect(ready).rejects.toMatchObject({ name: "TimeoutError", command: "SUBSCRIBE" });
  });
});

describe("a slow reader of a shared stream", () => {
  test("a slow reader gets a gap event and a stream of its own, others get every message", async () => {
    const gateway = await startGateway();
    const redis = new Redis({ ...quick, url: gateway.url });
    const stream = streamAt(gateway.url);
    const { heard } = await subscribeTo(stream, ["quick"]);
    const slow = stream.subscribe<string | number>("slow");
    let gaps = 0;
    slow.on("gap", () => gaps++);
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const seen: string[] = [];
    let sent = 0;
    const loop = (async () => {
      for await (const { message } of slow) {
        await held;
        seen.push(String(message).padStart(8).slice(0, 8));
        if (message === "last") break;
      }
    })();
    await slow.ready;
    // More than a loop is behind by, then more than the stream holds.
    const payload = "x".repeat(100_000);
    for (const texts of [Array(3_000).fill(""), ...Array(5).fill(Array(10).fill(payload))]) {
      const pipeline = redis.pipeline();
      for (const text of texts) pipeline.publish("slow", `${String(sent++).padStart(8)}${text}`);
      await pipeline.publish("quick", sent).exec();
    }
    await expect.poll(() => heard[0]!.length).toBe(6);
    expect(heard[0]).not.toContainEqual(["gap", "quick"]);
    expect(gaps).toBe(0);
    go();
    await expect.poll(() => gaps, { timeout: 5_000 }).toBe(1);
    expect(await metric(gateway, "streams_open")).toBe(2);
    expect(await metric(gateway, "streams_dropped_total")).toBe(0);
    await redis.publish("slow", "last");
    await loop;
    // It got a whole beginning, and what came after the gap.
    expect(seen.length).toBeGreaterThan(3_000);
    expect(seen.length).toBeLessThan(sent);
    expect(seen.slice(0, -1)).toEqual(seen.slice(0, -1).map((_, n) => String(n).padStart(8)));
    await expect.poll(() => metric(gateway, "streams_open")).toBe(1);
  });
});

describe("the process with a shared stream", () => {
  test("a process stays alive while it is subscribed, and ends after unsubscribe", async () => {
    const gateway = await startGateway();
    const running = runProgram(
      `import { Redis } from "warmline";
       import { sharedStream } from "warmline/shared-stream";
       const subscriber = sharedStream(Redis.fromEnv()).subscribe(["stop", "other"]);
       subscriber.on("message", async ({ message }) => {
         console.log(message);
         await subscriber.unsubscribe();
       });`,
      { WARMLINE_URL: gateway.url, WARMLINE_TOKEN: gateway.token },
    );
    await expect.poll(() => numsub(gateway, "stop"), { timeout: 10_000 }).toBe(1);
    await new Redis({ ...quick, url: gateway.url }).publish("stop", "now");
    expect(await running).toEqual({ code: 0, output: "now", errors: "" });
  });
});
