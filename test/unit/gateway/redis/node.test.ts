import { afterEach, beforeEach, expect, test } from "vitest";
import { Node } from "../../../../gateway/src/redis/cluster/node.js";
import { Nodes } from "../../../../gateway/src/redis/cluster/nodes.js";
import type { Topology } from "../../../../gateway/src/redis/cluster/topology.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import type { ServerOptions } from "../../../../gateway/src/redis/server.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { TestClock } from "../../../support/test-clock.js";

let node: Node;
let clock: TestClock;
const options: ServerOptions = {
  connect: () => {
    throw new Error("connection refused");
  },
  timeout: 1_000,
  connections: 1,
  maxBlockingConnections: 1,
  maxTransactionConnections: 1,
  maxQueuedCommands: 1,
  maxReplySize: 1_000,
  reconnect: "wanted",
  counters: newCounters(),
};
beforeEach(() => {
  clock = new TestClock();
  node = new Node("a:1", options, clock);
});
afterEach(() => node.close());

/** Fails the node and returns for how long it is passed over, in ms. */
function ejection(): number {
  expect(node.failed()).toBe(true);
  let time = 0;
  for (; node.isEjected; time += 100) clock.advance(100);
  return time;
}

test("a node that fails repeatedly is ejected for twice as long each time, half a minute at most", () => {
  expect(node.isEjected).toBe(false);
  const times = Array.from({ length: 7 }, ejection);
  expect(times).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test("failures during an ejection count as one, and a reply resets the time to a second", () => {
  expect(node.failed()).toBe(true);
  expect(node.failed()).toBe(false);
  clock.advance(1_000);
  expect(node.isEjected).toBe(false);
  expect(ejection()).toBe(2_000);
  expect(node.failed()).toBe(true);
  node.succeeded();
  expect(node.isEjected).toBe(false);
  expect(ejection()).toBe(1_000);
});

test("a node that is first used after waits were ended refuses blocking commands as unsent", () => {
  const topology = { on() {}, off() {} } as unknown as Topology;
  const nodes = new Nodes(topology, 1_000, (name) => new Node(name, options));
  nodes.endWaits(100);
  const outcomes: string[] = [];
  nodes.get("b:2").sendAlone([command("BLPOP", "l", "0")], [Number.POSITIVE_INFINITY], {
    cancelled: false,
    onReply: () => outcomes.push("reply"),
    onFailure: ({ reason, outcome }) => outcomes.push(`${reason} ${outcome}`),
  });
  expect(outcomes).toEqual(["ended unsent"]);
  nodes.close();
});
