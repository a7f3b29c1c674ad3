import { afterEach, expect, test } from "vitest";
import { Topology } from "../../../../gateway/src/redis/cluster/topology.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import { HALVES, named, type Range, slotsReply } from "./fake-cluster.js";

let topology: Topology;
let ranges: readonly Range[];
let requested: string[];
afterEach(() => topology.close());

function start(interval: number, redirects = 1): void {
  ranges = HALVES;
  requested = [];
  const ask = async (name: string) => {
    requested.push(name);
    return slotsReply(ranges);
  };
  topology = new Topology([{ host: "a", port: 1 }], ask, { interval, redirects }, newCounters());
}

test("the topology is refreshed at intervals, and a change is found without a redirection", async () => {
  start(20);
  topology.open();
  await expect.poll(() => topology.shardOf(0)?.primary).toBe(named("a"));
  expect(topology.counters.topologyChanges).toBe(0);
  ranges = [[0, 16_383, "c"]];
  await expect.poll(() => topology.shardOf(0)?.primary).toBe(named("c"));
  expect(topology.has(named("a"))).toBe(false);
  expect(topology.counters.topologyChanges).toBe(1);
  // Then of the node that is left.
  const before = requested.length;
  await expect.poll(() => requested.length).toBeGreaterThan(before + 3);
  expect(topology.counters.topologyChanges).toBe(1);
});

test("the topology is refreshed after the set number of redirections, not before", async () => {
  start(60_000, 3);
  topology.open();
  await expect.poll(() => topology.isKnown).toBe(true);
  const { length } = requested;
  expect(topology.moved(0, named("b"))).toBe(true);
  expect(topology.shardOf(0)?.primary).toBe(named("b"));
  expect(topology.moved(1, named("b"))).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(requested).toHaveLength(length);
  topology.moved(2, named("b"));
  await expect.poll(() => requested.length).toBe(length + 1);
});
