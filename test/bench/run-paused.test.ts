import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Pauses, runPaused } from "../../bench/src/rig/run-paused.js";
import { newFolder } from "../support/new-folder.js";

const folder = newFolder("paused");

/** Runs instances of a handler with this code side by side. `pausesOf` has their pauses, and receives the number of the instance. */
function run(instances: number, code: string, pausesOf: (instance: number) => Pauses) {
  const handler = join(mkdtempSync(join(folder, "handler-")), "handler.mjs");
  writeFileSync(handler, `const now = () => Number(process.hrtime.bigint()) / 1e6;\n${code}`);
  const start = (_: unknown, instance: number) => runPaused({ handler, env: {} }, {}, pausesOf(instance));
  return Promise.all(Array.from({ length: instances }, start));
}

/** Runs instances side by side. Returns the time of each of their invocations, from and to, by a clock that they share. */
async function invocations(instances: number, pauseMs: number, frozen: boolean) {
  const code = `export const handler = async () => {
    const from = now();
    await new Promise((resolve) => setTimeout(resolve, 2));
    return { from, to: now() };
  };`;
  const spans: { instance: number; from: number; to: number }[] = [];
  const ended = await run(instances, code, (instance) => ({
    ...{ calls: 10, pauseMs, frozen },
    latencyOf: (result) => {
      const { from, to } = result as { from: number; to: number };
      spans.push({ instance, from, to });
      return to - from;
    },
  }));
  for (const { latencies, failed } of ended) expect([latencies.length, failed]).toEqual([10, 0]);
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
  const code = `const loadedAt = now();
  export const handler = async () => ({ loadedAt, at: now() });`;
  const [loaded, invoked]: [number[], number[]] = [[], []];
  const runs = await run(4, code, (instance) => ({
    ...{ calls: 1, pauseMs: 1, frozen: true },
    latencyOf: (result) => {
      const { loadedAt, at } = result as { loadedAt: number; at: number };
      [loaded[instance], invoked[instance]] = [loadedAt, at];
      return 1;
    },
  }));
  expect(invoked[0]).toBeLessThan(loaded[3]!);
  for (const { longestPauseS } of runs) expect(longestPauseS).toBeGreaterThanOrEqual(0.001);
});

test("an invocation that times out ends its instance, and the measurements before it count", async () => {
  const code = `let calls = 0;
  export const handler = () => (++calls === 3 + 2 ? new Promise((resolve) => setTimeout(resolve, 60_000)) : {});`;
  const pauses = { calls: 4, pauseMs: 5, frozen: true, timeoutMs: 1_500 };
  const [ended] = await run(1, code, () => pauses);
  expect([ended!.latencies.length, ended!.failed]).toEqual([1, 1]);
});
