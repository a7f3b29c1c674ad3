import { beforeAll, describe, expect, test } from "vitest";
import { startFakeRedis, startRedis } from "warmline-testbed";
import { createGateway } from "../../../gateway/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { call, run } from "./http.js";

const BLOCKING = ["BLPOP", "l", "0.01"];

describe("a Redis with a password", { tags: "redis-server" }, () => {
  let port: number;
  const start = async (url: string) =>
    forTest(await createGateway({ redis: url, port: 0, commandTimeout: 2_000 }));
  const redis = sharedByTests(() => startRedis({ listen: "tcp" }));
  beforeAll(async () => {
    port = redis.port!;
    await redis.command("ACL", "SETUSER", "ann", "on", ">p@ss word", "~*", "+@all");
    await redis.command("ACL", "SETUSER", "bob", "on", ">bob", "~*", "+@all", "-multi");
    await redis.command("ACL", "SETUSER", "cid", "on", ">cid", "~*", "+get", "+set");
    await redis.command("CONFIG", "SET", "requirepass", "secret");
  });

  test("every kind of connection signs in, in the given database", async () => {
    const first = await start(`redis://:secret@127.0.0.1:${port}/3`);
    expect(await run(first, "SET", "k", "three")).toBe("OK");
    expect((await call(first, "/multi-exec", { body: [["GET", "k"]] })).json).toEqual([{ result: "three" }]);
    const { json } = await call(first, "/pipeline", { body: [["GET", "k"], BLOCKING] });
    expect(json[0]).toEqual({ result: "three" });
    await first.close();
    const other = await start(`redis://ann:p%40ss%20word@127.0.0.1:${port}`);
    expect(await run(other, "GET", "k")).toBeNull();
    await other.close();
    const byName = await start(`redis://:secret@localhost:${port}/3`);
    expect(await run(byName, "GET", "k")).toBe("three");
  });

  test.each([
    ["no password", "redis://127.0.0.1", "NOAUTH"],
    ["a wrong password", "redis://:wrong-one@127.0.0.1", "WRONGPASS"],
    ["a database that is not there", "redis://:secret@127.0.0.1", "ERR DB index is out of range"],
  ])("%s is an unsent error with Redis's message", async (what, url, text) => {
    const path = what.includes("database") ? "/999" : "";
    const response = await call(await start(`${url}:${port}${path}`), "/", { body: ["INCR", "n"] });
    expect(response.status).toBe(503);
    expect(response.headers["warmline-outcome"]).toBe("unsent");
    expect(response.json.error).toContain(text);
    expect(response.text).not.toContain("wrong-one");
  });

  test("a user without MULTI runs no part of a transaction", async () => {
    const bob = await start(`redis://bob:bob@127.0.0.1:${port}`);
    expect(await run(bob, "INCR", "bobs")).toBe(1);
    const increment = ["INCR", "bobs"];
    const response = await call(bob, "/multi-exec", { body: [increment, increment] });
    expect(response.status).toBe(503);
    expect(response.json.error).toMatch(/NOPERM/);
    expect(await run(bob, "GET", "bobs")).toBe("1");
  });

  test("a user without PING can be used", async () => {
    const cid = await start(`redis://cid:cid@127.0.0.1:${port}`);
    expect(await run(cid, "SET", "cids", "v")).toBe("OK");
    expect((await call(cid, "/", { body: ["INCR", "cids"] })).json.error).toMatch(/^NOPERM/);
    expect((await call(cid, "/health")).status).toBe(200);
  });
});

test("rediss:// sends nothing in the clear to a server without TLS", async () => {
  const fake = forTest(await startFakeRedis());
  const redis = fake.url.replace("redis:", "rediss:");
  const gateway = forTest(await createGateway({ redis, port: 0, commandTimeout: 300 }));
  const response = await call(gateway, "/", { body: ["SET", "k", "v"] });
  expect(response.status).toBe(503);
  expect(response.headers["warmline-outcome"]).toBe("unsent");
  expect(fake.applied).toEqual([]);
});
