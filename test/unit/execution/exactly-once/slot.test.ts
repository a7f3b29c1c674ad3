import slotOf from "cluster-key-slot";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyInSameSlot } from "../../../../src/execution/exactly-once/slot.js";
import { scaled } from "../../../support/random-tests.js";

const bytes = (text: string) => new TextEncoder().encode(text);

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
        expect(slotOf(Buffer.from(name))).toBe(slotOf(Buffer.from(key)));
        expect(name.subarray(0, key.length)).toEqual(key);
        expect(new TextDecoder().decode(name.subarray(key.length))).toMatch(new RegExp(`^:wl:${id}`));
      },
    ),
    { numRuns: scaled(20_000) },
  );
});
