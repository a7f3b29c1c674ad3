import { describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { RawClient } from "./raw-client.js";

/** A pattern that blocks the engine's matcher for longer than any timeout. */
const ENDLESS_PATTERN = `${"a*".repeat(20)}b`;

describe("watchdog of the embedded engine", () => {
  test("a stuck thread is replaced, its connections end, and the lost data is reported", async () => {
    const notices: string[] = [];
    const engine = await startEmbeddedEngine({
      stallTimeoutMs: 400,
      onNotice: (message) => notices.push(message),
    });
    try {
      const redis = new RawClient(engine.connect());
      await redis.call("SET", "a".repeat(60), "v");
      const wedged = redis.call("KEYS", ENDLESS_PATTERN);
      const bystander = new RawClient(engine.connect());
      const waiting = bystander.call("PING");
      await expect(wedged).rejects.toThrow("the embedded engine did not respond for 0.4 s");
      await expect(waiting).rejects.toThrow("the embedded engine did not respond for 0.4 s");
      expect(notices).toEqual([
        "the embedded engine did not respond for 0.4 s; it was restarted, and its data is lost",
      ]);
      const fresh = new RawClient(engine.connect());
      expect(await fresh.call("DBSIZE")).toBe(0);
      expect(await fresh.call("SET", "k", "v")).toBe("OK");
    } finally {
      await engine.close();
    }
  });

  test("a thread that runs out of memory is replaced likewise", async () => {
    const notices: string[] = [];
    const engine = await startEmbeddedEngine({
      limits: { maxMemoryBytes: 64 * 1024 * 1024 },
      onNotice: (message) => notices.push(message),
    });
    try {
      const redis = new RawClient(engine.connect());
      const sets: string[] = [];
      for (let full = false; !full; ) {
        const members = Array.from({ length: 1000 }, (_, index) => sets.length * 1000 + index);
        sets.push(`s${sets.length}`);
        await redis.call("SADD", `s${sets.length}`, ...members).catch(() => {
          full = true;
        });
      }
      // Its data fits into memory; the copies that this reply consists of do not.
      const failure = await redis.call("SUNION", ...sets, ...sets).catch((error: Error) => error.message);
      expect(failure).toMatch(
        /^(the embedded engine ran out of memory|connection to the embedded engine lost)$/,
      );
      await expect
        .poll(() => notices)
        .toEqual(["the embedded engine ran out of memory; it was restarted, and its data is lost"]);
      expect(await new RawClient(engine.connect()).call("DBSIZE")).toBe(0);
    } finally {
      await engine.close();
    }
  });

  test("an idle engine and a busy one are left alone", async () => {
    const notices: string[] = [];
    const engine = await startEmbeddedEngine({
      stallTimeoutMs: 1500,
      onNotice: (message) => notices.push(message),
    });
    try {
      const redis = new RawClient(engine.connect());
      const until = performance.now() + 2500;
      while (performance.now() < until) {
        await Promise.all(Array.from({ length: 500 }, () => redis.call("INCR", "n")));
      }
      expect(notices).toEqual([]);
    } finally {
      await engine.close();
    }
  });

  test("connections end at once, with the reason, after the engine is closed", async () => {
    const engine = await startEmbeddedEngine();
    const open = new RawClient(engine.connect());
    await open.call("PING");
    await Promise.all([engine.close(), engine.close()]);
    expect(await open.closed).toBeUndefined();
    const late = new RawClient(engine.connect());
    expect((await late.closed)?.message).toBe("the embedded engine is not running");
  });
});
