import { afterEach, describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { measure, WRITES, writes } from "../../support/engine/growth.js";
import { sharedByTests } from "../../support/lifetime.js";

// A small part of test/fuzz/embedded-growth.test.ts, which has large numbers and CPU times.
const COUNT = 1_000;

describe("many writes to one key of the embedded engine", () => {
  const notices: string[] = [];
  const engine = sharedByTests(() => startEmbeddedEngine({ onNotice: (message) => notices.push(message) }));
  afterEach(() => expect(notices).toEqual([]));

  test.each(Object.keys(WRITES))(`${COUNT} %s end in one transaction`, async (name) => {
    const commands = [["FLUSHALL"], ["MULTI"], ...writes(name, COUNT), ["EXEC"]];
    const { replies } = await measure(engine, commands);
    expect(replies.at(-1)).toHaveLength(COUNT);
  });
});
