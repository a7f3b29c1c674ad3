import { afterEach, beforeEach, expect, test } from "vitest";
import { Topology } from "../../../../gateway/src/redis/cluster/topology.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import { TestClock } from "../../../support/test-clock.js";
import { HALVES, named, type Range, slotsReply } from "./fake-cluster.js";

let clock: TestClock;
let topology: Topology;
let ranges: readonly Range[];
/** Whether nodes reply. */
let isUp: boolean;
let requested: string[];
beforeEach(() => {
  clock = new TestClock();
  ranges = HALVES;
  isUp = true;
  requested = [];
});
afterEach(() => topology.close());

/** Opens a topology of one seed, and waits until it is known. */
async function start(): Promise<void> {
  const query = async (name: string) => {
    requested.push(name);
    if (!isUp) throw new Error("connection refused");
    return slotsReply(ranges);
  };
  topology = new Topology([{ host: "a", port: 1 }], query, newCounters(), undefined, clock);
  topology.open();
  await replies();
}

/** Lets the nodes reply. */
const replies = () => new Promise(setImmediate);

async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await replies();
}

test("the topology is refreshed at intervals, and a change is found without a redirection", async () => {
  await start();
  expect(topology.shardOf(0)?.primary).toBe(named("a"));
  ranges = [[0, 16_383, "c"]];
  await advance(59_999);
  expect(topology.shardOf(0)?.primary).toBe(named("a"));
  expect(topology.counters.topologyChanges).toBe(0);
  await advance(1);
  expect(topology.shardOf(0)?.primary).toBe(named("c"));
  expect(topology.has(named("a"))).toBe(false);
  expect(topology.counters.topologyChanges).toBe(1);
  // The next refresh queries the node that is left.
  await advance(60_000);
  expect(requested).toHaveLength(3);
  expect(requested[2]).toBe(named("c"));
  expect(topology.counters.topologyChanges).toBe(1);
});

test("a redirection to an unknown node refreshes the topology within 100 ms", async () => {
  await start();
  expect(topology.moved(0, named("c"))).toBe(false);
  await advance(99);
  expect(requested).toHaveLength(1);
  await advance(1);
  expect(requested).toHaveLength(2);
});

test("redirections refresh the topology once a second at most, and failing nodes every 100 ms", async () => {
  await start();
  topology.moved(0, named("b"));
  await advance(999);
  expect(requested).toHaveLength(1);
  await advance(1);
  expect(requested).toHaveLength(2);
  topology.suspect(named("b"));
  await advance(99);
  expect(requested).toHaveLength(2);
  await advance(1);
  expect(requested).toHaveLength(3);
});

test("a failing node refreshes the topology sooner than a moved slot, but not before a running query has ended", async () => {
  await start();
  topology.moved(0, named("b"));
  topology.suspect(named("b"));
  await advance(100);
  expect(requested).toHaveLength(2);
  await advance(100);
  topology.refreshSoon();
  // Its reply may be older than what follows.
  topology.suspect(named("b"));
  await replies();
  expect(requested).toHaveLength(3);
  await advance(100);
  expect(requested).toHaveLength(4);
});

test("a topology that rests twice is queried again once it wakes", async () => {
  await start();
  topology.rest();
  topology.rest();
  await advance(60_000);
  expect(requested).toHaveLength(1);
  topology.wake();
  await replies();
  expect(requested).toHaveLength(2);
});

test("a query that fails is repeated after a second", async () => {
  isUp = false;
  await start();
  expect(topology.lastError).toBe("connection refused");
  await advance(999);
  expect(requested).toHaveLength(1);
  isUp = true;
  await advance(1);
  expect(requested).toHaveLength(2);
  expect(topology.lastError).toBe(null);
  expect(topology.isKnown).toBe(true);
});

test("a closed topology leaves no timer behind", async () => {
  await start();
  topology.suspect(named("b"));
  expect(clock.timers).toBe(2);
  topology.close();
  expect(clock.timers).toBe(0);
});
