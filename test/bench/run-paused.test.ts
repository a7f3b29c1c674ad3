import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runPaused } from "../../bench/src/rig/run-paused.js";

const folder = mkdtempSync(join(tmpdir(), "warmline-paused-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs instances side by side. Returns the time of each of their invocations, from and to, by a clock that they share. */
async function invocations(instances: number, pauseMs: number, frozen: boolean) {
  const handler = join(folder, "handler.mjs");
  writeFileSync(
    handler,
    `const now = () => Number(process.hrtime.bigint()) / 1e6;
    export const handler = async () => {
      const from = now();
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { from, to: now() };
    };`,
  );
  const spans: { instance: number; from: number; to: number }[] = [];
  const run = (_: unknown, instance: number) =>
    runPaused(
      { handler, env: {} },
      {},
      {
        calls: 10,
        pauseMs,
        frozen,
        latencyOf: (result) => {
          const { from, to } = result as { from: number; to: number };
          spans.push({ instance, from, to });
          return to - from;
        },
      },
    );
  for (const { latencies, failed } of await Promise.all(Array.from({ length: instances }, run)))
    expect([latencies.length, failed]).toEqual([10, 0]);
  return spans.sort((a, b) => a.from - b.from);
}

test("invocations back to back have no other instance's invocation between them", async () => {
  const order = (await invocations(3, 0, false)).map(({ instance }) => instance);
  expect(order.filter((instance, at) => at > 0 && instance !== order[at - 1])).toHaveLength(2);
});

test("invocations after pauses never overlap, and instances pause at the same time", async () => {
  const spans = await invocations(3, 20, true);
  for (const [at, { from }] of spans.entries()) if (at > 0) expect(from).toBeGreaterThan(spans[at - 1]!.to);
  const order = spans.map(({ instance }) => instance);
  expect(order.filter((instance, at) => at > 0 && instance !== order[at - 1]).length).toBeGreaterThan(2);
});

test("an instance whose pause is over runs before instances that are to start", async () => {
  const handler = join(folder, "started.mjs");
  writeFileSync(
    handler,
    `const now = () => Number(process.hrtime.bigint()) / 1e6;
    const loadedAt = now();
    export const handler = async () => ({ loadedAt, at: now() });`,
  );
  const loaded: number[] = [];
  const invoked: number[] = [];
  const run = (_: unknown, instance: number) =>
    runPaused(
      { handler, env: {} },
      {},
      {
        ...{ calls: 1, pauseMs: 1, frozen: true },
        latencyOf: (result) => {
          const { loadedAt, at } = result as { loadedAt: number; at: number };
          loaded[instance] = loadedAt;
          invoked[instance] = at;
          return 1;
        },
      },
    );
  const runs = await Promise.all(Array.from({ length: 4 }, run));
  expect(invoked[0]).toBeLessThan(loaded[3]!);
  for (const { longestPauseS } of runs) expect(longestPauseS).toBeGreaterThanOrEqual(0.001);
});

test("an invocation that times out ends its instance, and the measurements before it count", async () => {
  const handler = join(folder, "hangs.mjs");
  writeFileSync(
    handler,
    `let calls = 0;
    export const handler = () => (++calls === 3 + 2 ? new Promise((resolve) => setTimeout(resolve, 60_000)) : {});`,
  );
  const pauses = { calls: 4, pauseMs: 5, frozen: true, timeoutMs: 1_500 };
  const { latencies, failed } = await runPaused({ handler, env: {} }, {}, pauses);
  expect([latencies.length, failed]).toEqual([1, 1]);
});
