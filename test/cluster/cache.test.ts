import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { cached } from "warmline/cache";
import { type RedisCluster, startCluster } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { migrate } from "./migrate.js";
import { gatewayAt, slotOf, until } from "./support.js";

describe("cached functions on a cluster", { tags: "redis-server" }, () => {
  let cluster: RedisCluster;
  let gateway: Gateway;
  let redis: Redis;
  beforeAll(async () => {
    cluster = await startCluster({ nodeTimeoutMs: 10_000 });
    gateway = await gatewayAt(cluster.url);
    redis = new Redis({ url: gateway.url, token: gateway.token, retry: { retries: 50 } });
  });
  afterAll(async () => {
    await gateway?.close();
    await cluster?.stop();
  });

  const createInstance = (name: string, load: (id: string) => Promise<number>) =>
    cached(redis, name, load, {
      key: (id) => id,
      fresh: 600,
      tags: (_version, id) => [`tag:${Number(id) % 2}`],
    });

  test("a result is stored though its slot has begun to move during its computation", async () => {
    let finish: (() => void) | undefined;
    const load = () =>
      new Promise<number>((resolve) => {
        finish = () => resolve(1);
      });
    const pending = createInstance("begun", load)("7");
    await until(async () => finish !== undefined);
    const key = "begun:cached:7";
    const primaries = cluster.nodes.slice(0, 3);
    const at = Math.min(2, Math.floor(slotOf(key) / 5_461.5));
    const [from, to] = [primaries[at]!, primaries[(at + 1) % 3]!];
    await to.command("CLUSTER", "SETSLOT", slotOf(key), "IMPORTING", from.id);
    await from.command("CLUSTER", "SETSLOT", slotOf(key), "MIGRATING", to.id);
    finish!();
    expect(await pending).toBe(1);
    await migrate(from, to, [slotOf(key)], primaries);
    expect(await redis.hget(key, "value")).toBe(1);
  });

  test.each(["moving", "{moving}"])(
    "calls see every deletion while the slots move: %s",
    async (name) => {
      const ids = Array.from({ length: 8 }, (_, id) => String(id));
      let version = 0;
      const load = async () => version;
      const [one, other] = [createInstance(name, load), createInstance(name, load)];
      let moving = true;
      let deletions = 0;
      const remove = async () => {
        while (moving || deletions < 100) {
          const id = ids[deletions++ % ids.length]!;
          await one(id);
          version++;
          await (deletions % 3 === 0 ? other.deleteTag(`tag:${Number(id) % 2}`) : other.delete(id));
          expect([await one(id), await other(id)]).toEqual([version, version]);
        }
      };
      const primaries = cluster.nodes.slice(0, 3);
      const hashed = name.startsWith("{")
        ? ["moving"]
        : [`${name}:cached`, ...ids.map((id) => `${name}:cached:${id}`)];
      const move = async () => {
        // In one direction alone, since nodes learn of moves late.
        const to = primaries[2]!;
        for (const slot of new Set(hashed.map(slotOf))) {
          const from = primaries[Math.min(2, Math.floor(slot / 5_461.5))]!;
          if (from !== to) await migrate(from, to, [slot], primaries);
        }
      };
      const moved = move().finally(() => {
        moving = false;
      });
      await Promise.all([remove(), moved]);
    },
    60_000,
  );
});
