import { beforeEach, describe, expect, test } from "vitest";
import { idempotent } from "warmline/idempotent";
import { produce } from "warmline/streams";
import { loseReply, onRequest } from "warmline-testbed";
import { describeEngines } from "../integration/gateway/engines.js";
import { forEachTest } from "../support/lifetime.js";
import { useBreakablePath } from "./support/breakable-path.js";

// Producers of a stream whose responses are lost, and that run again.

const count = (text: string, part: string) => text.split(part).length - 1;

describeEngines("producers", (setup) => {
  const { name } = setup;
  const rig = useBreakablePath(setup);
  const redis = forEachTest(async () => rig.client());
  const direct = forEachTest(async () => rig.direct());
  /** The requests that add entries. */
  let added: string[];
  beforeEach(async () => {
    added = [];
    rig.path.onConnection(() => ({
      exchange({ request }) {
        const text = request.toString("latin1");
        if (text.includes("XADD")) added.push(text);
        return undefined;
      },
    }));
    await direct.flushall();
  });

  const stored = async (key = "log") =>
    Object.values(await direct.xrange<Record<string, unknown>>(key, "-", "+")).map(({ n }) => n);
  const length = (key = "log") => direct.xlen(key);

  /** Writes one chunk after another, each in a request of its own. */
  async function writeOneByOne(writer: WritableStreamDefaultWriter, chunks: readonly number[]) {
    for (const n of chunks) {
      const before = await length();
      await writer.write({ n });
      await expect.poll(() => length()).toBe(before + 1);
    }
  }

  describe("a producer", () => {
    test("adds each entry once and in order though responses are lost", async () => {
      rig.path.onConnection((number) =>
        number < 8 ? onRequest(number === 1 ? 1 : 2, loseReply()) : undefined,
      );
      const writer = produce(redis, "log", { ttl: 60 }).getWriter();
      await writeOneByOne(writer, [1, 2]);
      await Promise.all([3, 4, 5, 6].map((n) => writer.write({ n })));
      await writer.close();
      expect(rig.path.connectionsOpened).toBeGreaterThan(3);
      // The last entry is the end.
      expect(await stored()).toEqual([1, 2, 3, 4, 5, 6, undefined]);
      expect(await direct.ttl("log")).toBeGreaterThan(50);
    });

    // The batches do not depend on the engine.
    if (name !== "the embedded engine") return;

    test("limits a request to 512 KB, or one entry", { tags: "full-run" }, async () => {
      const writer = produce(redis, "log", { maxLen: 10 }).getWriter();
      const data = "x".repeat(30_000);
      const chunks = [
        ...new Array(400).fill({ data }),
        { data: data.repeat(20) },
        { data: [data, data] },
        { data },
      ];
      await Promise.all(chunks.map((chunk) => writer.write(chunk)));
      await writer.close();
      expect(added.reduce((sum, text) => sum + count(text, "XADD"), 0)).toBe(404);
      const large = added.filter((text) => text.length > 512 * 1_024);
      expect(large.map((text) => count(text, "XADD"))).toEqual([1]);
      expect(added.length).toBeLessThan(60);
    });
  });

  describe("a producer that runs again", () => {
    const scoped = (strict = false) =>
      redis.with({ writes: "exactly-once", scope: "event-1", remember: 60, strict });

    test("adds nothing again in a scope, though its batches differ", async () => {
      const first = scoped();
      const before = produce(first, "log", { ttl: 60 }).getWriter();
      await writeOneByOne(before, [1, 2, 3]);
      expect(await first.incr("n")).toBe(1);
      // The process ends here. The second run writes all chunks at once.
      const second = scoped();
      const after = produce(second, "log", { ttl: 60 }).getWriter();
      const [n] = await Promise.all([second.incr("n"), ...[1, 2, 3, 4].map((n) => after.write({ n }))]);
      await after.close();
      expect(n).toBe(1);
      expect(await stored()).toEqual([1, 2, 3, 4, undefined]);
      expect(await direct.get("n")).toBe(1);
      expect(await direct.ttl("log")).toBeGreaterThan(50);
    });

    test("fails in a strict scope if a chunk differs", async () => {
      const before = produce(scoped(true), "log").getWriter();
      await before.write({ n: 1 });
      await before.close();
      const after = produce(scoped(true), "log").getWriter();
      after.closed.catch(() => {});
      await after.write({ n: 2 });
      await expect(after.close()).rejects.toThrow("OTHERPATH write 1.1 was XADD in an earlier run");
      expect(await length()).toBe(2);
    });

    test("adds nothing again in an idempotent function, and nothing after its lease", async () => {
      const call = (fails: boolean) =>
        idempotent(redis, "event", async (guarded) => {
          const writer = produce(guarded, "log", { ttl: 60 }).getWriter();
          writer.closed.catch(() => {});
          if (fails) await writeOneByOne(writer, [1, 2]);
          else await Promise.all([1, 2].map((n) => writer.write({ n })));
          if (fails) throw new Error("failed");
          await guarded.incr("n");
          await direct.del("event");
          await writer.close();
        });
      await expect(call(true)).rejects.toThrow("failed");
      await expect(call(false)).rejects.toMatchObject({ code: "LEASELOST" });
      expect(await stored()).toEqual([1, 2]);
      expect(await direct.get("n")).toBe(1);
    });
  });
});
