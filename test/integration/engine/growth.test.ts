import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import type { Engine } from "../../../gateway/src/engine/engine.js";
import { loop, measure, WRITES, writes } from "../../support/engine/growth.js";

// A small part of test/fuzz/embedded-growth.test.ts, which has large numbers and CPU times.
const COUNT = 1_000;

describe("many writes to one key of the embedded engine", () => {
  let engine: Engine;
  const notices: string[] = [];
  beforeAll(async () => {
    engine = await startEmbeddedEngine({ onNotice: (message) => notices.push(message) });
  });
  afterEach(() => expect(notices).toEqual([]));
  afterAll(() => engine.close());

  test.each(Object.keys(WRITES))(`${COUNT} %s end in one transaction and in one script`, async (name) => {
    const transaction = [["FLUSHALL"], ["MULTI"], ...writes(name, COUNT), ["EXEC"]];
    const { replies } = await measure(engine, transaction);
    expect(replies.at(-1)).toHaveLength(COUNT);
    const script = await measure(engine, [["FLUSHALL"], ["EVAL", loop(name), "1", "k", String(COUNT)]]);
    expect(script.replies).toEqual(["+OK", ":1"]);
  });
});
