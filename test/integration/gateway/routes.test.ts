import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { type RedisServer, startRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { type EngineServer, startEngineServer } from "../../support/engine-server.js";
import { call, run } from "./http.js";

/** A gateway over three servers. */
async function startRoutes(servers: readonly { url: string }[]): Promise<Gateway> {
  const [sessions, carts, rest] = servers.map(({ url }) => url);
  return createGateway({
    routes: [`*=${rest}`, `sess:=${sessions}`, `sess:cart:=${carts}?strip=true`],
    port: 0,
  });
}

describe("routes by the prefix of keys", () => {
  let servers: EngineServer[];
  let gateway: Gateway;
  beforeAll(async () => {
    servers = await Promise.all(Array.from({ length: 3 }, () => startEngineServer()));
    gateway = await startRoutes(servers);
  });
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(servers?.map((server) => server.stop()) ?? []);
  });

  const keysOf = async (at: number) => ((await servers[at]!.command("KEYS", "*")) as string[]).sort();

  test("the longest prefix wins, and a pipeline over all routes keeps its order", async () => {
    const response = await call(gateway, "/pipeline", {
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
    expect(response.json.map(({ result }: { result: string }) => result)).toEqual([
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

  test("a command on two routes is refused alone, and on one it runs", async () => {
    const response = await call(gateway, "/pipeline", {
      body: [
        ["MGET", "sess:1", "other"],
        ["EXISTS", "sess:1", "sess:2"],
        ["RENAME", "sess:1", "sess:cart:9"],
      ],
    });
    expect(response.json[0].error).toMatch(/^ERR .*different routes/);
    expect(response.json[1]).toEqual({ result: 1 });
    expect(response.json[2].error).toMatch(/^ERR .*different routes/);
  });

  test("a transaction runs on one route, and is refused whole on two", async () => {
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

  test("metrics count the commands of every route", async () => {
    const commands = async () => {
      const { text } = await call(gateway, "/metrics");
      return Number(/^warmline_gateway_upstream_commands_total (\d+)$/m.exec(text)![1]);
    };
    const before = await commands();
    for (const key of ["sess:1", "sess:cart:1", "other"])
      for (let n = 0; n < 10; n++) await run(gateway, "GET", key);
    // Gateways may say hello to each other meanwhile.
    const ran = (await commands()) - before;
    expect(ran).toBeGreaterThanOrEqual(30);
    expect(ran).toBeLessThan(39);
  });

  test("commands without keys go to the default route", async () => {
    expect(await run(gateway, "DBSIZE")).toBe(2);
    expect((await run(gateway, "KEYS", "*")).sort()).toEqual(["", "other"]);
    expect(await run(gateway, "PUBLISH", "sess:channel", "m")).toBe(0);
  });

  test("a stripped prefix is restored in replies that name keys", async () => {
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
    expect((await run(gateway, "SORT", "sess:cart:l", "BY", "w_*")).error).toMatch(/BY or GET/);
    // Without a star they read no other key.
    await run(gateway, "RPUSH", "sess:cart:l", "b", "a");
    expect(await run(gateway, "SORT", "sess:cart:l", "BY", "nosort", "GET", "#")).toEqual(["b", "a"]);
  });

  test("WAIT covers every route that was written to", async () => {
    const response = await call(gateway, "/pipeline", {
      body: [
        ["SET", "sess:w", 1],
        ["SET", "w", 1],
        ["WAIT", 0, 100],
      ],
    });
    expect(response.json[2]).toEqual({ result: 0 });
  });

  test("exactly-once writes count once on every route, with the stored reply beside the key", async () => {
    const redis = new Redis({ url: gateway.url, token: gateway.token, writes: "exactly-once" });
    const keys = ["sess:once", "sess:cart:once", "once"];
    for (const key of keys) {
      expect(await redis.incr(key)).toBe(1);
      expect(await redis.incr(key)).toBe(2);
      expect(await redis.get(key)).toBe(2);
      expect(await redis.multi().incr(key).get(key).exec()).toEqual([3, 3]);
    }
    expect(await servers[1]!.command("GET", "once")).toBe("3");
    await redis.rpush("sess:cart:many", "x", "y");
    expect(await redis.lmpop(1, ["sess:cart:many"], "LEFT")).toEqual(["sess:cart:many", ["x"]]);
    expect(((await keysOf(1)) as string[]).filter((key) => key.startsWith("sess:"))).toEqual([]);
    redis.close();
  });
});

describe("routes to real servers", { tags: "redis-server" }, () => {
  let servers: RedisServer[];
  let gateway: Gateway;
  beforeAll(async () => {
    servers = await Promise.all(Array.from({ length: 3 }, () => startRedis({ listen: "tcp" })));
    gateway = await startRoutes(servers);
  });
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(servers?.map((server) => server.stop()) ?? []);
  });

  describe("and tokens", () => {
    let guarded: Gateway;
    const noperm = expect.stringMatching(/^NOPERM/);
    beforeAll(async () => {
      const [sessions, carts, rest] = servers.map(({ url }) => url);
      for (const server of servers.slice(0, 2)) {
        await server.command("ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all", "-@dangerous");
      }
      // Keys without the route's prefix, as the user sees them.
      await servers[1]!.command("ACL", "SETUSER", "ann", "resetkeys", "~1");
      await servers[2]!.command("ACL", "SETUSER", "ann", "on", ">secret", "~ann:*", "+@all");
      guarded = await createGateway({
        routes: [`*=${rest}`, `sess:=${sessions}`, `sess:cart:=${carts}?strip=true`],
        port: 0,
        token: "main",
        tokens: [
          { name: "sessions", token: "sessions", prefix: "sess:" },
          { name: "carts", token: "carts", prefix: "sess:cart:a" },
          { name: "ann", token: "ann", user: { username: "ann", password: "secret" } },
        ],
      });
    });
    afterAll(() => guarded?.close());

    const results = async (token: string, ...body: unknown[][]) => {
      const { json } = await call(guarded, "/pipeline", { token, body });
      return json.map(({ result, error }: { result?: unknown; error?: string }) => error ?? result);
    };

    test("a token's prefix applies to the keys as sent, before a route strips its own", async () => {
      expect(
        await results(
          "sessions",
          ["SET", "sess:p", "s"],
          ["SET", "sess:cart:p", "c"],
          ["SET", "p", "o"],
          ["MGET", "sess:p", "sess:q"],
          ["GET", "sess:cart:p"],
          ["DEL", "sess:cart:p", "cart:p"],
        ),
      ).toEqual(["OK", "OK", noperm, ["s", null], "c", noperm]);
      await servers[1]!.command("MSET", "a1", "own", "sess:cart:a1", "not its own", "b", "not its own");
      expect(
        await results(
          "carts",
          ["GET", "sess:cart:a1"],
          ["GET", "a1"],
          ["GET", "sess:cart:b"],
          ["COPY", "sess:cart:a1", "sess:cart:a2"],
          ["RENAME", "sess:cart:a2", "sess:cart:b"],
          // The scan covers the default route, none of whose keys belong to the token.
          ["SCAN", "0"],
          ["KEYS", "*"],
        ),
      ).toEqual(["own", noperm, noperm, 1, noperm, ["0", []], []]);
      const redis = new Redis({ url: guarded.url, token: "carts", writes: "exactly-once" });
      expect([await redis.incr("sess:cart:a3"), await redis.incr("sess:cart:a3")]).toEqual([1, 2]);
      await expect(redis.incr("sess:cart:b")).rejects.toThrow(/NOPERM/);
      await expect(redis.set("a1", "x")).rejects.toThrow(/NOPERM/);
      redis.close();
      expect(await servers[1]!.command("MGET", "a3", "b")).toEqual(["2", "not its own"]);
    });

    test("a Redis user applies on every route, to the keys that this Redis gets", async () => {
      const { json } = await call(guarded, "/", {
        token: "main",
        body: ["ACL", "RESTTOKEN", "ann", "secret"],
      });
      for (const token of ["ann", json.result]) {
        expect(
          await results(
            token,
            ["SET", "sess:u", "s"],
            ["SET", "sess:cart:1", "c"],
            ["GET", "sess:cart:p"],
            ["SET", "ann:u", "o"],
            ["SET", "u", "o"],
            ["GET", "ann:u"],
          ),
        ).toEqual(["OK", "OK", noperm, "OK", noperm, "o"]);
      }
    });
  });

  test("a route that is down fails only its own commands, and shows in /health", async () => {
    await run(gateway, "SET", "other", "o");
    await servers[0]!.kill();
    const response = await call(gateway, "/pipeline", {
      body: [
        ["GET", "sess:1"],
        ["GET", "other"],
      ],
    });
    expect(response.json[0].error).toMatch(/^UNKNOWNOUTCOME|^UNSENT/);
    expect(response.json[1]).toEqual({ result: "o" });
    expect((await call(gateway, "/health")).status).toBe(503);
    await servers[0]!.restart();
    await expect.poll(async () => (await call(gateway, "/health")).status, { timeout: 10_000 }).toBe(200);
  });
});

test.each([
  [["sess:"], /^routes: a route is malformed/],
  [["=redis://a"], /^routes: a route is malformed/],
  [["a:=redis://"], /^routes: the URL has no host/],
  [["a:=redis://x:s3cret", "a:=redis://y"], /^routes: /],
  [["*=redis://a?strip=true"], /^routes: .*no prefix to strip/],
])("the routes %j are refused by name", async (routes, message) => {
  await expect(createGateway({ routes, port: 0 })).rejects.toThrow(message);
  await expect(createGateway({ routes: ["*=redis://a"], redis: "redis://b", port: 0 })).rejects.toThrow(
    /^routes: .*redis/,
  );
});
