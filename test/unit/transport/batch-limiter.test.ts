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
  // The first one begins the second in which the fastest is measured.
  await roundTrip();
  const began = moment();
  while (elapsed(began) < 1_100) await roundTrip();
  const leave: (() => void)[] = [];
  while (leave.length < 64 && !far.turn()) leave.push(far.enter());
  expect(leave).toHaveLength(64);
});

test("those that wait have their turn in order, one for each place", async () => {
  const batchLimiter = new PoolBatchLimiter();
  const leave = Array.from({ length: 4 }, () => batchLimiter.enter());
  const order: number[] = [];
  const waiting = [0, 1, 2].map((each) =>
    batchLimiter.turn()!.then(() => {
      order.push(each);
      return batchLimiter.enter();
    }),
  );
  // Whoever comes while others wait is after them.
  leave[0]!();
  const last = batchLimiter.turn()!.then(() => order.push(3));
  await waiting[0];
  leave[1]!();
  (await waiting[1]!)();
  (await waiting[2]!)();
  await last;
  expect(order).toEqual([0, 1, 2, 3]);
});

test("all that wait have their turn where no response comes", async () => {
  const batchLimiter = new PoolBatchLimiter();
  for (let n = 0; n < 4; n++) batchLimiter.enter();
  const turns = Array.from({ length: 20 }, () => batchLimiter.turn()!.then(() => batchLimiter.enter()));
  expect(await Promise.all(turns)).toHaveLength(20);
});

test("what fails says nothing of the distance", () => {
  const batchLimiter = new PoolBatchLimiter();
  for (let n = 0; n < 100; n++) batchLimiter.enter()(new Error("refused"));
  expect(roomOf(batchLimiter)).toBe(4);
});
