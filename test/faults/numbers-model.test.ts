import { expect, test } from "vitest";
import { Lanes } from "../../gateway/src/numbers/lanes.js";
import { runNumbersModel, type Shape } from "../support/numbers-model.js";
import { SEED, scaled } from "../support/random-tests.js";

// The client's deliveries and numbers and the gateway's lanes, over a network that is made up. TEST_RUNS=10 runs it for minutes.

const SHAPES: Shape[] = [
  { gateways: 1, path: "l4", clones: false },
  { gateways: 1, path: "l4", clones: true },
  { gateways: 1, path: "l7", clones: false },
  { gateways: 2, path: "l4", clones: true },
  { gateways: 2, path: "l7", clones: false },
];

test.each(SHAPES)(
  "applies each increment once at most, and tells the truth: %o",
  async (shape) => {
    const tally = await runNumbersModel({ ...shape, seed: SEED, calls: scaled(20_000), Lanes });
    const { violations, histories, ...counts } = tally;
    process.stdout.write(`${JSON.stringify({ ...shape, ...counts, violations: violations.length })}\n`);
    expect(violations, histories.join("\n")).toEqual([]);
  },
  1_200_000,
);
