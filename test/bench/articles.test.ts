import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { quickRun } from "../support/bench.js";

// Scenarios of the articles' smaller claims: they run, and what they count is right. No assertion is about speed.

const folder = mkdtempSync(join(tmpdir(), "warmline-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = async (scenario: string, ...args: string[]): Promise<any[]> =>
  (await quickRun(folder, scenario, "--seed", "1", ...args)).data;

test("bytes separates the handshakes from the command, plain and with TLS", async () => {
  const rows = await run("bytes", "--clients", "warmline,agent");
  expect(rows).toHaveLength(4);
  for (const { tls, sent, received, sentBefore, receivedBefore } of rows) {
    expect(sent.mean.value).toBeGreaterThan(100);
    expect(received.mean.value).toBeGreaterThan(100);
    // The certificate alone has some hundred bytes.
    expect(receivedBefore.mean.value > 500).toBe(tls);
    expect(sentBefore.mean.value > 200).toBe(tls);
  }
}, 60_000);

test("cache-miss runs GET and SET over one connection, or over two without keep-alive", async () => {
  const rows = await run("cache-miss", "--clients", "warmline,agent", "--rounds", "1");
  expect(rows.map(({ client, keepAlive, opened }) => [client, keepAlive, opened.values[0]])).toEqual([
    ["warmline", true, 1],
    ["warmline", false, 2],
    ["agent", true, 1],
    ["agent", false, 2],
  ]);
  for (const { get, set, handled } of rows) {
    expect(handled.values[0]).toBeGreaterThan(get.values[0] + set.values[0]);
  }
}, 60_000);

test("fluid serves all requests of an invocation in one instance", async () => {
  const rows = await run("fluid", "--clients", "warmline,fetch", "--invocations", "3");
  expect(rows.map(({ client, requests, latencies }) => [client, requests, latencies.count])).toEqual([
    ["warmline", 1, 3],
    ["fetch", 1, 3],
    ["warmline", 10, 30],
    ["fetch", 10, 30],
    ["warmline", 50, 150],
    ["fetch", 50, 150],
  ]);
  for (const { client, requests, opened } of rows) {
    if (client === "warmline") expect(opened.values[0]).toBeLessThanOrEqual(requests);
  }
}, 60_000);

test("end-to-end times the caller's request around the invocation", async () => {
  const rows = await run("end-to-end", "--clients", "warmline", "--invocations", "3");
  for (const { items, keepAlive, inside, outside, opened } of rows) {
    expect(opened.values[0]).toBe(keepAlive ? 0 : 3 * items);
    // A new connection with TLS takes three round trips of 10 ms.
    expect(outside.min).toBeGreaterThan(inside.min + 25);
  }
  expect(rows).toHaveLength(4);
}, 60_000);
