import { expect, test } from "vitest";
import { failureOf } from "../../../../gateway/src/log/failure.js";

test("an error is logged by its name, its code and its frames, and not by its message", () => {
  const secret = "hunter2";
  const error = Object.assign(new TypeError(`wrong: ${secret}\n    at ${secret}:1:2`), { code: "EWRONG" });
  const failure = failureOf(error);
  expect(failure).toMatchObject({ error: "TypeError", code: "EWRONG" });
  expect(failure.at[0]).toContain("failure.test.ts");
  expect(JSON.stringify(failure)).not.toContain(secret);
});
