import fc from "fast-check";
import { expect, test } from "vitest";
import { ALL, BucketTable, MAX_LISTED } from "../../../../gateway/src/near/bucket-table.js";

/** Returns the buckets in a report, or null for all. */
const read = (report: string) =>
  report === ALL
    ? null
    : report
        .split(",")
        .filter(Boolean)
        .map((text) => Number.parseInt(text, 36));

test("a report lists exactly the buckets that have changed since, whatever the order of the changes", () => {
  const bucket = fc.oneof(fc.nat(5), fc.constantFrom(0, 16_382, 16_383));
  fc.assert(
    fc.property(fc.array(bucket, { maxLength: 60, size: "max" }), fc.nat(), (changes, place) => {
      const since = place % (changes.length + 1);
      const table = new BucketTable();
      for (const each of changes) table.change(each);
      const expected = new Set(changes.slice(since));
      const listed = read(table.changesSince(since))!;
      expect(new Set(listed)).toEqual(expected);
      expect(listed).toHaveLength(expected.size);
    }),
  );
});

test("the report is all keys for too many buckets, a change of all keys, or an unknown sequence number", () => {
  const table = new BucketTable();
  for (let bucket = 0; bucket < MAX_LISTED; bucket++) table.change(bucket);
  expect(read(table.changesSince(0))).toHaveLength(MAX_LISTED);
  table.change(16_383);
  expect(table.changesSince(0)).toBe(ALL);
  const before = table.sequence;
  expect(table.changesSince(before + 1)).toBe(ALL);
  expect(table.changesSince(Number.NaN)).toBe(ALL);
  table.changeAll();
  expect(table.changesSince(before)).toBe(ALL);
  expect(table.changesSince(table.sequence)).toBe("");
  table.change(7);
  expect(read(table.changesSince(table.sequence - 1))).toEqual([7]);
});
