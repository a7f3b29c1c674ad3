import { expect, test, vi } from "vitest";
import { warmUp } from "../../../src/client/warm-up.js";
import { getSpec } from "../../../src/commands/index.js";
import { getCapabilities } from "../../../src/protocol/capabilities.js";

test("the warm-up runs a command through every layer, once per process, without an endpoint", async () => {
  const reply = vi.spyOn(getSpec("get")!, "reply");
  warmUp();
  await expect.poll(() => reply).toHaveReturnedWith(1);
  warmUp();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(reply).toHaveBeenCalledTimes(1);
  // The detected capabilities belong to that endpoint only.
  expect(getCapabilities("warm-up:", "").gateway).toBe(true);
  expect(getCapabilities("http://localhost", "").gateway).toBeUndefined();
});
