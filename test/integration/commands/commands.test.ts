import { expect, test } from "vitest";
import { startRedis } from "../../../testbed/src/index.js";
import { allSpecs } from "../../unit/commands/samples/index.js";
import { describeExercises } from "./exercises/describe.js";
import { exercises } from "./exercises/index.js";

test("every method has an exercise", () => {
  expect(
    Object.keys(exercises)
      // `bitfield` builds commands, and has no spec.
      .filter((method) => method !== "bitfield")
      .sort(),
  ).toEqual(Object.keys(allSpecs).sort());
});

// The gateway encodes JSON, whatever the engine, so one engine is enough for it.
for (const responseFormat of ["resp2", "json"] as const) {
  describeExercises({
    engine: "embedded",
    responseFormat,
    ...(responseFormat === "json" && { options: { tags: "full-run" } }),
    start: async () => ({ args: ["--engine", "embedded"] }),
  });
}

describeExercises({
  engine: "redis-7.0",
  responseFormat: "resp2",
  options: { tags: "redis-server" },
  start: async () => {
    const server = await startRedis();
    return { args: ["--redis", server.url], stop: () => server.stop() };
  },
});
