import { expect, test } from "vitest";
import { PoolCrowd } from "../../../src/transport/node/crowd.js";
import { elapsed, moment } from "../../../src/util/clock.js";
import { sleep } from "../../../src/util/timers.js";

/** How many requests may be under way at a time. */
function roomOf(crowd: PoolCrowd): number {
  const leave: (() => void)[] = [];
  while (!crowd.turn()) leave.push(crowd.enter());
  for (const end of leave) end();
  return leave.length;
}

test("a near server is sent a few requests at a time, and one far away as many as there are", async () => {
  expect(roomOf(new PoolCrowd())).toBe(4);
  const far = new PoolCrowd();
  const began = moment();
  while (elapsed(began) < 1_300) {
    const leave = far.enter();
    await sleep(25);
    leave();
  }
  const leave: (() => void)[] = [];
  while (leave.length < 64 && !far.turn()) leave.push(far.enter());
  expect(leave).toHaveLength(64);
});

test("those that wait have their turn in order, one for each place", async () => {
  const crowd = new PoolCrowd();
  const leave = Array.from({ length: 4 }, () => crowd.enter());
  const order: number[] = [];
  const waiting = [0, 1, 2].map((each) =>
    crowd.turn()!.then(() => {
      order.push(each);
      return crowd.enter();
    }),
  );
  // Whoever comes while others wait is after them.
  leave[0]!();
  const last = crowd.turn()!.then(() => order.push(3));
  await waiting[0];
  leave[1]!();
  (await waiting[1]!)();
  (await waiting[2]!)();
  await last;
  expect(order).toEqual([0, 1, 2, 3]);
});

test("all that wait have their turn where no response comes", async () => {
  const crowd = new PoolCrowd();
  for (let n = 0; n < 4; n++) crowd.enter();
  const turns = Array.from({ length: 20 }, () => crowd.turn()!.then(() => crowd.enter()));
  expect(await Promise.all(turns)).toHaveLength(20);
});

test("what fails says nothing of the distance", () => {
  const crowd = new PoolCrowd();
  for (let n = 0; n < 100; n++) crowd.enter()(new Error("refused"));
  expect(roomOf(crowd)).toBe(4);
});
