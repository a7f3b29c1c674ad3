import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { namespaceMissing } from "../../bench/src/sockets/namespace.js";
import { quickRun } from "../support/bench.js";

// Scenarios of the articles' smaller claims: they run, and what they count is right. No assertion is about speed.

const folder = mkdtempSync(join(tmpdir(), "warmline-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = async (scenario: string, ...args: string[]): Promise<any[]> =>
  (await quickRun(folder, scenario, "--seed", "1", ...args)).data;

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

test("ephemeral runs the article's code for ioredis: PING and QUIT are queued at once, on a connection each", {
  tags: ["redis-server", "linux"],
  timeout: 60_000,
}, async () => {
  const rows = await run("ephemeral", "--clients", "warmline,ioredis", "--rtt", "5", "--invocations", "10");
  const of = (client: string) => rows.filter((row) => row.client === client);
  expect(of("warmline").map(({ use }) => use)).toEqual(["reuse", "ephemeral", "reuse", "ephemeral"]);
  expect(of("ioredis").map(({ use, latencies }) => [use, latencies.count])).toEqual(
    ["reuse", "ephemeral", "reuse", "ephemeral", "queued"].map((use) => [use, 10]),
  );
  // A connection takes a round trip, and the commands another one: the call returns before.
  expect(of("ioredis").at(-1).latencies.p50.value).toBeLessThan(of("ioredis")[1].latencies.min);
});

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
    expect(outside.count).toBe(3);
  }
  expect(rows.map(({ frozen }) => frozen)).toEqual([true, true, true, true, false, false, false, false]);
}, 60_000);

test("request-parts connects, fetches and reads over a round trip, and keeps what an arm keeps", {
  tags: ["redis-server", "linux"],
  timeout: 120_000,
}, async () => {
  const rows = await run("request-parts", "--invocations", "4", "--rtt", "5");
  const least = (arm: string, commands: number, client?: string) =>
    rows.find((row) => row.arm === arm && row.commands === commands && row.client === client).latencies.min;
  // Each command is a round trip, so is the topology, and a new connection takes another one.
  expect(least("kept", 1)).toBeGreaterThan(4.5);
  expect(least("topology", 1)).toBeGreaterThan(9);
  expect(least("new", 1)).toBeGreaterThan(14);
  expect(least("gatewayKept", 10)).toBeGreaterThan(45);
  expect(least("gatewayKept", 10, "warmline")).toBeGreaterThan(45);
  expect(rows.filter(({ pauseMs }) => pauseMs > 0)).toHaveLength(2);
});

test("time-wait counts the sockets of each way alone", {
  tags: ["redis-server", "linux"],
  timeout: 120_000,
}, async () => {
  const [direct, anew, kept] = await run("time-wait", "--seconds", "3");
  const perS = (row: any) => row.closedPerS.values[0];
  // Sockets stay in TIME_WAIT for longer than the run, so that the last count is that of all sockets closed in it.
  for (const row of [direct, anew]) {
    expect(row.timeWait.values[0] / perS(row)).toBeGreaterThan(2.5);
    expect(row.timeWait.values[0] / perS(row)).toBeLessThan(6);
  }
  expect(perS(direct)).toBeGreaterThan(10 * perS(anew));
  // On a busy machine a read may be sent again, on another connection that is then closed.
  expect(kept.timeWait.values[0]).toBeLessThan(3);
});

test("fin-wait finds the server's socket of a frozen function in FIN_WAIT_2, and none of a running one", {
  tags: ["redis-server", "linux"],
  timeout: 60_000,
}, async () => {
  const rows = await run("fin-wait", "--seconds", "1");
  expect(rows.map(({ client, frozen }) => [client, frozen])).toEqual([
    ["warmline", true],
    ["warmline", false],
    ["ioredis", true],
    ["ioredis", false],
  ]);
  for (const { frozen, finWaitS } of rows) {
    // The kernel keeps it for longer than the run.
    expect(finWaitS.values[0] >= 1).toBe(frozen);
  }
});

test("tw-reuse runs out of ports without the setting, and leaves sockets in TIME_WAIT with it", async ({
  skip,
}) => {
  const missing = namespaceMissing();
  skip(missing !== undefined, missing);
  const rows = await run("tw-reuse");
  const of = (reuse: number, few: boolean) =>
    rows.find((row) => row.reuse === reuse && row.ports < 1_000 === few && row.name.startsWith("tcp"));
  expect(of(0, false).timeWait.values).toEqual([800]);
  expect(of(1, false).timeWait.values[0]).toBeGreaterThan(700);
  expect([of(0, true).opened.values[0], of(0, true).failed.values[0]]).toEqual([500, 300]);
  expect(of(1, true).failed.values).toEqual([0]);
  expect(rows.find((row) => row.client === "warmline")).toMatchObject({
    timeWait: { values: [0] },
    opened: { values: [800] },
  });
  // The clients that keep their connections need a port each, and auto-pipelining sends another request.
  const kept = rows.filter(({ name }) => name.startsWith("kept"));
  expect(kept.length).toBeGreaterThan(2);
  for (const { name, failed } of kept) expect([name, failed.values[0]]).toEqual([name, 0]);
}, 60_000);

test("replica-down fails direct reads without a retry, and none of the others", {
  tags: ["redis-server", "linux"],
  timeout: 60_000,
}, async () => {
  const rows = await run("replica-down");
  const others = rows.slice(1);
  expect(others.length).toBeGreaterThan(2);
  expect(rows.map(({ failed }) => failed.values[0] > 0)).toEqual([true, ...others.map(() => false)]);
  expect(rows[0].errorsS.values[0]).toBeGreaterThan(1);
});

test("redis-memory holds a connection per instance at Redis, or two of the gateway", {
  tags: ["redis-server", "linux"],
  timeout: 60_000,
}, async () => {
  const [straight, pooled, warmline, ioredis] = await run("redis-memory", "--clients", "warmline,ioredis");
  expect([straight, pooled, warmline, ioredis].map(({ connections }) => connections.values[0])).toEqual([
    1_000, 2, 2, 10,
  ]);
  expect(straight.memoryKb.values[0]).toBeGreaterThan(10 * pooled.memoryKb.values[0]);
});

test("established counts the connections of processes that come and go, of gateways in pods, and of one gateway", {
  tags: ["redis-server", "linux"],
  timeout: 90_000,
}, async () => {
  const rows = await run("established", "--clients", "ioredis");
  const open = (way: string, users: number) =>
    rows.find((row) => row.way === way && row.users === users).open.values[0];
  const pods = "a gateway per pod, a connection per request";
  expect(open("directly, new connections per request", 40)).toBeLessThan(15);
  // Ten gateways, six nodes.
  expect(open(pods, 40)).toBeGreaterThan(25);
  expect(open(pods, 40)).toBeGreaterThan(open(pods, 12));
  expect(open("one gateway, a connection per request", 40)).toBeLessThanOrEqual(12);
  expect(open("directly, kept connections", 40)).toBeGreaterThan(20);
  expect(open("instances of ioredis (TCP)", 10)).toBeGreaterThan(5);
});
