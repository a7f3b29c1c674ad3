import { equal, rejection } from "./assert.js";

/** What a token that may only read can do, with the data that a writer left beforehand. */
export const readOnlyChecks = {
  "a read-only token reads": async ({ reader, key }) => {
    equal(await reader.get(key("left")), { name: "Ada" });
    equal(await reader.pipeline().exists(key("left")).get(key("missing")).exec(), [1, null]);
  },

  "a read-only token is refused a write": async ({ reader, key, module }) => {
    const error = await rejection(reader.set(key("left"), "changed"));
    equal([error instanceof module.RedisError, error.code, error.outcome], [true, "NOPERM", "answered"]);
    equal(await reader.get(key("left")), { name: "Ada" });
  },
};
