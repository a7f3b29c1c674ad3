import { afterEach, beforeEach, expect, test } from "vitest";
import { connectRedis, type FakeRedis, type RedisConnection, startFakeRedis } from "warmline-testbed";
import { rawClient } from "./raw.js";

let fake: FakeRedis;
let redis: RedisConnection;

beforeEach(async () => {
  fake = await startFakeRedis();
  redis = await connectRedis(fake);
});

afterEach(async () => {
  redis.close();
  await fake.close();
});

test("the fake replies as Redis does and counts applied commands", async () => {
  expect(await redis.command("PING")).toBe("PONG");
  expect(await redis.command("SET", "k", "v")).toBe("OK");
  expect(await redis.command("get", "k")).toBe("v");
  expect(await redis.command("GET", "none")).toBeNull();
  expect(await redis.command("INCR", "n")).toBe(1);
  expect(await redis.command("INCR", "n")).toBe(2);
  expect(await redis.command("RPUSH", "l", "a", "b")).toBe(2);
  expect(await redis.command("LRANGE", "l", 0, -1)).toEqual(["a", "b"]);
  expect(await redis.command("DEL", "k", "none")).toBe(1);
  await expect(redis.command("GET", "l")).rejects.toThrow("WRONGTYPE");
  await expect(redis.command("NOSUCH")).rejects.toThrow("ERR unknown command 'NOSUCH'");
  expect(fake.count("incr")).toBe(2);
  expect(fake.applied[0]).toMatchObject({ name: "PING", number: 1, connection: 1, times: 1 });
});

test("a command with a lost reply is applied, and the next reply arrives in its place", async () => {
  fake.script(({ name, times }) => (name === "INCR" && times === 1 ? "lose" : undefined));
  const lost = redis.command("INCR", "n");
  const next = redis.command("GET", "n");
  expect(await lost).toBe("1");
  expect(fake.count("INCR")).toBe(1);
  void next.catch(() => {});
});

test.each([
  ["close", "has ended"],
  ["reset", "ECONNRESET"],
] as const)("the fake can %s the connection instead of replying", async (action, message) => {
  fake.script(() => action);
  await expect(redis.command("INCR", "n")).rejects.toThrow(message);
  expect(fake.count("INCR")).toBe(1);
});

test("a refused command is not applied, and given bytes are sent unchanged", async () => {
  fake.script(({ times }) => (times === 1 ? { refuse: "LOADING not yet" } : { bytes: "$3\r\nabc\r\n" }));
  await expect(redis.command("INCR", "n")).rejects.toThrow("LOADING not yet");
  expect(fake.count("INCR")).toBe(0);
  expect(await redis.command("INCR", "n")).toBe("abc");
  expect(fake.count("INCR")).toBe(1);
});

test("a late reply delays later replies", async () => {
  fake.script(({ name }) => (name === "GET" ? { late: 60 } : undefined));
  const begin = performance.now();
  const order: string[] = [];
  await Promise.all([
    redis.command("GET", "k").then(() => order.push("GET")),
    redis.command("PING").then(() => order.push("PING")),
  ]);
  expect(order).toEqual(["GET", "PING"]);
  expect(performance.now() - begin).toBeGreaterThan(58);
});

test("a cut reply ends with the connection", async () => {
  fake.script(() => ({ cut: 5 }));
  const client = await rawClient(fake.port);
  client.socket.write("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*2\r\n$4\r\nECHO\r\n$5\r\nhello\r\n");
  await client.until(({ state }) => state === "ended");
  expect(client.text).toBe("$-1\r\n");
  client.socket.destroy();
});

test("resetConnections resets every connection", async () => {
  await redis.command("PING");
  expect(fake.connectionsOpen).toBe(1);
  fake.resetConnections();
  await expect(redis.command("PING")).rejects.toThrow();
  await expect.poll(() => fake.connectionsOpen).toBe(0);
  expect(fake.connectionsOpened).toBe(1);
});
