import { expect, test, vi } from "vitest";
import { Hedging } from "../../../src/transport/node/hedging.js";
import { Pool } from "../../../src/transport/node/pool.js";
import { NodeTransport } from "../../../src/transport/node/transport.js";
import { createNodeTransportOptions } from "../../../src/transport/node/transport-options.js";
import { TestClock } from "../../support/test-clock.js";

const clock = new TestClock();

test("a response is late after the usual round trip and eight deviations, and a second at least", () => {
  const hedging = new Hedging(clock);
  const responses = (...times: number[]) => {
    for (const ms of times) {
      const written = clock.moment();
      clock.advance(ms);
      hedging.onResponse(written);
    }
    return hedging.delay;
  };
  expect(responses(...Array(100).fill(20))).toBe(1_000);
  expect(responses(...Array(100).fill(1_450))).toBe(1_500);
  // By RFC 6298 the mean is 1,550 ms then, and the deviation 200 ms.
  expect(responses(2_250)).toBe(3_200);
});

test.each([
  ["before the circuit's check", 0, 2_500, ["late after 1000", "slow after 1900"]],
  ["after the circuit's check", 400, 2_500, ["slow after 800", "late after 1000"]],
  ["at the time of the circuit's check", 0, 1_600, ["slow after 1000", "late after 1000"]],
  ["not within the timeout", 0, 900, ["slow after 350"]],
])("a response is late once: %s", (_when, openTook, timeout, due) => {
  const pool = new Pool("http://127.0.0.1:1", undefined, clock);
  pool.openTook = openTook;
  const probe = { path: "/", headers: {}, body: '["PING"]' };
  const transport = new NodeTransport(createNodeTransportOptions(pool.origin.url, {}, 1_024, probe), pool);
  const called: string[] = [];
  let waited = 0;
  vi.spyOn(pool.circuit, "onSlow").mockImplementation(() => void called.push(`slow after ${waited}`));
  const attempt = { onLate: () => void called.push(`late after ${waited}`), abort() {} };
  while (waited < timeout) waited = transport.onWait(waited, timeout, attempt);
  expect(called).toEqual(due);
  expect(waited).toBe(timeout);
});

test("3% of the requests are sent again, or one in five seconds", () => {
  const hedging = new Hedging(clock);
  const taken = () => Array.from({ length: 20 }, () => hedging.take("GET")).filter(Boolean).length;
  expect(taken()).toBe(1);
  clock.advance(4_999);
  expect(taken()).toBe(0);
  clock.advance(1);
  expect(taken()).toBe(1);
  for (let request = 0; request < 101; request++) hedging.onWrite();
  expect(taken()).toBe(3);
});

test("requests that were slow are not sent again for a minute", () => {
  const hedging = new Hedging(clock);
  hedging.onSlow("GET");
  clock.advance(59_999);
  expect(hedging.take("GET")).toBe(false);
  expect(hedging.take("TTL")).toBe(true);
  clock.advance(5_000);
  expect(hedging.take("GET")).toBe(true);
});
