import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { type Certificate, makeCertificate, type RedisCluster, startCluster } from "warmline-testbed";
import { call } from "../integration/gateway/http.js";
import { listen } from "../integration/subscribe/listen.js";
import { commands } from "../support/commands.js";
import { beforeTests, forTest } from "../support/lifetime.js";
import { newFolder } from "../support/new-folder.js";
import { gatewayAt, keyOfEachSlot, replicated, until } from "./support.js";

// Tokens have the same permissions on a cluster as on a single Redis, with TLS or without.

const noperm = expect.stringMatching(/^NOPERM/);
/** A key in each of 32 slots, so some on every node. */
const keysOfEveryNode = keyOfEachSlot().filter((_, slot) => slot % 512 === 7);

describe("tokens on a cluster", { tags: "redis-server" }, () => {
  const folder = newFolder("cluster-access");
  let certificate: Certificate;
  let cluster: RedisCluster;
  beforeTests(async (shared) => {
    certificate = makeCertificate();
    shared({ close: () => certificate.remove() });
    const tls = join(folder, "both.pem");
    writeFileSync(tls, certificate.key + certificate.cert);
    cluster = shared(await startCluster({ tls }));
    // The same user on every node, without permission even for the command that detects a cluster.
    const rules = ["~ann:*", "&ann:*", "+@all", "-@admin", "-info", "-cluster"];
    for (const node of cluster.nodes)
      await node.command("ACL", "SETUSER", "ann", "on", ">pass word", ...rules);
  });

  const tokens = [
    { name: "ann", token: "ann", user: { username: "ann", password: "pass word" } },
    { name: "app", token: "app", prefix: "app:" },
  ];
  const start = (url = cluster.url) =>
    gatewayAt(url, { token: "main", tokens, redisCa: certificate.caFile, readPolicy: "any" });
  type Reached = { readonly url: string };
  const runAs = async (gateway: Reached, token: string, ...words: unknown[]) => {
    const { status, json } = await call(gateway as never, "/", { token, body: words });
    return status === 200 ? json.result : { status, ...json };
  };

  test.each(["in the clear", "with TLS"])("a user's token is that user on every node, %s", async (how) => {
    const gateway = forTest(await start(how === "with TLS" ? cluster.tlsUrl : cluster.url));
    await runAs(gateway, "main", "FLUSHALL");
    const token = "ann";
    const keys = keysOfEveryNode.map((key) => `ann:${key}`);
    const body = keys.flatMap((key) => [
      ["INCR", key],
      ["GET", key.slice(4)],
    ]);
    const { json } = await call(gateway, "/pipeline", { token, body });
    const expected = keys.flatMap(() => [{ result: 1 }, { error: noperm }]);
    expect(json).toEqual(expected);
    // Replicas serve reads, too.
    await replicated(cluster);
    expect(await runAs(gateway, token, "MGET", ...keys)).toEqual(keys.map(() => "1"));
    expect(await runAs(gateway, token, "MGET", ...keys, "bob:k")).toEqual({ status: 400, error: noperm });
    expect(await runAs(gateway, token, "ACL", "WHOAMI")).toBe("ann");
    const both = commands("RPUSH ann:{t}l x", "LLEN ann:{t}l");
    const ran = await call(gateway, "/multi-exec", { token, body: both });
    expect(ran.json).toEqual([{ result: 1 }, { result: 1 }]);
    expect(await runAs(gateway, token, "BLPOP", "ann:{t}l", 5)).toEqual(["ann:{t}l", "x"]);
    expect((await call(gateway, "/subscribe/bob", { token })).json).toEqual({ error: noperm });
    const stream = forTest(await listen(gateway, "/subscribe/ann:news", { token }));
    await until(() => stream.data.length === 1);
    await runAs(gateway, "main", "PUBLISH", "ann:news", "hello");
    await until(() => stream.data.includes("message,ann:news,hello"));
  });

  test("a key prefix holds on every node, for exactly-once writes and scans too", async () => {
    const gateway = forTest(await start());
    await runAs(gateway, "main", "FLUSHALL");
    await runAs(gateway, "main", "MSET", ...keysOfEveryNode.flatMap((key) => [key, "other's"]));
    const redis = forTest(new Redis({ url: gateway.url, token: "app", writes: "exactly-once" }));
    const keys = keysOfEveryNode.map((key) => `app:${key}`);
    for (let round = 0; round < 2; round++) await Promise.all(keys.map((key) => redis.incr(key)));
    await replicated(cluster);
    expect(await redis.mget(...keys)).toEqual(keys.map(() => 2));
    const refused = await Promise.allSettled(keysOfEveryNode.map((key) => redis.incr(key)));
    expect(refused.every((each) => each.status === "rejected" && /NOPERM/.test(String(each.reason)))).toBe(
      true,
    );
    const seen = new Set<string>();
    // The replies of exactly-once writes have keys too.
    for await (const key of redis.scanIterator({ count: 10 })) seen.add(key);
    expect([...seen].filter((key) => !key.startsWith("app:"))).toEqual([]);
    expect(keys.filter((key) => !seen.has(key))).toEqual([]);
    const all = await redis.keys("*");
    expect(all.every((key) => key.startsWith("app:")) && all.length >= keys.length).toBe(true);
    expect(await redis.with({ writes: "at-most-once" }).del(...keys)).toBe(keys.length);
    expect(await runAs(gateway, "app", "DEL", ...keys, ...keysOfEveryNode)).toEqual({
      status: 400,
      error: noperm,
    });
    expect(await runAs(gateway, "main", "EXISTS", ...keysOfEveryNode)).toBe(keysOfEveryNode.length);
  });

  test("no token can harm the cluster by a script if the gateway's user is set up as documented", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/gateway.md"), "utf8");
    const [, rules] = /^redis-cli ACL SETUSER gateway on ">password" (.*)$/m.exec(guide)!;
    const allowed = rules!.replaceAll('"', "").split(" ");
    for (const node of cluster.nodes)
      await node.command("ACL", "SETUSER", "gateway", "on", ">password", ...allowed);
    const gateway = forTest(
      await gatewayAt(cluster.url.replace("://", "://gateway:password@"), {
        token: "main",
        tokens: [{ name: "app", token: "app" }],
      }),
    );
    // The owners of the slots, without replicas: the node may still learn of them meanwhile.
    const slots = async () => {
      const ranges = (await cluster.nodes[0]!.command("CLUSTER", "SLOTS")) as unknown[][];
      return ranges.map(([first, last, primary]) => [first, last, primary]);
    };
    const before = await slots();
    for (const words of [
      "'CLUSTER', 'FLUSHSLOTS'",
      "'CLUSTER', 'DELSLOTSRANGE', 0, 16383",
      "'CLUSTER', 'MEET', '127.0.0.1', 1",
      "'MIGRATE', '127.0.0.1', 1, KEYS[1], 0, 100",
      "'SWAPDB', 0, 1",
      "'SLOWLOG', 'RESET'",
    ]) {
      const response = await runAs(gateway, "app", "EVAL", `return redis.call(${words})`, 1, "k");
      expect(response.error, words).toMatch(/can't run this command|NOPERM/);
    }
    expect(await slots()).toEqual(before);
    // The commands that the gateway and its clients need work.
    expect(await runAs(gateway, "app", "FLUSHALL")).toBe("OK");
    expect(await runAs(gateway, "app", "MSET", ...keysOfEveryNode.flatMap((key) => [key, "1"]))).toBe("OK");
    expect((await runAs(gateway, "app", "KEYS", "*")).sort()).toEqual([...keysOfEveryNode].sort());
    expect(await runAs(gateway, "app", "DBSIZE")).toBe(keysOfEveryNode.length);
    expect(await runAs(gateway, "app", "INFO", "server")).toMatch(/redis_version/);
    expect(await runAs(gateway, "app", "RPUSH", "l", "2", "1")).toBe(2);
    expect(await runAs(gateway, "app", "SORT", "l")).toEqual(["1", "2"]);
    expect(await runAs(gateway, "app", "BLPOP", "l", 1)).toEqual(["l", "2"]);
    expect(await runAs(gateway, "app", "EVAL", "return redis.call('LPOP', KEYS[1])", 1, "l")).toBe("1");
    const body = commands("INCR n", "PUBLISH c m");
    const { json } = await call(gateway, "/multi-exec", { token: "app", body });
    expect(json).toEqual([{ result: 1 }, { result: 0 }]);
    const stream = forTest(await listen(gateway, "/psubscribe/n*", { token: "app" }));
    await until(() => stream.data.length === 1);
  });
});
