import { expect, test } from "vitest";
import { PoolBatchLimiter } from "../../../src/transport/node/batch-limiter.js";
import { elapsed, moment } from "../../../src/util/clock.js";
import { sleep } from "../../../src/util/timers.js";

/** How many requests may be under way at a time. */
function roomOf(batchLimiter: PoolBatchLimiter): number {
  const leave: (() => void)[] = [];
  while (!batchLimiter.turn()) leave.push(batchLimiter.enter());
  for (const end of leave) end();
  return leave.length;
}

test("a near server is sent a few requests at a time, and one far away as many as there are", async () => {
  expect(roomOf(new PoolBatchLimiter())).toBe(4);
  const far = new PoolBatchLimiter();
  const roundTrip = async () => {
    const leave = far.enter();
    await sleep(25);
    leave();
  };
  // The first round trip starts the interval of one second in which the fastest is measured.
  await roundTrip();
  const began = moment();
  while (elapsed(began) < 1_100) await roundTrip();
  const leave: (() => void)[] = [];
  while (leave.length < 64 && !far.turn()) leave.push(far.enter());
  expect(leave).toHaveLength(64);
});

test("a failed request does not count as a round trip", () => {
  const batchLimiter = new PoolBatchLimiter();
  for (let n = 0; n < 100; n++) batchLimiter.enter()(new Error("refused"));
  expect(roomOf(batchLimiter)).toBe(4);
});
