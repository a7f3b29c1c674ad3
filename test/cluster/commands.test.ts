import { beforeEach, describe, expect, test } from "vitest";
import { startCluster } from "warmline-testbed";
import { call } from "../integration/gateway/http.js";
import { listen } from "../integration/subscribe/listen.js";
import { commands } from "../support/commands.js";
import { forTest, sharedByTests } from "../support/lifetime.js";
import { gatewayAt, keyOfEachSlot, pipeline, pipelineOf, run, transaction, until } from "./support.js";

// Commands through the gateway on a real cluster, which replies like a single Redis.

describe("a cluster of three primaries and three replicas", { tags: "redis-server" }, () => {
  const keys = keyOfEachSlot();
  const primaries = () => cluster.nodes.filter(({ role }) => role === "primary");
  const cluster = sharedByTests(() => startCluster());
  const gateway = sharedByTests(() => gatewayAt(cluster.url));
  beforeEach(async () => {
    expect(await run(gateway, "FLUSHALL")).toBe("OK");
  });

  test("a cluster is discovered from one node, with one connection to each primary", async () => {
    await run(gateway, "GET", "k");
    expect((await call(gateway, "/health")).status).toBe(200);
    for (const node of primaries()) {
      const clients = String(await node.command("CLIENT", "LIST", "TYPE", "normal"));
      const others = clients
        .trim()
        .split("\n")
        .filter((line) => !line.includes("cmd=client|list"));
      expect(others.length, clients).toBeLessThanOrEqual(3);
    }
  });

  test("?cluster=true names a cluster if the user may not run INFO", async () => {
    for (const node of cluster.nodes) {
      await node.command("ACL", "SETUSER", "quiet", "on", ">password", "~*", "&*", "+@all", "-info");
    }
    const url = cluster.url.replace("://", "://quiet:password@");
    const some = keys.filter((_, slot) => slot % 1_024 === 0);
    const read = async (redis: string) => {
      const other = await gatewayAt(redis);
      const items = await pipelineOf(other, some, (key) => ["SET", key, key]);
      await other.close();
      return items.map(({ result, error }) => result ?? error!.split(" ")[0]);
    };
    expect(await read(`${url}?cluster=true`)).toEqual(some.map(() => "OK"));
    // Without INFO and ?cluster=true, the gateway takes it for a single server.
    expect(await read(url)).toContain("MOVED");
  });

  test("every slot is written and read, in pipelines and across them", async () => {
    const sets = await pipelineOf(gateway, keys, (key, slot) => ["SET", key, `v${slot}`]);
    expect(sets.every(({ result }) => result === "OK")).toBe(true);
    const gets = await pipelineOf(gateway, keys, (key) => ["GET", key]);
    expect(gets.map(({ result }) => result)).toEqual(keys.map((_, slot) => `v${slot}`));
    expect(await run(gateway, "DBSIZE")).toBe(keys.length);
    for (const node of primaries()) expect(await node.command("DBSIZE")).toBeGreaterThan(5_000);
  });

  test("MSET, MGET, EXISTS, TOUCH, DEL and UNLINK over every slot are exact, in the order of their keys", async () => {
    const some = keys.filter((_, slot) => slot % 16 === 0);
    expect(await run(gateway, "MSET", ...some.flatMap((key) => [key, `<${key}>`]))).toBe("OK");
    const mixed = some.flatMap((key, i) => (i % 3 === 0 ? [key, `none${i}`] : [key]));
    const expected = mixed.map((key) => (key.startsWith("none") ? null : `<${key}>`));
    expect(await run(gateway, "MGET", ...mixed)).toEqual(expected);
    expect(await run(gateway, "EXISTS", ...mixed, some[0])).toBe(some.length + 1);
    expect(await run(gateway, "TOUCH", ...mixed)).toBe(some.length);
    const half = some.length / 2;
    expect(await run(gateway, "DEL", ...some.slice(0, half), "nothing")).toBe(half);
    expect(await run(gateway, "UNLINK", ...some)).toBe(some.length - half);
    expect(await run(gateway, "DBSIZE")).toBe(0);
  });

  test("a command that can't be split is refused alone, and its error says what to do", async () => {
    const body = commands("SET a 1", "RENAME a b", "GET a");
    const [first, refused, last] = await pipeline(gateway, body);
    expect(first).toEqual({ result: "OK" });
    expect(refused!.error).toMatch(/^CROSSSLOT .*hash tag/);
    expect(last).toEqual({ result: "1" });
    for (const args of [
      ["SINTERSTORE", "a", "b"],
      ["EVAL", "return 1", 2, "a", "b"],
      ["BLPOP", "a", "b", 1],
      ["MSETNX", "a", 1, "b", 2],
    ]) {
      expect((await run(gateway, ...args)).error).toMatch(/^CROSSSLOT /);
    }
    expect(await run(gateway, "RENAME", "{t}a", "{t}b")).toMatchObject({ error: "ERR no such key" });
  });

  test("transactions run on one slot, and are refused whole on several", async () => {
    const ran = await transaction(gateway, commands("SET {t}n 1", "PING", "INCR {t}n", "MGET {t}n {t}m"));
    expect(ran.json).toEqual([{ result: "OK" }, { result: "PONG" }, { result: 2 }, { result: ["2", null] }]);
    for (const [second, text] of [
      ["SET b 2", /command 2 of 2, 'set': CROSSSLOT/],
      ["MGET a b", /command 2 of 2, 'mget': CROSSSLOT/],
      ["DBSIZE", /command 2 of 2, 'dbsize': ERR .*several nodes/],
    ] as const) {
      const response = await transaction(gateway, commands("SET a 1", second));
      expect(response.status).toBe(400);
      expect(response.json.error).toMatch(text);
    }
    expect(await run(gateway, "EXISTS", "a", "b")).toBe(0);
  });

  test("SCAN, KEYS and RANDOMKEY cover every node", async () => {
    const some = keys.filter((_, slot) => slot % 8 === 0);
    await run(gateway, "MSET", ...some.flatMap((key) => [key, "v"]));
    const seen: string[] = [];
    let cursor = "0";
    do {
      const [next, found] = await run(gateway, "SCAN", cursor, "COUNT", 100);
      expect(next).toMatch(/^\d+$/);
      seen.push(...found);
      cursor = next;
    } while (cursor !== "0");
    // A scan may return a key more than once.
    expect([...new Set(seen)].sort()).toEqual([...some].sort());
    expect((await run(gateway, "KEYS", "k*")).sort()).toEqual([...some].sort());
    expect(await run(gateway, "KEYS", "k1")).toEqual([]);
    expect(some).toContain(await run(gateway, "RANDOMKEY"));
    await run(gateway, "FLUSHALL");
    await run(gateway, "SET", "one", "v");
    for (let i = 0; i < 10; i++) expect(await run(gateway, "RANDOMKEY")).toBe("one");
    expect((await run(gateway, "SCAN", "abc")).error).toMatch(/invalid cursor/);
  });

  test("scripts and functions are loaded everywhere", async () => {
    const sha = await run(gateway, "SCRIPT", "LOAD", "return redis.call('INCR', KEYS[1])");
    const counts = await pipelineOf(gateway, keys.slice(0, 300), (key) => ["EVALSHA", sha, 1, key]);
    expect(counts.every(({ result }) => result === 1)).toBe(true);
    expect(await run(gateway, "SCRIPT", "EXISTS", sha, "0".repeat(40))).toEqual([1, 0]);
    const library = "#!lua name=lib\nredis.register_function('twice', function(keys) return 2 end)";
    expect(await run(gateway, "FUNCTION", "LOAD", library)).toBe("lib");
    const calls = await pipelineOf(gateway, keys.slice(0, 300), (key) => ["FCALL", "twice", 1, key]);
    expect(calls.every(({ result }) => result === 2)).toBe(true);
    expect(await run(gateway, "FUNCTION", "DELETE", "lib")).toBe("OK");
    expect((await run(gateway, "FCALL", "twice", 1, "a")).error).toMatch(/Function not found/);
    expect(await run(gateway, "SCRIPT", "FLUSH")).toBe("OK");
    expect(await run(gateway, "EVAL", "return 7", 0)).toBe(7);
  });

  test("blocking commands wait on the node of their key, and WAIT on the nodes that were written to", async () => {
    const popping = run(gateway, "BLPOP", "list", 10);
    await until(async () => {
      const infos = await Promise.all(primaries().map((node) => node.command("INFO", "clients")));
      return infos.some((info) => /^blocked_clients:[1-9]/m.test(String(info)));
    });
    await run(gateway, "RPUSH", "list", "x");
    expect(await popping).toEqual(["list", "x"]);
    const written = await pipeline(gateway, commands("SET a 1", "SET b 1", "SET c 1", "WAIT 1 5000"));
    expect(written.map(({ result }) => result)).toEqual(["OK", "OK", "OK", 1]);
    const entries = run(gateway, "XREAD", "BLOCK", 10_000, "STREAMS", "stream", "$");
    const added: Promise<unknown>[] = [];
    const add = () => added.push(run(gateway, "XADD", "stream", "*", "n", added.length));
    const adding = setInterval(add, 100);
    const read = await entries.finally(() => clearInterval(adding));
    expect(read[0][0]).toBe("stream");
    await Promise.all(added);
  });

  test("a message published through any node reaches a subscriber", async () => {
    const stream = forTest(await listen(gateway, "/subscribe/news"));
    await until(() => stream.data.length === 1);
    await run(gateway, "PUBLISH", "news", "hello");
    await until(() => stream.data.length === 2);
    expect(stream.data[1]).toBe("message,news,hello");
  });

  test.each([
    ["primary", true, false],
    ["prefer-replica", false, true],
    ["replica", false, true],
    ["any", true, true],
  ] as const)("%s reads from its nodes, writes to primaries", async (readPolicy, byPrimaries, byReplicas) => {
    const other = forTest(await gatewayAt(cluster.url, { readPolicy }));
    const some = keys.filter((_, slot) => slot % 256 === 0);
    for (const node of cluster.nodes) await node.command("CONFIG", "RESETSTAT");
    // A read that follows a write of its slot in the same pipeline still goes to the primary.
    const written = await pipeline(
      other,
      some.flatMap((key) => [
        ["SET", key, "new"],
        ["GETRANGE", key, 0, -1],
      ]),
    );
    expect(written.every(({ result }, at) => result === (at % 2 === 0 ? "OK" : "new"))).toBe(true);
    for (let round = 0; round < 4; round++) {
      await pipelineOf(other, some, (key) => ["GET", key]);
    }
    for (const { role, command } of cluster.nodes) {
      const stats = String(await command("INFO", "commandstats"));
      expect(/cmdstat_get:/.test(stats), `${role}: GET`).toBe(role === "primary" ? byPrimaries : byReplicas);
      expect(/cmdstat_getrange:/.test(stats), `${role}: GETRANGE`).toBe(role === "primary");
    }
  });

  test("an unknown command, and one with too few arguments, return Redis's own error", async () => {
    expect((await run(gateway, "NOSUCH", "k")).error).toMatch(/^ERR unknown command/);
    expect((await run(gateway, "GET")).error).toMatch(/wrong number of arguments/);
    expect((await run(gateway, "MSET", "a")).error).toMatch(/wrong number of arguments/);
    expect((await run(gateway, "MSET", "{t}a", 1, "{t}b")).error).toMatch(/wrong number of arguments/);
  });
});
