import { beforeEach, expect, test } from "vitest";
import { Activity } from "../../../../gateway/src/redis/activity.js";
import { TestClock } from "../../../support/test-clock.js";

let clock: TestClock;
let calls: string[];
beforeEach(() => {
  clock = new TestClock();
  calls = [];
});

function start(idle: number, isLazy = false): Activity {
  const activity = new Activity(idle, isLazy, clock);
  activity.add({ rest: () => calls.push("rest"), wake: () => calls.push("wake") });
  return activity;
}

test("Redis rests after the idle time without a use, and wakes at the next use", () => {
  const activity = start(10_000);
  clock.advance(9_000);
  activity.use();
  clock.advance(9_999);
  expect(activity.isResting).toBe(false);
  clock.advance(1);
  expect(activity.isResting).toBe(true);
  activity.use();
  activity.use();
  clock.advance(10_000);
  expect(calls).toEqual(["rest", "wake", "rest"]);
});

test("the idle time begins when the last operation has ended", () => {
  const activity = start(10_000);
  activity.lend();
  let isBusy = false;
  activity.isBusy = () => isBusy;
  clock.advance(60_000);
  isBusy = true;
  activity.giveBack();
  clock.advance(60_000);
  expect(calls).toEqual([]);
  isBusy = false;
  // `isBusy` is called once a second, so Redis rests 9 to 11 seconds after the end.
  clock.advance(8_999);
  expect(calls).toEqual([]);
  clock.advance(2_001);
  expect(calls).toEqual(["rest"]);
});

test("with `isLazy`, Redis rests until the first use, and with an idle time of 0 never again", () => {
  const activity = start(0, true);
  expect(activity.isResting).toBe(true);
  activity.use();
  clock.advance(3_600_000);
  expect(calls).toEqual(["wake"]);
  expect(clock.timers).toBe(0);
});

test("a member that has left is not called, nor any member after close()", () => {
  const activity = start(1_000);
  const leave = activity.add({ rest: () => calls.push("left") });
  leave();
  clock.advance(1_000);
  expect(calls).toEqual(["rest"]);
  activity.use();
  activity.close();
  clock.advance(10_000);
  expect(calls).toEqual(["rest", "wake"]);
});
