import { afterEach, expect, test, vi } from "vitest";
import type { Connection } from "../../../../gateway/src/http/connection.js";
import { Connections } from "../../../../gateway/src/http/connections.js";
import { connectionsByFileLimit } from "../../../../gateway/src/http/file-limit.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";
import { forTest } from "../../../support/lifetime.js";

const MINUTE = 60_000;
afterEach(() => vi.restoreAllMocks());

/** An idle connection, with the bytes of a response that have not left. */
function idle(backlog: number, idleFor: number) {
  const connection = { backlog, idleSince: performance.now() - idleFor, isBusy: false, isClosed: false };
  return Object.assign(connection, {
    destroyed: false,
    destroy() {
      this.destroyed = true;
    },
  });
}

test("a connection whose last response has not left is not evicted, and counts as idle from then on", async () => {
  // No time passes but what the test takes off.
  vi.spyOn(performance, "now").mockReturnValue(100_000);
  const limits = { idle: MINUTE, head: MINUTE, body: MINUTE, soft: 2, hard: 10 };
  const connections = forTest(new Connections({ ...limits, budget: new BufferBudget() }));
  const add = async (connection: ReturnType<typeof idle>) => {
    connections.add(connection as unknown as Connection);
    await new Promise((resolve) => setImmediate(resolve));
    return connection;
  };
  const behind = await add(idle(10, 5_000));
  const done = await add(idle(0, 3_000));
  const young = [await add(idle(0, 0))];
  expect([behind.destroyed, done.destroyed, connections.open, connections.evicted]).toEqual([
    false,
    true,
    2,
    1,
  ]);
  behind.backlog = 0;
  young.push(await add(idle(0, 0)));
  expect([behind.destroyed, connections.open]).toEqual([false, 3]);
  behind.idleSince -= 2_000;
  for (const other of young) other.idleSince -= 2_000;
  await add(idle(0, 0));
  expect(behind.destroyed).toBe(true);
});

test.each([
  [256, 128],
  [20_000, 19_488],
  [1_048_576, 50_000],
])("with %i open files the default of maxConnections is %i", (files, connections) => {
  expect(connectionsByFileLimit(files)).toBe(connections);
});
