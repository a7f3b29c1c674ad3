import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type Loopback, startLoopback } from "warmline/node-redis";
import { createGateway } from "warmline-gateway";
import { startEngineServer } from "../../support/engine-server.js";
import { forEachTest, forTest, sharedByTests } from "../../support/lifetime.js";
import { createClient } from "../../support/redis-clients.js";

// Unmodified node-redis over HTTP, by the server on the loopback interface.

const server = sharedByTests(() => startEngineServer());
const gateway = sharedByTests(() => createGateway({ port: 0, redis: server.url }));
const loopback = forEachTest(() => startLoopback({ url: gateway.url, token: gateway.token }));

async function connect(options = {}) {
  const client = createClient({ ...loopback.options, ...options });
  client.on("error", () => {});
  forTest({ close: () => client.isOpen && client.destroy() });
  return client.connect();
}

test("commands, transactions and scans have the replies that they have over TCP", async () => {
  const redis = await connect();
  expect(await redis.set("n", 1, { EX: 60 })).toBe("OK");
  expect(await redis.incr("n")).toBe(2);
  expect(await redis.get("none")).toBeNull();
  await redis.hSet("h", { a: "1", b: "x" });
  expect(await redis.hGetAll("h")).toEqual({ a: "1", b: "x" });
  await redis.zAdd("z", { score: 1.5, value: "m" });
  expect(await redis.zRangeWithScores("z", 0, -1)).toEqual([{ value: "m", score: 1.5 }]);
  expect(await redis.multi().incr("n").get("n").exec()).toEqual([3, "3"]);
  expect(await redis.eval("return ARGV[1]", { arguments: ["x"] })).toBe("x");
  const keys: string[] = [];
  for await (const found of redis.scanIterator()) keys.push(...found);
  expect(keys.sort()).toEqual(["h", "n", "z"]);
});

test("HELLO gives the facts in the places where node-redis reads them", async () => {
  const facts = { server: "redis", proto: 2, id: 0, mode: "standalone", role: "master", modules: [] };
  expect(await (await connect()).hello()).toMatchObject(facts);
});

test("a subscriber gets the messages of its channels and patterns", async () => {
  const [subscriber, publisher] = [await connect(), await connect()];
  const received: string[][] = [];
  await subscriber.subscribe(["a", "b"], (message, channel) => received.push([channel, message]));
  await subscriber.pSubscribe("b*", (message, channel) => received.push([`p ${channel}`, message]));
  await subscriber.sSubscribe("s", (message, channel) => received.push([`s ${channel}`, message]));
  await publisher.publish("a", "1");
  await publisher.publish("b", "2");
  await publisher.sPublish("s", "3");
  await expect.poll(() => received.length, { timeout: 5_000 }).toBe(4);
  expect(received.sort()).toEqual([
    ["a", "1"],
    ["b", "2"],
    ["p b", "2"],
    ["s s", "3"],
  ]);
  // As Redis replies to a subscriber in RESP2.
  expect(await subscriber.ping()).toBe("pong");
  await subscriber.unsubscribe("a");
  await publisher.publish("a", "4");
  await publisher.publish("b", "5");
  await expect.poll(() => received.length, { timeout: 5_000 }).toBe(6);
  expect(received.slice(4).every(([channel]) => channel !== "a")).toBe(true);
});

/** Sends commands in one write, and returns what comes back up to the reply to `PING end`. */
async function exchangeAll(
  address: { path: string } | Loopback["options"]["socket"],
  commands: readonly string[],
) {
  const socket: Socket = createConnection(address);
  socket.on("error", () => {});
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  await once(socket, "connect");
  const lines = commands.map((line) => line.split(" "));
  socket.write(
    lines
      .map((args) => `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join("")}`)
      .join(""),
  );
  await expect.poll(() => received).toMatch(/\$3\r\nend\r\n$/);
  socket.destroy();
  return received;
}

test.each([
  ["MULTI", "SET k 1", "MULTI", "INCR k", "DISCARD", "EXEC", "GET k"],
  ["MULTI", "SET k x", "INCR k", "EXEC", "MULTI", "EXEC"],
  ["MULTI", "SET k", "EXEC", "DISCARD"],
  ["DISCARD", "MULTI", "RESET", "EXEC"],
])("each command of a transaction sent at once has Redis's reply: %s", async (...commands) => {
  const { password, socket } = loopback.options;
  const direct = await exchangeAll({ host: "127.0.0.1", port: server.port }, [
    "FLUSHALL",
    ...commands,
    "PING end",
  ]);
  const through = await exchangeAll(socket, [`AUTH ${password}`, "FLUSHALL", ...commands, "PING end"]);
  expect(through).toBe(`+OK\r\n${direct}`);
});

describe("the loopback server", () => {
  /** Sends text and returns what comes back until the socket closes or is silent for 300 ms. */
  async function exchange(text: string): Promise<string> {
    const socket: Socket = createConnection(loopback.options.socket);
    await once(socket, "connect");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", () => {});
    // Not by once(), which an error rejects: a server that closes before it has read all of the text resets the connection.
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(text);
    // On a busy machine the first reply takes a while.
    await expect.poll(() => received !== "" || socket.closed).toBe(true);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 300))]);
    const { destroyed } = socket;
    socket.destroy();
    return destroyed ? `${received}closed` : received;
  }

  test("the server runs nothing without its password", async () => {
    const redis = await connect();
    expect(await exchange("*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$1\r\n1\r\n")).toBe(
      "-NOAUTH Authentication required.\r\n",
    );
    expect(await exchange("*2\r\n$4\r\nAUTH\r\n$5\r\nwrong\r\n*2\r\n$3\r\nGET\r\n$1\r\nx\r\n")).toMatch(
      /^-WRONGPASS .*\r\n-NOAUTH /,
    );
    expect(await exchange("*1\r\n$4\r\nINFO\r\n")).toMatch(/^-NOAUTH/);
    expect(await exchange("*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n")).toMatch(/^-NOAUTH .*\r\n-NOAUTH /);
    expect(await redis.exists("x")).toBe(0);
  });

  test("the server does not keep what a stranger sends", async () => {
    expect(await exchange(`*2\r\n$4\r\nECHO\r\n$99999999\r\n${"x".repeat(100_000)}`)).toContain("closed");
    expect(await exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^-ERR Protocol error.*\r\nclosed$/s);
  });

  test("a client that has only the url of the server connects to it", async () => {
    const client = createClient({ url: loopback.url, RESP: 2 });
    await client.connect();
    expect(await client.set("by-url", "1")).toBe("OK");
    client.destroy();
  });
});
