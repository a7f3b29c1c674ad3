import type session from "express-session";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { SessionStore } from "warmline-adapters/express-session";
import { useGateway } from "warmline-gateway/testing";

useGateway({ beforeAll, beforeEach, afterAll });

const inMs = (ms: number) => ({ cookie: { originalMaxAge: ms, expires: new Date(Date.now() + ms) } });
const ofBrowser = { cookie: { originalMaxAge: null }, user: "ada" } as unknown as session.SessionData;
const call = <T>(run: (done: (error: unknown, value?: T) => void) => void) =>
  new Promise<T | undefined>((resolve, reject) =>
    run((error, value) => (error ? reject(error) : resolve(value))),
  );

test("a session is stored, read, extended and removed", async () => {
  const redis = Redis.fromEnv();
  const store = new SessionStore(redis);
  await call((done) => store.set("1", { ...inMs(60_000), user: "ada" } as session.SessionData, done));
  expect(await call((done) => store.get("1", done))).toMatchObject({ user: "ada" });
  expect(await redis.ttl("session:1")).toBeGreaterThan(50);
  await call((done) => store.touch("1", inMs(600_000), done));
  expect(await redis.ttl("session:1")).toBeGreaterThan(500);
  await call((done) => store.destroy("1", done));
  expect(await call((done) => store.get("1", done))).toBeNull();
});

test("a session of a cookie without a lifetime lives for ttl, by default a day", async () => {
  for (const ttl of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => new SessionStore(Redis.fromEnv(), { ttl })).toThrow(/^ttl must be a positive number/);
  }
  const store = new SessionStore(Redis.fromEnv(), { prefix: "s:", ttl: 100 });
  await call((done) => store.set("1", ofBrowser, done));
  expect(await Redis.fromEnv().ttl("s:1")).toBeGreaterThan(90);
  await call((done) => new SessionStore(Redis.fromEnv()).set("1", ofBrowser, done));
  expect(Math.ceil((await Redis.fromEnv().pttl("session:1")) / 60_000)).toBe(24 * 60);
});

test("a session whose cookie has expired is removed", async () => {
  const store = new SessionStore(Redis.fromEnv());
  await call((done) => store.set("1", ofBrowser, done));
  await call((done) => store.set("1", inMs(-1), done));
  expect(await call((done) => store.get("1", done))).toBeNull();
});

test("length and clear concern sessions alone", async () => {
  const redis = Redis.fromEnv();
  const store = new SessionStore(redis);
  await redis.set("other", 1);
  for (const id of ["1", "2"]) await call((done) => store.set(id, ofBrowser, done));
  expect(await call<number>((done) => store.length(done))).toBe(2);
  await call((done) => store.clear(done));
  expect(await redis.keys("*")).toEqual(["other"]);
});

test("an object that is no client, and an unknown option, are refused", () => {
  const client = Redis.fromEnv();
  expect(() => new SessionStore({ client } as never)).toThrow("redis must be a client of warmline");
  expect(() => new SessionStore(client, { tll: 5 } as never)).toThrow(
    "unknown option tll; the options are prefix, ttl",
  );
});

test("an error of Redis is passed to the callback", async () => {
  const redis = Redis.fromEnv();
  await redis.rpush("session:1", "x");
  await expect(call((done) => new SessionStore(redis).get("1", done))).rejects.toThrow("WRONGTYPE");
});

test("a lifetime that is not a number of seconds is refused", () => {
  for (const ttl of [0, 1e10, "60" as never])
    expect(() => new SessionStore(Redis.fromEnv(), { ttl })).toThrow("ttl must be a positive number");
});

test.each<RedisOptions>([
  { codec: "text" },
  { codec: "bytes" },
  { codec: { encode: () => "x", decode: () => "y" } },
  { automaticDeserialization: false },
])("a client with %o stores and reads sessions", async (options) => {
  const store = new SessionStore(Redis.fromEnv(options));
  await call((done) => store.set("1", ofBrowser, done));
  expect(await call((done) => store.get("1", done))).toEqual(ofBrowser);
});

test("a lifetime may have a fraction of a millisecond", async () => {
  const store = new SessionStore(Redis.fromEnv(), { ttl: 100 / 3 });
  await call((done) => store.set("1", ofBrowser, done));
  await call((done) => store.touch("1", ofBrowser, done));
  expect(await Redis.fromEnv().ttl("session:1")).toBeGreaterThan(20);
});
