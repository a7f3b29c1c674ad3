import { expect, test } from "vitest";
import { nodeViewOf } from "../../../../gateway/src/redis/cluster/node-view.js";
import { SlotSet } from "../../../../gateway/src/redis/cluster/slot-set.js";
import { bulkOf } from "../../../../gateway/src/resp/replies.js";
import { mulberry32 } from "../../../support/model/random.mjs";
import { SEED } from "../../../support/random-tests.js";

const setOf = (slots: ReadonlySet<number>) => SlotSet.ofRanges([...slots].map((slot) => [slot, slot]));

test("slot sets combine (and, or, without) like sets of numbers", () => {
  const next = mulberry32(SEED);
  for (let round = 0; round < 200; round++) {
    const numbers = () => new Set(Array.from({ length: 12 }, () => Math.floor(next() * 30)));
    const [a, b] = [numbers(), numbers()];
    const both = [...a].filter((slot) => b.has(slot));
    const onlyA = [...a].filter((slot) => !b.has(slot));
    expect(setOf(a).and(setOf(b))).toEqual(setOf(new Set(both)));
    expect(setOf(a).or(setOf(b))).toEqual(setOf(new Set([...a, ...b])));
    expect(setOf(a).without(setOf(b))).toEqual(setOf(new Set(onlyA)));
  }
  expect(SlotSet.ALL.without(SlotSet.ALL).isEmpty).toBe(true);
  expect(SlotSet.ALL.and(SlotSet.ALL)).toEqual(SlotSet.ALL);
});

test("invalid slot bounds are refused, and a set is shortened to its first ranges or to fewer, wider ones", () => {
  for (const bounds of [[1], [2, 1], [1, 1], [0, 16_385]]) expect(SlotSet.withBounds(bounds)).toBeNull();
  const set = SlotSet.withBounds([1, 2, 5, 9, 20, 30])!;
  expect(set.firstRanges(2).bounds).toEqual([1, 2, 5, 9]);
  expect(set.joined(2).bounds).toEqual([1, 2, 5, 30]);
  expect(set.joined(3)).toBe(set);
});

test("a reply to CLUSTER NODES is read as a node's own slots, its migrating slots, and the owners of all others", () => {
  const lines = [
    "aaa 10.0.0.1:6379@16379,one.internal myself,master - 0 0 1 connected 0-99 200 [50->-bbb] [300-<-bbb]",
    "bbb 10.0.0.2:6379@16379 master - 0 1 2 connected 300-16383",
    "ccc ::1:7000@17000 slave bbb 0 1 2 connected",
    "ddd :0@0 master,noaddr - 0 1 3 disconnected",
  ];
  const view = nodeViewOf(bulkOf(Buffer.from(`${lines.join("\n")}\n`)));
  expect(view.stable.bounds).toEqual([0, 50, 51, 100, 200, 201]);
  expect(view.leaving.bounds).toEqual([50, 51]);
  expect(view.arriving.bounds).toEqual([300, 301]);
  expect(view.served.bounds).toEqual([0, 100, 200, 201, 300, 16_384]);
  expect([view.targetOf(50), view.targetOf(51)]).toEqual(["bbb", undefined]);
  expect([view.ownerOf(200), view.ownerOf(150), view.ownerOf(400)]).toEqual(["aaa", undefined, "bbb"]);
  expect(view.names.get("aaa")).toBe("10.0.0.1:6379");
  expect(view.names.get("ccc")).toBe("[::1]:7000");
  expect(view.names.get("bbb")).toBe("10.0.0.2:6379");
  expect(view.names.has("ddd")).toBe(false);
  const replica = nodeViewOf(bulkOf(Buffer.from("aaa 1.1.1.1:1@2 myself,slave bbb 0 0 1 connected")));
  expect(replica.stable.isEmpty).toBe(true);
});
