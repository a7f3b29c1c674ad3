import fc from "fast-check";
import type { RedisDataValue } from "js-redis-server/core";
import { expect, test } from "vitest";
import { decodeValue, encodeValue, PayloadError } from "../../../gateway/src/engine/embedded/value-codec.js";

const bytes = fc.uint8Array({ maxLength: 20 }).map((value) => Buffer.from(value));
const hex = (value: Buffer) => value.toString("hex");
const id = fc.record({ ms: fc.bigInt(0n, 2n ** 64n - 1n), seq: fc.bigInt(0n, 2n ** 64n - 1n) });
const count = fc.nat(2 ** 40);

const group = fc
  .record({ name: bytes, lastDeliveredId: id, entriesRead: fc.option(count), ids: fc.array(id) })
  .chain(({ name, lastDeliveredId, entriesRead, ids }) =>
    fc
      .record({ consumer: bytes, seenAt: count, activeAt: fc.option(count), deliveryCount: count })
      .map((given) => ({
        name,
        lastDeliveredId,
        entriesRead,
        consumers: new Map([
          [hex(given.consumer), { name: given.consumer, seenAt: given.seenAt, activeAt: given.activeAt }],
        ]),
        pending: new Map(
          ids.map((pendingId) => [
            `${pendingId.ms}-${pendingId.seq}`,
            {
              id: pendingId,
              consumerId: hex(given.consumer),
              deliveredAt: given.seenAt,
              deliveryCount: given.deliveryCount,
            },
          ]),
        ),
      })),
  );

const anyValue: fc.Arbitrary<RedisDataValue> = fc.oneof(
  bytes.map((value): RedisDataValue => ({ type: "string", value })),
  fc.array(bytes).map((values): RedisDataValue => ({ type: "list", values })),
  fc
    .array(bytes)
    .map(
      (items): RedisDataValue => ({ type: "set", members: new Map(items.map((item) => [hex(item), item])) }),
    ),
  fc.array(fc.tuple(bytes, bytes, fc.option(count, { nil: undefined }))).map(
    (items): RedisDataValue => ({
      type: "hash",
      fields: new Map(
        items.map(([field, value, expiresAt]) => [
          hex(field),
          { field, value, ...(expiresAt === undefined ? {} : { expiresAt }) },
        ]),
      ),
    }),
  ),
  fc
    .array(
      fc.tuple(
        bytes,
        fc.double({ noNaN: true }).filter((score) => !Object.is(score, -0)),
      ),
    )
    .map(
      (items): RedisDataValue => ({
        type: "zset",
        members: new Map(items.map(([member, score]) => [hex(member), { member, score }])),
      }),
    ),
  fc
    .record({
      entries: fc.array(fc.record({ id, fields: fc.array(bytes) })),
      lastId: id,
      entriesAdded: count,
      maxDeletedEntryId: id,
      groups: fc.array(group).map((groups) => new Map(groups.map((one) => [hex(one.name), one]))),
    })
    .map((stream): RedisDataValue => ({ type: "stream", ...stream })),
);

test("every value survives a round trip", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(decodeValue(encodeValue(value))).toEqual(value);
    }),
  );
});

test("a payload that was truncated, changed or made elsewhere is refused", () => {
  fc.assert(
    fc.property(anyValue, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, place, change) => {
      const payload = encodeValue(value);
      const at = place % payload.length;
      const changed = Buffer.from(payload);
      changed[at]! ^= change;
      expect(() => decodeValue(changed)).toThrow(PayloadError);
      expect(() => decodeValue(payload.subarray(0, at))).toThrow(PayloadError);
    }),
  );
});
