import fc from "fast-check";
import { expect, test } from "vitest";
import { slotOf } from "warmline-testbed";
import { keyInSameSlot } from "../../../../src/execution/exactly-once/slot.js";
import { scaled } from "../../../support/random-tests.js";

const bytes = (text: string) => new TextEncoder().encode(text);

// Reference values of CLUSTER KEYSLOT.
test.each([
  ["123456789", 12739],
  ["foo", 12182],
  ["bar", 5061],
  ["{user1000}.following", 3443],
  ["{user1000}.followers", 3443],
  ["foo{}{bar}", 8363],
  ["foo{{bar}}zap", 4015],
  ["", 0],
])("CLUSTER KEYSLOT %j is %i", (key, slot) => {
  expect(slotOf(bytes(key))).toBe(slot);
});

const adversarial = fc
  .array(fc.constantFrom("{", "}", "{}", "a", "é", "\0", ":"), { maxLength: 12 })
  .map((parts) => bytes(parts.join("")));

test("a name made for a key is in the key's slot and begins with the key", () => {
  fc.assert(
    fc.property(
      fc.oneof(adversarial, fc.uint8Array({ maxLength: 40 })),
      fc.stringMatching(/^[a-z0-9]{1,24}$/),
      (key, id) => {
        const name = keyInSameSlot(key, `:wl:${id}`);
        expect(slotOf(name)).toBe(slotOf(key));
        expect(name.subarray(0, key.length)).toEqual(key);
        expect(new TextDecoder().decode(name.subarray(key.length))).toMatch(new RegExp(`^:wl:${id}`));
      },
    ),
    { numRuns: scaled(20_000) },
  );
});
