import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import type { Engine } from "../../../gateway/src/engine/engine.js";
import { measure, WRITES, writes } from "../../support/engine/growth.js";

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

  test.each(Object.keys(WRITES))(`${COUNT} %s end in one transaction`, async (name) => {
    const commands = [["FLUSHALL"], ["MULTI"], ...writes(name, COUNT), ["EXEC"]];
    const { replies } = await measure(engine, commands);
    expect(replies.at(-1)).toHaveLength(COUNT);
  });
});
