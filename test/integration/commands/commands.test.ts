import { expect, test } from "vitest";
import { redisAvailable, startRedis } from "../../../testbed/src/index.js";
import { allSpecs } from "../../unit/commands/samples/index.js";
import { describeExercises } from "./exercises/describe.js";
import { exercises } from "./exercises/index.js";

test("every method has an exercise", () => {
  expect(
    Object.keys(exercises)
      .filter((method) => method !== "bitfield")
      .sort(),
  ).toEqual(Object.keys(allSpecs).sort());
});

describeExercises({
  engine: "embedded",
  responseFormat: "resp2",
  start: async () => ({ args: ["--engine", "embedded"] }),
});

for (const responseFormat of ["resp2", "json"] as const) {
  describeExercises({
    engine: "redis-7.0",
    responseFormat,
    skip: !redisAvailable(),
    start: async () => {
      const server = await startRedis();
      return { args: ["--redis", server.url], stop: () => server.stop() };
    },
  });
}
