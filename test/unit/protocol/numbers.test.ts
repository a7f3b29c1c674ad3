import { expect, test } from "vitest";
import { Numbers } from "../../../src/protocol/numbers.js";
import { TestClock } from "../../support/test-clock.js";

test.each([403, 404, 405])("for a minute after a proxy's %i, requests have no numbers", (status) => {
  const clock = new TestClock();
  const numbers = new Numbers("", () => clock.moment());
  numbers.onTicket("gateway.1");
  const takes = () => numbers.take(clock.moment()) !== undefined;
  expect(takes()).toBe(true);
  const page = { status, header: () => undefined, body: new Uint8Array() };
  expect(numbers.refused(page)).toBe(true);
  expect(takes()).toBe(false);
  clock.advance(59_999);
  expect(takes()).toBe(false);
  clock.advance(1);
  expect(takes()).toBe(true);
});
