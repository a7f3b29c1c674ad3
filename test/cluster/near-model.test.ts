import { expect, test } from "vitest";
import { type RedisCluster, startCluster } from "warmline-testbed";
import { type ModelRedis, now, runNearModel } from "../support/near-model/model.js";
import { SEED, scaled } from "../support/random-tests.js";
import { failOver, gatewayAt, run, until } from "./support.js";

const seconds = scaled(20);

/** A cluster, whose writers use a gateway of their own. */
async function modelOf(cluster: RedisCluster): Promise<ModelRedis> {
  const gateway = await gatewayAt(cluster.url, { logLevel: "silent" });
  const countPrimaries = async () => {
    const roles = await Promise.all(cluster.nodes.map(({ command }) => command("ROLE")));
    return roles.filter((role) => Array.isArray(role) && role[0] === "master").length;
  };
  const primaries = await countPrimaries();
  let next = 0;
  return {
    url: cluster.url,
    async command(...args) {
      const result = await run(gateway, ...args);
      if (result?.error !== undefined) throw new Error(result.error);
      return result;
    },
    async everywhere(each) {
      for (const { command } of cluster.nodes) await each(command);
    },
    async failOver() {
      const replicas: RedisCluster["nodes"][number][] = [];
      for (const node of cluster.nodes) {
        const role = await node.command("ROLE");
        if (Array.isArray(role) && role[0] === "slave" && role[3] === "connected") replicas.push(node);
      }
      const chosen = replicas[next++ % replicas.length];
      if (!chosen) return null;
      // The times at which it was asked for its role. At the last but one it was still a replica.
      const asked = [now(), now()];
      await failOver(chosen, () => asked.push(now()));
      await until(async () => (await countPrimaries()) === primaries);
      return [asked.at(-2)!, now()];
    },
    async stop() {
      await gateway.close();
      await cluster.stop();
    },
  };
}

test("a near cache of a cluster returns no value that was overwritten more than maxStale ago, during failovers too", {
  tags: "redis-server",
  retry: 0,
  timeout: 2_000 * seconds + 60_000,
}, async () => {
  // Primaries elect no two replicas of a shard within twice this time.
  const cluster = await startCluster({ nodeTimeoutMs: 2_000 });
  const redis = await modelOf(cluster).catch(async (error) => {
    await cluster.stop();
    throw error;
  });
  const { violations, ownViolations, reads, stats, faults, failed } = await runNearModel({
    seconds,
    seed: SEED,
    redis,
  });
  console.info(`${reads} reads, ${failed} failed`, stats, faults);
  expect(violations).toEqual([]);
  expect(ownViolations).toEqual([]);
  expect(faults.failedOver).toBeGreaterThan(0);
  for (const name of ["hits", "verified", "invalidated", "ownReads"]) expect(stats[name]).toBeGreaterThan(20);
});
