import { afterEach, describe, expect, test } from "vitest";
import { warmlineConnector } from "warmline/ioredis";
import { createGateway, type Gateway } from "warmline-gateway";
import { freePorts, startFakeRedis, startRedis } from "warmline-testbed";
import { RawEndpoint, resp2Response } from "../../support/endpoint.js";
import { startEngineServer } from "../../support/engine-server.js";
import { errorOf } from "../../support/error-of.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { IORedis, type IORedisClient, type RedisOptions } from "../../support/redis-clients.js";

// Unmodified ioredis over HTTP: what it writes reaches a Redis, and every reply comes back in its form and its place.

const server = sharedByTests(() => startEngineServer());
const gateway = sharedByTests(() => createGateway({ port: 0, redis: server.url }));

afterEach(() => server.command("FLUSHALL"));

const connector = (options = {}) => warmlineConnector({ url: gateway.url, token: gateway.token, ...options });

function connect(options: RedisOptions = {}, connectorOptions = {}): IORedisClient {
  const client = new IORedis({ Connector: connector(connectorOptions), ...options });
  client.on("error", () => {});
  forTest({ close: () => client.disconnect() });
  return client;
}

/** Collects what a client emits. */
function collect(client: IORedisClient): unknown[][] {
  const events: unknown[][] = [];
  for (const type of ["messageBuffer", "pmessageBuffer", "smessageBuffer"]) {
    client.on(type, (...args: unknown[]) => events.push([type.replace("Buffer", ""), ...args.map(String)]));
  }
  return events;
}

/** Returns the number of open event streams. */
async function streamsOf({ url, token }: Gateway): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return Number(/^warmline_gateway_streams_open(?:\{.*\})? (\d+)/m.exec(await response.text())?.[1]);
}

describe("commands", () => {
  test("bytes come back as they were stored, in a transaction too", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const redis = connect();
    expect(await redis.call("SET", bytes, bytes)).toBe("OK");
    expect(await redis.getBuffer(bytes)).toEqual(bytes);
    expect(await redis.multi().getBuffer(bytes).set("k", bytes).getBuffer("k").exec()).toEqual([
      [null, bytes],
      [null, "OK"],
      [null, bytes],
    ]);
  });

  test("a pipeline's errors are in the places of their results", async () => {
    const results = await connect().pipeline().set("a", "x").incr("a").call("nosuch").get("a").exec();
    expect(results).toMatchObject([
      [null, "OK"],
      [{ message: /integer/ }],
      [{ message: /unknown/ }],
      [null, "x"],
    ]);
  });

  test("commands issued while a request is in flight share the next one, and clients share connections", async () => {
    const endpoint = await RawEndpoint.startForTest();
    const ok = (count: number) => resp2Response(`*${count}\r\n${"+OK\r\n".repeat(count)}`);
    endpoint.answer(ok(1));
    const at = { url: endpoint.url, token: "t" };
    const bare = { enableReadyCheck: false, disableClientInfo: true };
    const [one, other] = [connect(bare, at), connect(bare, at)];
    await one.get("a");
    await other.get("b");
    let respond = () => {};
    endpoint.onRequest = ({ socket }) => {
      respond = () => socket.write(ok(1));
    };
    const calls = [one.get("c")];
    await expect.poll(() => endpoint.requests.length).toBe(3);
    for (const key of ["d", "e"]) {
      calls.push(one.get(key));
      await new Promise(setImmediate);
    }
    endpoint.answer(ok(2));
    respond();
    await Promise.all(calls);
    expect([endpoint.requests.length, endpoint.connections]).toEqual([4, 1]);
  });

  test("a transaction of more than 10 MB is refused, and nothing of it is run", async () => {
    const redis = connect();
    const large = "x".repeat(6_000_000);
    const results = await errorOf(redis.multi().set("a", large).set("b", large).exec());
    expect(results).toMatchObject({ message: "ERR the request is larger than 10485760 bytes" });
    expect(await redis.exists("a", "b")).toBe(0);
  });

  test("WAIT follows its writes in one request", async () => {
    const results = await connect().pipeline().set("a", 1).wait(0, 100).get("a").exec();
    expect(results).toEqual([
      [null, "OK"],
      [null, 0],
      [null, "1"],
    ]);
  });
});

describe("a transaction", () => {
  test("a refused command has its error in its place, and nothing ran", async () => {
    const redis = connect();
    const error = await errorOf(redis.multi().set("a", 1).call("set", "b").exec());
    expect(error.message).toMatch(/^EXECABORT/);
    expect(error.previousErrors.map(({ message }: Error) => message)).toEqual([
      "ERR wrong number of arguments for 'set' command",
    ]);
    expect(await redis.exists("a")).toBe(0);
  });

  test("commands one by one are queued, run by EXEC and dropped by DISCARD", async () => {
    const redis = connect();
    expect(await redis.multi({ pipeline: false })).toBe("OK");
    expect(await redis.incr("n")).toBe("QUEUED");
    expect(await redis.exec()).toEqual([[null, 1]]);
    await redis.multi({ pipeline: false });
    expect(await redis.incr("n")).toBe("QUEUED");
    expect(await redis.discard()).toBe("OK");
    expect(await redis.get("n")).toBe("1");
    await expect(redis.exec()).rejects.toThrow("ERR EXEC without MULTI");
  });
});

test("BLPOP waits beyond the timeout of other commands, which begins after it for those behind it", async () => {
  const waiting = connect({ enableReadyCheck: false, disableClientInfo: true }, { timeout: 1_000 });
  const other = connect();
  await waiting.get("connected");
  const popped = waiting.blpop("l", 20);
  const behind = waiting.get("k");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await other.rpush("l", "v");
  expect(await popped).toEqual(["l", "v"]);
  expect(await behind).toBeNull();
});

describe("subscriptions", () => {
  test("many channels, patterns and sharded channels share one event stream", async () => {
    const [subscriber, publisher] = [connect(), connect()];
    const events = collect(subscriber);
    // Wait until the event streams of earlier tests have ended.
    await expect.poll(() => streamsOf(gateway)).toBe(0);
    const channels = Array.from({ length: 50 }, (_, i) => `c${i}`);
    expect(await subscriber.subscribe(...channels)).toBe(50);
    expect(await subscriber.psubscribe("c1*")).toBe(51);
    expect(await subscriber.ssubscribe("shard")).toBe(1);
    expect(await streamsOf(gateway)).toBe(1);
    await publisher.publish("c7", "a,b\nc");
    await publisher.publish("c10", "x");
    await publisher.spublish("shard", "s");
    await expect.poll(() => events.length).toBe(4);
    expect(events.sort()).toEqual([
      ["message", "c10", "x"],
      ["message", "c7", "a,b\nc"],
      ["pmessage", "c1*", "c10", "x"],
      ["smessage", "shard", "s"],
    ]);
  });

  test("channels may have names with commas, line breaks and dots, and names that are not text", async () => {
    const [subscriber, publisher] = [connect(), connect()];
    const bytes = Buffer.from([0xff, 0x00, 0x2f]);
    const received: Buffer[][] = [];
    subscriber.on("messageBuffer", (...parts) => received.push(parts));
    // The event stream confirms "a\nb" and "a b" by the same line.
    const names = [",a,b", "a\nb", "a b", ".", ".."].map((name) => Buffer.from(name));
    expect(await subscriber.subscribe(...names)).toBe(5);
    expect(await subscriber.subscribe(bytes)).toBe(6);
    for (const name of [...names, bytes]) await publisher.publish(name, bytes);
    await expect.poll(() => received.length).toBe(6);
    expect(new Set(received.map(([name]) => name!.toString("hex")))).toEqual(
      new Set([...names, bytes].map((name) => name.toString("hex"))),
    );
    expect(received.every(([, message]) => message!.equals(bytes))).toBe(true);
  });

  test("an unsubscribed channel brings no message, and the others go on", async () => {
    const [subscriber, publisher] = [connect(), connect()];
    const events = collect(subscriber);
    await subscriber.subscribe("a", "b");
    expect(await subscriber.unsubscribe("a")).toBe(1);
    await publisher.publish("a", "1");
    await publisher.publish("b", "2");
    await expect.poll(() => events.length).toBeGreaterThan(0);
    expect(events).toEqual([["message", "b", "2"]]);
    expect(await subscriber.unsubscribe("b")).toBe(0);
    expect(await subscriber.set("k", "ordinary again")).toBe("OK");
  });

  test("a stream that is lost ends the connection: ioredis says so, connects again and subscribes again", async () => {
    const [port] = await freePorts(1);
    const options = { port: port!, redis: server.url, token: "t".repeat(32) };
    let own = await createGateway(options);
    const subscriber = connect({ retryStrategy: () => 50 }, { url: own.url, token: own.token });
    try {
      const publisher = connect();
      const events = collect(subscriber);
      await subscriber.subscribe("c");
      const closed = new Promise((resolve) => subscriber.once("close", resolve));
      await own.close();
      await closed;
      own = await createGateway(options);
      await expect.poll(() => publisher.publish("c", "m")).toBe(1);
      await expect.poll(() => events[0]).toEqual(["message", "c", "m"]);
    } finally {
      subscriber.disconnect();
      await own.close();
    }
  });

  test("SUBSCRIBE to a channel that the token may not read is refused", async () => {
    const limited = forTest(
      await createGateway({
        port: 0,
        redis: server.url,
        tokens: [{ name: "p", token: "p".repeat(32), prefix: "app:" }],
      }),
    );
    const subscriber = connect({ enableReadyCheck: false }, { url: limited.url, token: "p".repeat(32) });
    await expect(subscriber.subscribe("other")).rejects.toThrow(/^NOPERM/);
    expect(await subscriber.subscribe("app:c")).toBe(1);
    subscriber.disconnect();
  });
});

describe("on a real Redis", { tags: "redis-server" }, () => {
  const redis = sharedByTests(() => startRedis());
  const own = sharedByTests(() => createGateway({ port: 0, redis: redis.url }));
  const at = () => ({ url: own.url, token: own.token });

  test("BLPOP ends when its client disconnects, and what is pushed then stays", async () => {
    const [waiting, other] = [connect({}, at()), connect({}, at())];
    const popped = waiting.blpop("l", 0);
    popped.catch(() => {});
    const blocked = async () => /^blocked_clients:(\d+)/m.exec(String(await redis.command("INFO")))![1];
    await expect.poll(blocked).toBe("1");
    waiting.disconnect();
    await expect(popped).rejects.toThrow("Connection is closed.");
    await expect.poll(blocked).toBe("0");
    await other.rpush("l", "v");
    expect(await other.lrange("l", 0, -1)).toEqual(["v"]);
  });

  test("a gap in the gateway's own subscription ends the connection, and ioredis subscribes again", async () => {
    const [subscriber, publisher] = [connect({ retryStrategy: () => 50 }, at()), connect({}, at())];
    const events = collect(subscriber);
    await subscriber.subscribe("c");
    const closed = new Promise((resolve) => subscriber.once("close", resolve));
    expect(await redis.command("CLIENT", "KILL", "TYPE", "PUBSUB")).toBeGreaterThan(0);
    await closed;
    await expect.poll(() => publisher.publish("c", "m")).toBe(1);
    await expect.poll(() => events[0]).toEqual(["message", "c", "m"]);
  });
});

test("MONITOR shows what Redis runs", async () => {
  const redis = connect();
  const monitor = await redis.monitor();
  forTest({ close: () => monitor.disconnect() });
  const seen = new Promise<string[]>((resolve) => {
    monitor.on("monitor", (_time: string, args: string[]) => {
      if (args[0]?.toUpperCase() === "GET") resolve(args);
    });
  });
  await redis.get("watched");
  expect(await seen).toEqual(["get", "watched"]);
});

describe("what HTTP cannot keep is an error that names the cure", () => {
  test("WATCH is refused, and the transaction after it does not run", async () => {
    const redis = connect();
    await expect(redis.watch("k")).rejects.toThrow(/WATCH is not available over HTTP.*Lua/);
    await expect(redis.multi().set("k", 1).exec()).rejects.toThrow(/^EXECABORT.*WATCH/);
    expect(await redis.multi().set("k", 2).exec()).toEqual([[null, "OK"]]);
    await expect(redis.watch("k")).rejects.toThrow();
    expect(await redis.unwatch()).toBe("OK");
    expect(await redis.multi().get("k").exec()).toEqual([[null, "2"]]);
  });

  test("SELECT of another database is refused, and nothing runs in database 0 instead", async () => {
    const redis = connect();
    await expect(redis.select(1)).rejects.toThrow(/only database 0.*redis:\/\/host\/1/);
    await expect(redis.set("k", 1)).rejects.toThrow(/SELECT 0 first/);
    await expect(redis.multi().set("k", 1).exec()).rejects.toThrow();
    expect(await redis.select(0)).toBe("OK");
    expect(await redis.get("k")).toBeNull();
  });

  test.each([
    [
      "CLIENT TRACKING",
      ["client", "tracking", "on"],
      /TRACKING is not available over HTTP.*connect to Redis/,
    ],
    ...[["ID"], ["INFO"], ["NO-EVICT", "on"], ["NO-TOUCH", "on"], ["REPLY", "off"]].map(
      ([name, ...args]): [string, string[], RegExp] => [
        `CLIENT ${name}`,
        ["client", name!, ...args],
        new RegExp(`CLIENT ${name} is not available over HTTP`),
      ],
    ),
    ["HELLO 3", ["hello", "3"], /^NOPROTO RESP3 is not available over HTTP: use RESP2/],
  ] as [string, string[], RegExp][])("%s is refused", async (_, [command, ...args], message) => {
    await expect(connect().call(command!, ...args)).rejects.toThrow(message);
  });

  test.each([
    [{ db: 1 }, /db of ioredis has no effect over HTTP.*redis:\/\/host\/1/],
    [{ host: "redis.internal" }, /host of ioredis has no effect.*url to warmlineConnector/],
    [{ username: "u" }, /username of ioredis has no effect.*token/],
    [{ port: 6380 }, /port of ioredis has no effect.*url to warmlineConnector/],
    [{ path: "/redis.sock" }, /path of ioredis has no effect.*url to warmlineConnector/],
    [{ tls: {} }, /tls of ioredis has no effect.*https:/],
    [{ sentinels: [{ host: "a" }] }, /sentinels of ioredis has no effect.*redis\+sentinel:/],
  ])("an option of ioredis without effect is refused: %j", (options, message) => {
    expect(() => connect(options as RedisOptions)).toThrow(message);
  });
});

test("a command ends within its timeout or deadline, and one that was not sent never runs", async () => {
  const redis = forTest(await startFakeRedis());
  const slow = forTest(await createGateway({ port: 0, redis: redis.url }));
  let left = 1_800;
  const options = {
    url: slow.url,
    token: slow.token,
    timeout: 1_200,
    deadline: { remaining: () => left },
  };
  const client = connect({ enableReadyCheck: false, disableClientInfo: true }, options);
  await client.get("warm");
  redis.script(({ name }) => (name === "INCR" ? { late: 3_000 } : undefined));
  const began = performance.now();
  const first = client.incr("n").catch(({ message }) => message);
  left = 600;
  const second = client.set("k", "x").catch(({ message }) => message);
  expect(await first).toMatch(
    /^UNKNOWNOUTCOME INCR: no response within (1[01]\d\d|1200) ms.* may have been applied$/,
  );
  expect(performance.now() - began).toBeLessThan(2_700);
  expect(await second).toMatch(/^UNSENT SET: .* was not sent\b/);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect([redis.count("INCR"), redis.count("SET")]).toEqual([1, 0]);
});

describe("options of the connector", () => {
  test("a missing url is an error of the connection, not of the module that creates it", async () => {
    const client = new IORedis({ Connector: warmlineConnector({}), lazyConnect: true });
    client.on("error", () => {});
    await expect(client.connect()).rejects.toThrow(
      "url and token missing: pass them to warmlineConnector({ url, token }), or set WARMLINE_URL and WARMLINE_TOKEN",
    );
  });

  test.each([
    [{ url: "redis://host" }, /redis:\/\/ address/],
    [{ url: "http://host", token: "t", tiemout: 5 }, /unknown option tiemout; did you mean timeout\?/],
    [{ url: "http://host", token: "t", codec: "text" }, /unknown option codec/],
    [null, /must be an object/],
  ])("the connector refuses %j", (options, message) => {
    const given = options && { token: "t", ...options };
    expect(() => warmlineConnector(given as never)).toThrow(message);
  });
});
