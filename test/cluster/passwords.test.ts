import { describe, expect, test } from "vitest";
import { connectRedis, type RedisConnection, startCluster, startRedis } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { forTest } from "../support/lifetime.js";
import { expectNoneToFail, rotatePasswords, startExpiringProxy } from "../support/rotating-passwords.js";
import { gatewayAt, metric, until } from "./support.js";

/** Duration of the load in ms. */
const LOAD = 6_000;

async function start(redis: string, redisPasswordFile: string): Promise<Gateway> {
  const gateway = forTest(
    await gatewayAt(redis, { redisPasswordFile, nearPrefix: ["near:"], logLevel: "silent" }),
  );
  await until(async () => (await metric(gateway, 'upstream_connections{use="shared"}')) > 0);
  return gateway;
}

/** Returns the ids of the kept connections of `app`: shared ones, those with subscriptions and those that track changes. */
async function keptConnections({ command }: Pick<RedisConnection, "command">): Promise<string[]> {
  const clients = String(await command("CLIENT", "LIST"))
    .trim()
    .split("\n");
  const kept = clients.filter((line) => / user=app /.test(line) && !/ cmd=(blpop|exec|discard) /.test(line));
  return kept.map((line) => /^id=(\d+)/.exec(line)![1]!);
}

async function authCalls({ command }: Pick<RedisConnection, "command">): Promise<number> {
  const stats = String(await command("INFO", "commandstats"));
  return Number(/cmdstat_auth:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

/** Expects that Redis refuses the last password but two. */
async function expectExpired(port: number, passwords: readonly string[]): Promise<void> {
  const connection = await connectRedis({ port });
  await expect(connection.command("AUTH", "app", passwords.at(-3)!)).rejects.toThrow(/^WRONGPASS/);
  connection.close();
}

describe("a password that changes every second, under load", { tags: "redis-server" }, () => {
  test("on a server that ends connections which do not sign in again, no command fails and none runs twice", async () => {
    const redis = forTest(await startRedis({ listen: "tcp" }));
    const rotation = forTest(await rotatePasswords([redis]));
    const proxy = forTest(await startExpiringProxy(redis.port!, 4_000));
    const gateway = await start(`redis://app@127.0.0.1:${proxy.port}`, rotation.file);
    // Presence, tracking of changes and the shared connection.
    await until(async () => (await keptConnections(redis)).length === 3);
    const before = await keptConnections(redis);
    await expectNoneToFail(gateway, LOAD);
    expect(await keptConnections(redis)).toEqual(expect.arrayContaining(before));
    expect(proxy.ended).toBe(0);
    expect(await metric(gateway, "upstream_connections_lost_total")).toBe(0);
    await expectExpired(redis.port!, rotation.passwords);
  });

  test("on a cluster of six nodes, no command fails and none runs twice", async () => {
    const cluster = forTest(await startCluster());
    const rotation = forTest(await rotatePasswords(cluster.nodes));
    const gateway = await start(cluster.url.replace("://", "://app@"), rotation.file);
    const calls = await Promise.all(cluster.nodes.map(authCalls));
    const made = rotation.passwords.length;
    await expectNoneToFail(gateway, LOAD);
    expect(await metric(gateway, "upstream_connections_lost_total")).toBe(0);
    // Each primary has a shared connection and one that tracks changes.
    for (const [at, node] of cluster.nodes.slice(0, 3).entries()) {
      expect((await authCalls(node)) - calls[at]!).toBeGreaterThanOrEqual(
        2 * (rotation.passwords.length - made - 2),
      );
    }
    await expectExpired(cluster.nodes[0]!.port, rotation.passwords);
  });
});
