import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { currentTurn } from "../../../../gateway/src/util/turn.js";

test("turns are counted for two turns after a call", async () => {
  const first = currentTurn();
  await Promise.resolve();
  expect(currentTurn()).toBe(first);
  await nextTurn();
  expect(currentTurn()).toBe(first + 1);
  for (let turns = 0; turns < 5; turns++) await nextTurn();
  expect(currentTurn()).toBe(first + 3);
});
