import { describe, expect, test } from "vitest";
import { startCluster } from "warmline-testbed";
import { sharedByTests } from "../support/lifetime.js";
import { migrate } from "./migrate.js";
import { gatewayAt, keyOfEachSlot, metric, pipeline, pipelineOf, run, transaction } from "./support.js";

// 1,500 slots change their node while clients write and read: no response is wrong, none is a redirection, and no write
// is doubled or lost.

const MOVED_SLOTS = 1_500;

describe("1,500 slots moved under load", { tags: "redis-server", retry: 0 }, () => {
  const keys = keyOfEachSlot();
  const cluster = sharedByTests(() => startCluster({ nodeTimeoutMs: 10_000 }));
  const gateway = sharedByTests(() => gatewayAt(cluster.url));

  test("every reply is right, every increment counts once and order is kept while 1,500 slots move", async () => {
    const [first, second, third] = cluster.nodes;
    const moved = Array.from({ length: MOVED_SLOTS }, (_, slot) => slot);
    // Slots that move and slots that stay, of all three nodes.
    const slots = [...moved.filter((slot) => slot % 5 === 0), ...keys.keys()].filter(
      (slot) => slot % 25 === 0 || slot < 1_500,
    );
    const counts = new Map<string, number>();
    const faults: unknown[] = [];
    let running = true;
    let turn = 0;
    const some = (size: number) =>
      Array.from({ length: size }, () => {
        turn += 7;
        return keys[slots[turn % slots.length]!]!;
      });

    const increments = async () => {
      while (running) {
        const picked = [...new Set(some(40))];
        const items = await pipelineOf(gateway, picked, (key) => ["INCR", `{${key}}n`]);
        items.forEach(({ result, error }, at) => {
          const key = picked[at]!;
          if (error !== undefined || typeof result !== "number") faults.push({ key, error });
          else counts.set(key, (counts.get(key) ?? 0) + 1);
        });
      }
    };
    const spreads = async (worker: number) => {
      for (let round = 0; running; round++) {
        const picked = [...new Set(some(30))].map((key) => `{${key}}m${worker}`);
        const value = `w${worker}r${round}`;
        const set = await run(gateway, "MSET", ...picked.flatMap((key) => [key, value]));
        const got = await run(gateway, "MGET", ...picked);
        if (set !== "OK" || JSON.stringify(got) !== JSON.stringify(picked.map(() => value)))
          faults.push({ set, got });
        const deleted = await run(gateway, "DEL", ...picked);
        if (deleted !== picked.length) faults.push({ deleted, of: picked.length });
      }
    };
    const orders = async () => {
      while (running) {
        const [key] = some(1);
        const list = `{${key}}o`;
        const items = await pipeline(gateway, [
          ["DEL", list],
          ["RPUSH", list, "a"],
          ["RPUSH", list, "b"],
          ["LRANGE", list, 0, -1],
        ]);
        if (JSON.stringify(items[3]) !== '{"result":["a","b"]}') faults.push({ list, items });
      }
    };
    const transactions = async () => {
      for (let round = 0; running; round++) {
        const [key] = some(1);
        const { json } = await transaction(gateway, [
          ["SET", `{${key}}t1`, round],
          ["SET", `{${key}}t2`, round],
          ["MGET", `{${key}}t1`, `{${key}}t2`],
        ]);
        if (JSON.stringify(json[2]?.result) !== JSON.stringify([String(round), String(round)]))
          faults.push({ key, json });
      }
    };
    // One counter each, so that no two write the same key.
    const load = [increments(), spreads(1), spreads(2), orders(), transactions()];
    try {
      await migrate(first!, second!, moved.slice(0, 1_000), [first!, second!, third!]);
      await migrate(first!, third!, moved.slice(1_000), [first!, second!, third!]);
    } finally {
      running = false;
    }
    await Promise.all(load);

    expect(faults.slice(0, 5)).toEqual([]);
    expect(await metric(gateway, "upstream_redirects_total")).toBeGreaterThan(0);
    const counted = [...counts.keys()];
    const sums = await pipelineOf(gateway, counted, (key) => ["GET", `{${key}}n`]);
    expect(sums.map(({ result }) => Number(result))).toEqual(counted.map((key) => counts.get(key)));
    // Afterwards the gateway has the current topology.
    const redirectsOfAllKeys = async () => {
      const before = await metric(gateway, "upstream_redirects_total");
      await pipelineOf(gateway, keys, (key) => ["GET", key]);
      return (await metric(gateway, "upstream_redirects_total")) - before;
    };
    await expect.poll(redirectsOfAllKeys).toBeLessThan(100);
  }, 180_000);

  test("a scan misses no key that existed throughout, while slots move and a node is replaced", async () => {
    await run(gateway, "FLUSHALL");
    const some = keys.filter((_, slot) => slot % 16 === 0);
    await run(gateway, "MSET", ...some.flatMap((key) => [key, "v"]));
    const [first, second, third] = cluster.nodes;
    const seen = new Set<string>();
    let cursor = "0";
    let steps = 0;
    do {
      const [next, found] = await run(gateway, "SCAN", cursor, "COUNT", 20);
      for (const key of found) seen.add(key);
      cursor = next;
      // From a node that is not scanned yet to one that is, and the other way round.
      if (++steps === 12) await migrate(third!, first!, [16_000, 16_016, 16_032], [first!, second!, third!]);
      if (steps === 24) await migrate(second!, first!, [9_600, 9_616], [first!, second!, third!]);
    } while (cursor !== "0");
    expect(some.filter((key) => !seen.has(key))).toEqual([]);
  }, 60_000);
});
