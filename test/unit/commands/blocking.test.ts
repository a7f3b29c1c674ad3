import { expect, test } from "vitest";
import { blockingTime } from "../../../src/commands/blocking.js";

test.each([
  ["GET k", undefined],
  ["BLPOP a b 1.5", 1500],
  ["BLPOP a 0", Number.POSITIVE_INFINITY],
  ["BLMPOP 2 1 k LEFT", 2000],
  ["BZMPOP 0.1 1 k MIN", 100],
  ["XREAD COUNT 1 BLOCK 250 STREAMS s $", 250],
  ["XREAD block 0 STREAMS s $", Number.POSITIVE_INFINITY],
  ["XREAD STREAMS block 0", undefined],
  ["XREADGROUP GROUP g c BLOCK 5 STREAMS s >", 5],
  ["XREADGROUP GROUP streams block BLOCK 5 STREAMS s >", 5],
  ["XREADGROUP GROUP group block STREAMS s >", undefined],
  ["XREADGROUP BLOCK 5 GROUP g c STREAMS s >", 5],
  ["WAIT 1 300", 300],
  ["BLMOVEM a b LEFT RIGHT 2", 2000],
  ["BLMOVEM a b LEFT RIGHT 0.5 COUNT 3 BULK", 500],
  ["BLPOP k soon", 0],
])("%s blocks for %s ms", (command, wait) => {
  expect(blockingTime(command.split(" "))).toBe(wait);
});
