import { describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { cached } from "warmline/cache";
import { idempotent } from "warmline/idempotent";
import { follow, produce } from "warmline/streams";
import { startCluster } from "warmline-testbed";
import { sharedByTests } from "../support/lifetime.js";
import { migrate } from "./migrate.js";
import { gatewayAt, keyOfEachSlot, slotOf, until } from "./support.js";

// Methods of the client that send several commands, on a cluster whose slots move to other nodes.

describe("the client on a cluster", { tags: "redis-server" }, () => {
  const cluster = sharedByTests(() => startCluster({ nodeTimeoutMs: 10_000 }));
  const gateway = sharedByTests(() => gatewayAt(cluster.url));
  const redis = sharedByTests(
    async () => new Redis({ url: gateway.url, token: gateway.token, retry: { retries: 50 } }),
  );

  test("followers get every entry once and in order while the slots of their streams move", async () => {
    const keys = ["a", "b", "c", "d", "e", "f"];
    const collected = keys.map(async (key) => {
      const values: unknown[] = [];
      for await (const { fields } of follow(redis, key)) values.push(fields.n);
      return values;
    });
    let moving = true;
    let written = 0;
    const writers = keys.map((key) => produce(redis, key).getWriter());
    const writing = (async () => {
      while (moving || written < 100) {
        written++;
        for (const writer of writers) await writer.write({ n: written });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      for (const writer of writers) await writer.close();
    })();
    const primaries = cluster.nodes.slice(0, 3);
    for (const key of keys) {
      const slot = slotOf(key);
      const from = primaries[Math.min(2, Math.floor(slot / 5_461.5))]!;
      const to = primaries.find((node) => node !== from)!;
      await migrate(from, to, [slot], primaries);
    }
    moving = false;
    await writing;
    const expected = Array.from({ length: written }, (_, n) => n + 1);
    for (const values of await Promise.all(collected)) expect(values).toEqual(expected);
  }, 60_000);

  test("one scope works for keys in different slots", async () => {
    const run = async () => {
      const scoped = redis.with({ writes: "exactly-once", scope: "event" });
      return Promise.all(["n1", "n2", "{n3}x", "n4}"].map((key) => scoped.incr(key)));
    };
    expect(await run()).toEqual([1, 1, 1, 1]);
    expect(await run()).toEqual([1, 1, 1, 1]);
  });

  test("strict scopes and idempotent functions fail with CROSSSLOT without the hash tag of their keys", async () => {
    const strict = (scope: string) => redis.with({ writes: "exactly-once", scope, strict: true });
    expect(await strict("{order:1}").incr("{order:1}:n")).toBe(1);
    await expect(strict("other").incr("{order:1}:n")).rejects.toMatchObject({ code: "CROSSSLOT" });
    const run = (key: string) => idempotent(redis, key, (guarded) => guarded.incr("{order:2}:n"));
    expect([await run("{order:2}"), await run("{order:2}")]).toEqual([1, 1]);
    await expect(run("other")).rejects.toMatchObject({ code: "CROSSSLOT" });
  });

  test("exactly-once writes are applied once while slots move between nodes", async () => {
    const keys = keyOfEachSlot().filter((_, slot) => slot % 128 === 5);
    const exact = redis.with({ writes: "exactly-once" });
    const [first, second, third] = cluster.nodes;
    let rounds = 0;
    let moving = true;
    const work = (async () => {
      for (; moving || rounds < 20; rounds++) await Promise.all(keys.map((key) => exact.incr(key)));
    })();
    await migrate(first!, second!, [5, 133, 261, 389, 517], [first!, second!, third!]).finally(() => {
      moving = false;
    });
    await work;
    expect(await redis.mget(...keys)).toEqual(keys.map(() => rounds));
  }, 60_000);

  const createCached = (name: string, load: (id: string) => Promise<number>) =>
    cached(redis, name, load, {
      key: (id) => id,
      fresh: 600,
      tags: (_version, id) => [`tag:${Number(id) % 2}`],
    });

  test("a result is stored even if its slot starts to move while the result is computed", async () => {
    let finish: (() => void) | undefined;
    const load = () =>
      new Promise<number>((resolve) => {
        finish = () => resolve(1);
      });
    const pending = createCached("begun", load)("7");
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
    "no call returns a deleted result while slots move: %s",
    async (name) => {
      const ids = Array.from({ length: 8 }, (_, id) => String(id));
      let version = 0;
      const load = async () => version;
      const [one, other] = [createCached(name, load), createCached(name, load)];
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
        // All slots move to the same node, because nodes learn late which node has a slot.
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
