import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_REDIS, type RedisServer, redisAvailable, startRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { call, run } from "./http.js";

describe.runIf(redisAvailable())(`routes by the prefix of keys (${NO_REDIS})`, () => {
  let servers: RedisServer[];
  let gateway: Gateway;
  beforeAll(async () => {
    servers = await Promise.all(Array.from({ length: 3 }, () => startRedis({ listen: "tcp" })));
    const [sessions, carts, rest] = servers.map(({ url }) => url);
    gateway = await createGateway({
      routes: [`*=${rest}`, `sess:=${sessions}`, `sess:cart:=${carts}?strip=true`],
      port: 0,
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(servers?.map((server) => server.stop()) ?? []);
  });

  const keysOf = async (at: number) => ((await servers[at]!.command("KEYS", "*")) as string[]).sort();

  it("the longest prefix counts, a pipeline over all comes back in order", async () => {
    const answer = await call(gateway, "/pipeline", {
      body: [
        ["SET", "sess:1", "s"],
        ["SET", "sess:cart:1", "c"],
        ["SET", "other", "o"],
        ["GET", "sess:cart:1"],
        ["GET", "other"],
        ["GET", "sess:1"],
        ["SET", "", "empty"],
      ],
    });
    expect(answer.json.map(({ result }: { result: string }) => result)).toEqual([
      "OK",
      "OK",
      "OK",
      "c",
      "o",
      "s",
      "OK",
    ]);
    expect([await keysOf(0), await keysOf(1), await keysOf(2)]).toEqual([["sess:1"], ["1"], ["", "other"]]);
  });

  it("a command on two routes is refused alone; on one it runs", async () => {
    const answer = await call(gateway, "/pipeline", {
      body: [
        ["MGET", "sess:1", "other"],
        ["EXISTS", "sess:1", "sess:2"],
        ["RENAME", "sess:1", "sess:cart:9"],
      ],
    });
    expect(answer.json[0].error).toMatch(/^ERR .*different routes/);
    expect(answer.json[1]).toEqual({ result: 1 });
    expect(answer.json[2].error).toMatch(/^ERR .*different routes/);
  });

  it("transactions run on one route, and are refused whole on two", async () => {
    const ran = await call(gateway, "/multi-exec", {
      body: [["SET", "sess:n", 1], ["PING"], ["INCR", "sess:n"]],
    });
    expect(ran.json).toEqual([{ result: "OK" }, { result: "PONG" }, { result: 2 }]);
    const refused = await call(gateway, "/multi-exec", {
      body: [
        ["SET", "sess:n", 5],
        ["SET", "n", 5],
      ],
    });
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatch(/command 2 of 2, 'set': ERR .*different routes/);
    expect(await run(gateway, "GET", "sess:n")).toBe("2");
  });

  it("what has no keys goes to the rest", async () => {
    expect(await run(gateway, "DBSIZE")).toBe(2);
    expect((await run(gateway, "KEYS", "*")).sort()).toEqual(["", "other"]);
    expect(await run(gateway, "PUBLISH", "sess:channel", "m")).toBe(0);
  });

  it("a stripped prefix is back in replies that name keys", async () => {
    await run(gateway, "RPUSH", "sess:cart:l", "x", "y", "z");
    expect(await run(gateway, "BLPOP", "sess:cart:none", "sess:cart:l", 1)).toEqual(["sess:cart:l", "x"]);
    expect(await run(gateway, "LMPOP", 1, "sess:cart:l", "LEFT")).toEqual(["sess:cart:l", ["y"]]);
    await run(gateway, "XADD", "sess:cart:x", "1-1", "f", "v");
    expect(await run(gateway, "XREAD", "STREAMS", "sess:cart:x", "0")).toEqual([
      ["sess:cart:x", [["1-1", ["f", "v"]]]],
    ]);
    const { json } = await call(gateway, "/multi-exec", {
      body: [
        ["LPOP", "sess:cart:l"],
        ["LMPOP", 1, "sess:cart:l", "LEFT"],
      ],
    });
    expect(json).toEqual([{ result: "z" }, { result: null }]);
    expect(await run(gateway, "BLPOP", "sess:cart:none", "0.05")).toBeNull();
    expect((await run(gateway, "SORT", "sess:cart:l", "BY", "w_*")).error).toMatch(/patterns/);
  });

  it("WAIT concerns every route that was written to", async () => {
    const answer = await call(gateway, "/pipeline", {
      body: [
        ["SET", "sess:w", 1],
        ["SET", "w", 1],
        ["WAIT", 0, 100],
      ],
    });
    expect(answer.json[2]).toEqual({ result: 0 });
  });

  it("one that is down fails its own commands alone, and is told by /health", async () => {
    await servers[0]!.kill();
    const answer = await call(gateway, "/pipeline", {
      body: [
        ["GET", "sess:1"],
        ["GET", "other"],
      ],
    });
    expect(answer.json[0].error).toMatch(/^UNKNOWNOUTCOME|^UNSENT/);
    expect(answer.json[1]).toEqual({ result: "o" });
    expect((await call(gateway, "/health")).status).toBe(503);
    await servers[0]!.restart();
    await expect.poll(async () => (await call(gateway, "/health")).status, { timeout: 10_000 }).toBe(200);
  });
});

it.each([
  [["sess:"], /^routes: a route is not understood/],
  [["=redis://a"], /^routes: a route is not understood/],
  [["a:=redis://"], /^routes: the URL names no host/],
  [["a:=redis://x:s3cret", "a:=redis://y"], /^routes: /],
  [["*=redis://a?strip=true"], /^routes: .*nothing to strip/],
])("the routes %j are refused by name", async (routes, message) => {
  await expect(createGateway({ routes, port: 0 })).rejects.toThrow(message);
  await expect(createGateway({ routes: ["*=redis://a"], redis: "redis://b", port: 0 })).rejects.toThrow(
    /^routes: .*redis/,
  );
});
