import fc from "fast-check";
import type { RedisHashField } from "js-redis-server/core";
import { expect, test } from "vitest";
import { DatabaseEntries } from "../../../gateway/src/engine/embedded/collections/database-entries.js";
import { ExpiringMap } from "../../../gateway/src/engine/embedded/collections/expiring-map.js";
import { IndexedMap } from "../../../gateway/src/engine/embedded/collections/indexed-map.js";
import { ListValues } from "../../../gateway/src/engine/embedded/collections/list-values.js";
import { SortedBlocks } from "../../../gateway/src/engine/embedded/collections/sorted-blocks.js";
import type { Entry } from "../../../gateway/src/engine/embedded/stored-value.js";
import { matchesGlob } from "../../../gateway/src/util/glob.js";

const small = fc.integer({ min: 0, max: 3_000 });

test("SortedBlocks finds, counts and removes as a sorted array does", () => {
  fc.assert(
    fc.property(
      // Without a size an array has ten items at most, and a block is split at 512.
      fc.uniqueArray(small, { maxLength: 2_500, size: "max" }),
      fc.array(small, { maxLength: 2_500, size: "max" }),
      small,
      small,
      (added, removed, a, b) => {
        const blocks = new SortedBlocks<number>((left, right) => left - right);
        for (const item of added) blocks.add(item);
        for (const item of removed) blocks.delete(item);
        const expected = added.filter((item) => !removed.includes(item)).sort((left, right) => left - right);
        expect([...blocks]).toEqual(expected);
        expect(blocks.at(a)).toBe(expected[a]);
        expect(blocks.countWhile((item) => item < b)).toBe(expected.filter((item) => item < b).length);
        expect(blocks.slice(Math.min(a, b), Math.max(a, b))).toEqual(
          expected.slice(Math.min(a, b), Math.max(a, b)),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test.each([5, 500])("IndexedMap has each of its %i items at one index", (size) => {
  const map = new IndexedMap<number>();
  for (let id = 0; id <= size; id += 1) map.set(String(id), id);
  map.delete("0");
  const items = Array.from({ length: size }, (_, place) => map.itemAt(place));
  expect(new Set(items)).toEqual(new Set(map.values()));
  expect(map.itemAt(size)).toBeUndefined();
  map.clear();
  expect(map.itemAt(0)).toBeUndefined();
});

test("ExpiringMap knows which items have expired, however their time to live was changed", () => {
  const map = new ExpiringMap<{ expiresAt?: number }>();
  const [a, b, c] = [{ expiresAt: 5 }, { expiresAt: 1 }, {}];
  map.set("a", a).set("b", b).set("c", c).set("d", { expiresAt: 2 });
  map.delete("d");
  Object.assign(c, { expiresAt: 3 });
  map.noteExpiry("c");
  expect(map.expiredBy(4)).toEqual([
    ["b", b],
    ["c", c],
  ]);
  map.set("b", {});
  expect(map.expiredBy(9)).toEqual([
    ["a", a],
    ["c", c],
  ]);
});

test("DatabaseEntries knows the hashes with an expired field, whatever replaces or removes them", () => {
  const entries = new DatabaseEntries();
  const key = Buffer.from("k");
  const hash = (expiresAt?: number): Entry => {
    const fields = new ExpiringMap<RedisHashField>();
    fields.set("f", { field: key, value: key, expiresAt }).set("lasting", { field: key, value: key });
    return { key, value: { type: "hash", fields } };
  };
  const [a, b] = [hash(1), hash(5)];
  entries.set("a", a).set("b", b).set("c", hash()).set("d", hash(1)).set("e", hash(1));
  expect(entries.set("d", hash()).delete("e")).toBe(true);
  expect(entries.withFieldsExpiredBy(4)).toEqual([a]);
  expect(entries.withFieldsExpiredBy(5)).toEqual([a, b]);
  entries.set("a", { key, value: { type: "string", value: key } });
  expect(entries.withFieldsExpiredBy(5)).toEqual([b]);
  entries.clear();
  expect(entries.withFieldsExpiredBy(5)).toEqual([]);
});

test("ListValues does what an array does, except that at(-1) is undefined", () => {
  const value = fc.integer({ min: 0, max: 9 }).map((digit) => Buffer.from([digit]));
  const step = fc.oneof(
    value.map((item) => (list: Buffer[]) => void list.push(item)),
    value.map((item) => (list: Buffer[]) => void list.unshift(item)),
    fc.constant((list: Buffer[]) => list.pop()),
    fc.constant((list: Buffer[]) => list.shift()),
    fc.tuple(fc.nat(20), fc.nat(20), fc.array(value, { maxLength: 3 })).map(
      ([start, count, items]) =>
        (list: Buffer[]) =>
          list.splice(Math.min(start, list.length), count, ...items),
    ),
    fc.tuple(fc.nat(20), fc.nat(20)).map(
      ([from, to]) =>
        (list: Buffer[]) =>
          list.slice(from, to),
    ),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: "max" }), (steps) => {
      const list = new ListValues();
      const array: Buffer[] = [];
      for (const apply of steps) expect(apply(list as unknown as Buffer[])).toEqual(apply(array));
      expect([...list]).toEqual(array);
      expect(list.length).toBe(array.length);
      expect(list.at(0)).toEqual(array[0]);
      expect(list.at(-1)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});

/** Returns how many elements arrays copy while a function runs. */
function countCopied(run: () => void): number {
  const { slice, concat } = Array.prototype;
  let count = 0;
  const counted = (copy: (...args: any[]) => unknown[]) =>
    function (this: unknown[], ...args: unknown[]) {
      const copied = copy.apply(this, args);
      count += copied.length;
      return copied;
    };
  try {
    Object.assign(Array.prototype, { slice: counted(slice), concat: counted(concat) });
    run();
  } finally {
    Object.assign(Array.prototype, { slice, concat });
  }
  return count;
}

test.each([
  ["unshift", "pop"],
  ["unshift", "shift"],
  ["push", "pop"],
  ["push", "shift"],
] as const)(
  "a list that gets one %s for every three of %s, until it is empty, copies few elements",
  (add, remove) => {
    const size = 2_000;
    const item = Buffer.from("x");
    const list = new ListValues(Array<Buffer>(size).fill(item));
    const copied = countCopied(() => {
      for (let left = size; left > 0; left -= 2) {
        list[add](item);
        for (let removed = 0; removed < 3; removed++) list[remove]();
      }
    });
    expect(list.length).toBe(0);
    expect(copied).toBeLessThan(6 * size);
  },
);

test.each([
  ["*", "", true],
  ["a*c", "abbc", true],
  ["a*c", "abbd", false],
  ["*a*b", "xaxb", true],
  ["?b", "ab", true],
  ["?", "", false],
  ["[a-c]", "b", true],
  ["[c-a]", "b", true],
  ["[^a]", "a", false],
  ["[a", "a", true],
  ["[\\]]", "]", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["a\\", "a\\", true],
  ["", "", true],
  ["", "a", false],
  [`${"a*".repeat(20)}b`, "a".repeat(5_000), false],
])("matchesGlob: %j with %j is %j", (pattern, text, expected) => {
  expect(matchesGlob(Buffer.from(pattern), Buffer.from(text))).toBe(expected);
});
