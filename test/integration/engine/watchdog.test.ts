import { describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { forTest } from "../../support/lifetime.js";
import { RawClient } from "./raw-client.js";

/** Reads that take longer than any timeout: a regular expression that tries each way to divide the text. */
const ENDLESS = ["JSON.GET", "texts", '$[?(@ =~ "^(a+)+$")]'] as const;
const TEXTS = JSON.stringify([`${"a".repeat(60)}!`]);
/** Number of commands that together take longer than the timeout, each a small part of it. */
const TIMES = 300;
/** Runs a command many times. */
const CALLS = `local reply
for n = 1, tonumber(ARGV[1]) do reply = redis.call(unpack(ARGV, 2)) end
return reply`;

describe("watchdog of the embedded engine", () => {
  test("a stuck thread is replaced, its connections end, and the lost data is reported", async () => {
    const notices: string[] = [];
    const engine = forTest(
      await startEmbeddedEngine({
        stallTimeoutMs: 400,
        onNotice: (message) => notices.push(message),
      }),
    );
    const redis = new RawClient(engine.connect());
    await redis.call("JSON.SET", "texts", "$", TEXTS);
    const wedged = redis.call(...ENDLESS);
    const bystander = new RawClient(engine.connect());
    const waiting = bystander.call("PING");
    await expect(wedged).rejects.toThrow(
      "the embedded engine did not respond for 0.4 s while it ran JSON.GET",
    );
    await expect(waiting).rejects.toThrow(
      "the embedded engine did not respond for 0.4 s while it ran JSON.GET",
    );
    expect(notices).toEqual([
      "the embedded engine did not respond for 0.4 s while it ran JSON.GET; it was restarted, and its data is lost",
    ]);
    const fresh = new RawClient(engine.connect());
    expect(await fresh.call("DBSIZE")).toBe(0);
    expect(await fresh.call("SET", "k", "v")).toBe("OK");
  });

  test("a thread that runs out of memory is replaced too", { tags: "full-run" }, async () => {
    const notices: string[] = [];
    const engine = forTest(
      await startEmbeddedEngine({
        limits: { maxMemoryBytes: 64 * 1024 * 1024 },
        onNotice: (message) => notices.push(message),
      }),
    );
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
    const failure = await redis
      .call("SUNION", ...Array<string[]>(20).fill(sets).flat())
      .catch((error: Error) => error.message);
    expect(failure).toMatch(
      /^(the embedded engine ran out of memory|connection to the embedded engine lost)$/,
    );
    await expect
      .poll(() => notices)
      .toEqual(["the embedded engine ran out of memory; it was restarted, and its data is lost"]);
    expect(await new RawClient(engine.connect()).call("DBSIZE")).toBe(0);
  });

  test.each([
    ["a transaction", (work: string[]) => [["MULTI"], ...Array(TIMES).fill(work), ["EXEC"]]],
    ["a script", (work: string[]) => [["EVAL", CALLS, "0", String(TIMES), ...work]]],
  ])("%s that takes longer than the timeout is left alone", async (_name, commandsOf) => {
    const notices: string[] = [];
    const engine = forTest(
      await startEmbeddedEngine({
        stallTimeoutMs: 1_000,
        onNotice: (message) => notices.push(message),
      }),
    );
    const redis = new RawClient(engine.connect());
    await redis.call("MSET", "a", "x".repeat(700), "b", "y".repeat(700));
    const replies = await Promise.all(
      commandsOf(["LCS", "a", "b", "LEN"]).map((args: string[]) => redis.call(...args)),
    );
    expect([replies.at(-1)].flat().at(-1)).toBe(0);
    expect(notices).toEqual([]);
  });

  test("patterns that could keep a matcher busy for ever are matched at once", async () => {
    const engine = forTest(await startEmbeddedEngine({ stallTimeoutMs: 2_000 }));
    const redis = new RawClient(engine.connect());
    const subscriber = new RawClient(engine.connect());
    const [key, pattern] = ["a".repeat(60), `${"a*".repeat(20)}b`];
    await redis.call("SET", key, "v");
    await subscriber.call("PSUBSCRIBE", pattern);
    expect(await redis.call("KEYS", pattern)).toEqual([]);
    expect(await redis.call("SCAN", "0", "MATCH", pattern)).toEqual(["0", []]);
    expect(await redis.call("PUBLISH", key, "m")).toBe(0);
    expect(await redis.call("PUBLISH", `${key}b`, "m")).toBe(1);
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
