import { afterEach, describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../gateway/src/engine/embedded.js";
import { createGateway } from "../../gateway/src/index.js";
import { call, run } from "../integration/gateway/http.js";
import { ReplyClient } from "../support/differential/replies.js";
import { measure, READS, WRITES, writes } from "../support/engine/growth.js";
import { sharedByTests } from "../support/lifetime.js";
import { scaled } from "../support/random-tests.js";

const names = Object.keys(WRITES);
/** Number of commands of a test. 100,000 in the group `random` of `.ci/run`. */
const PIPELINED = scaled(10_000);
const PIPELINE = 1_000;
/**
 * Maximum factor by which the CPU time grows with four times as many commands. Linear work takes 4 times as long, quadratic work 16
 * times. The shortest of several measurements counts: garbage collection, compilation and other programs only add to the time.
 */
const MAX_RATIO = 8;

describe("large collections of the embedded engine", { timeout: 300_000 }, () => {
  const notices: string[] = [];
  const engine = sharedByTests(() => startEmbeddedEngine({ onNotice: (message) => notices.push(message) }));
  afterEach(() => expect(notices).toEqual([]));

  test.each(names)(
    `another client gets replies between pipelines of ${PIPELINE} %s, ${PIPELINED} in all`,
    async (name) => {
      await measure(engine, [["FLUSHALL"]]);
      const [writer, other] = [new ReplyClient(engine.connect()), new ReplyClient(engine.connect())];
      const all = writes(name, PIPELINED);
      let isDone = false;
      const done = (async () => {
        for (let at = 0; at < all.length; at += PIPELINE) await writer.run(all.slice(at, at + PIPELINE));
      })().finally(() => {
        isDone = true;
      });
      let replies = 0;
      for (; !isDone; replies += 1) expect(await other.run([["PING"]])).toEqual(["+PONG"]);
      await done;
      expect(replies).toBeGreaterThanOrEqual(PIPELINED / PIPELINE / 2);
      expect(await other.run([["EXISTS", "k"]])).toEqual([":1"]);
      writer.close();
      other.close();
    },
  );

  test.each(names)("four times as many %s take less than eight times the CPU time", async (name) => {
    let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // The first round compiles the code.
    for (let round = 0; round < 2 || (round < 6 && many / few >= MAX_RATIO); round += 1) {
      for (const count of [5_000, 20_000]) {
        await measure(engine, [["FLUSHALL"]]);
        const { cpu } = await measure(engine, writes(name, count));
        if (count === 5_000) few = Math.min(few, cpu);
        else many = Math.min(many, cpu);
      }
    }
    expect(many / few).toBeLessThan(MAX_RATIO);
  });

  test.each(Object.keys(READS))(
    `1,000 %s on ${PIPELINED} elements take less than three times as long as on 1,000`,
    async (name) => {
      const [write, read] = READS[name]!;
      const reads = Array.from({ length: 1_000 }, (_, n) => read(n));
      const timeAt = async (size: number) => {
        await measure(engine, [["FLUSHALL"], ...writes(write, size)]);
        const cpu: number[] = [];
        for (let round = 0; round < 5; round += 1) cpu.push((await measure(engine, reads)).cpu);
        return Math.min(...cpu);
      };
      // Compiles the code.
      await timeAt(1_000);
      expect((await timeAt(PIPELINED)) / (await timeAt(1_000))).toBeLessThan(3);
    },
  );

  test("four times as many arguments of a script's command take less than eight times the CPU time", async () => {
    const script = `local all = {} for at = 1, ARGV[1] do all[at] = 'x' end
for _ = 1, 10 do redis.call('RPUSH', KEYS[1], unpack(all)) end`;
    let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 2 || (round < 6 && many / few >= MAX_RATIO); round += 1) {
      for (const count of [1_750, 7_000]) {
        await measure(engine, [["FLUSHALL"]]);
        const { cpu } = await measure(engine, [["EVAL", script, "1", "k", String(count)]]);
        if (count === 1_750) few = Math.min(few, cpu);
        else many = Math.min(many, cpu);
      }
    }
    expect(many / few).toBeLessThan(MAX_RATIO);
  });

  test("/health of the gateway responds while a transaction runs", async () => {
    const gateway = await createGateway({ engine: "embedded", port: 0, commandTimeout: 60_000 });
    await run(gateway, "MSET", "a", "x".repeat(1_000), "b", "y".repeat(1_000));
    let isDone = false;
    const body = Array.from({ length: 200 }, () => ["LCS", "a", "b", "LEN"]);
    const transaction = call(gateway, "/multi-exec", { body }).then(({ json }) => {
      isDone = true;
      return json;
    });
    const { text } = await call(gateway, "/health");
    expect(text).toMatch(/"status":"(ok|down)"/);
    expect(isDone).toBe(false);
    expect(await transaction).toHaveLength(200);
    await gateway.close();
  });
});
