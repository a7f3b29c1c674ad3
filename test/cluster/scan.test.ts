import { beforeEach, describe, expect, test } from "vitest";
import { type ClusterNode, startCluster } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { sharedByTests } from "../support/lifetime.js";
import { migrate } from "./migrate.js";
import { gatewayAt, keyOfEachSlot, run } from "./support.js";

// SCAN returns every key that exists throughout, whichever slots move meanwhile.

describe("SCAN while slots move", { tags: "redis-server", retry: 0 }, () => {
  const keys = keyOfEachSlot().filter((_, slot) => slot % 5 < 1);
  const cluster = sharedByTests(() => startCluster({ nodeTimeoutMs: 10_000 }));
  const gateway = sharedByTests(() => gatewayAt(cluster.url));
  const other = sharedByTests(() => gatewayAt(cluster.url));
  beforeEach(async () => {
    await run(gateway, "FLUSHALL");
    await run(gateway, "MSET", ...keys.flatMap((key) => [key, "v"]));
  });

  const primaries = () => cluster.nodes.slice(0, 3) as [ClusterNode, ClusterNode, ClusterNode];
  const slots = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

  /** Scans to the end; `between` is called after each step. Returns the keys that were missed. */
  async function missedBy(
    gateways: readonly Gateway[],
    between: (step: number, seen: number) => Promise<void> | void = () => {},
    count = 20,
  ): Promise<string[]> {
    const seen = new Set<string>();
    let cursor = "0";
    let steps = 0;
    do {
      const page = await run(gateways[steps % gateways.length]!, "SCAN", cursor, "COUNT", count);
      if (!Array.isArray(page)) throw new Error(JSON.stringify(page));
      cursor = page[0];
      expect(cursor).toMatch(/^\d+$/);
      for (const key of page[1]) seen.add(key);
      await between(++steps, seen.size);
    } while (cursor !== "0" && steps < 20_000);
    expect(cursor).toBe("0");
    return keys.filter((key) => !seen.has(key));
  }

  test("SCAN finds keys moved from an unscanned node to a scanned one", async () => {
    const [first, , third] = primaries();
    let moved = false;
    const missed = await missedBy([gateway], async (_, seen) => {
      if (moved || seen < keys.length / 2) return;
      moved = true;
      await migrate(third, first, slots(16_000, 300), primaries());
    });
    expect(moved).toBe(true);
    expect(missed).toEqual([]);
    await migrate(first, third, slots(16_000, 300), primaries());
  }, 60_000);

  test("SCAN finds keys moved to the node being scanned, and continues at any gateway", async () => {
    const [first, second, third] = primaries();
    let moved = 0;
    const missed = await missedBy([gateway, other], async (_, seen) => {
      if (moved === 0 && seen > keys.length / 4) {
        moved++;
        await migrate(third, first, slots(12_000, 200), primaries());
      } else if (moved === 1 && seen > keys.length / 2) {
        moved++;
        // There and back, and on to another.
        await migrate(first, second, slots(12_000, 100), primaries());
        await migrate(first, third, slots(12_100, 100), primaries());
      }
    });
    expect(moved).toBe(2);
    expect(missed).toEqual([]);
    await migrate(second, third, slots(12_000, 100), primaries());
  }, 60_000);

  test("SCAN finds keys on both sides of slots whose migration never finished", async () => {
    const [first, second, third] = primaries();
    const open = [
      [first, third, 0],
      [first, second, 5],
      [third, first, 15_000],
    ] as const;
    for (const [from, to, slot] of open) {
      await to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id);
      await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id);
    }
    const [key] = (await first.command("CLUSTER", "GETKEYSINSLOT", 0, 10)) as string[];
    await first.command("MIGRATE", "127.0.0.1", third.port, "", 0, 5_000, "KEYS", key!);
    let steps = 0;
    const missed = await missedBy([gateway, other], (step) => {
      steps = step;
    });
    expect(missed).toEqual([]);
    expect(steps).toBeLessThan((keys.length / 20) * 8);
    for (const [from, to, slot] of open) await migrate(from, to, [slot], primaries());
    for (const [from, to, slot] of open) await migrate(to, from, [slot], primaries());
  }, 60_000);
});
