import { afterEach, describe, expect, test } from "vitest";
import { connectRedis, startCluster, startRedis, startSentinels } from "warmline-testbed";
import { createGateway } from "../../gateway/src/index.js";
import { metric } from "../cluster/support.js";
import { expectNoneToFail, rotatePasswords, startExpiringProxy } from "../support/rotating-passwords.js";

/** Duration of the load in ms. */
const LOAD = 60_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function load(redis: string, redisPasswordFile: string): Promise<void> {
  const gateway = await createGateway({
    redis,
    redisPasswordFile,
    port: 0,
    nearPrefix: ["near:"],
    logLevel: "silent",
  });
  cleanups.push(() => gateway.close());
  await expectNoneToFail(gateway, LOAD);
  expect(await metric(gateway, "upstream_connections_lost_total")).toBe(0);
}

describe("a password that changes every second for a minute, under load", { tags: "redis-server" }, () => {
  test("a server that ends connections which do not sign in again", { timeout: 120_000 }, async () => {
    const redis = await startRedis({ listen: "tcp" });
    cleanups.push(() => redis.stop());
    const rotation = await rotatePasswords([redis]);
    cleanups.push(() => rotation.stop());
    const proxy = await startExpiringProxy(redis.port!, 5_000);
    cleanups.push(() => proxy.close());
    await load(`redis://app@127.0.0.1:${proxy.port}`, rotation.file);
    expect(proxy.ended).toBe(0);
  });

  test("a cluster of six", { timeout: 150_000 }, async () => {
    const cluster = await startCluster();
    cleanups.push(() => cluster.stop());
    const rotation = await rotatePasswords(cluster.nodes);
    cleanups.push(() => rotation.stop());
    await load(cluster.url.replace("://", "://app@"), rotation.file);
  });

  test("a primary with Sentinels", { timeout: 150_000 }, async () => {
    const group = await startSentinels();
    cleanups.push(() => group.stop());
    const primary = await connectRedis(group.primary);
    cleanups.push(() => primary.close());
    const rotation = await rotatePasswords([primary]);
    cleanups.push(() => rotation.stop());
    await load(group.url.replace("://", "://app@"), rotation.file);
  });
});
