import { expect, test } from "vitest";
import { namespaceMissing } from "../../bench/src/parts/tw-reuse.js";
import { quickRun, rowsOf } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";

// Scenarios of the articles' smaller claims, each once, with its parts: they run, and what they count is right. No assertion is
// about speed.

const folder = newFolder("bench");

const run = (scenario: string, ...args: string[]): Promise<any> =>
  quickRun(folder, scenario, "--seed", "1", ...args);

test("sequential runs every mode, a cache miss over one connection, and a caller who waits for the function", async () => {
  const few = ["--rounds", "1", "--invocations", "3"];
  const result = await run("sequential", "--clients", "warmline,agent", ...few);
  const modes = new Map<string, number>();
  for (const { client, warm, frozen } of rowsOf(result)) {
    modes.set(client, (modes.get(client) ?? 0) + 1);
    expect(warm.count).toBe(frozen ? 1 : 3);
  }
  expect([...modes]).toEqual([
    ["warmline", 10],
    ["agent", 10],
  ]);
  // Without keep-alive GET and SET have a connection each.
  const misses = rowsOf(result, "cache-miss");
  expect(misses.map(({ client, keepAlive, opened }) => [client, keepAlive, opened.values[0]])).toEqual([
    ["warmline", true, 1],
    ["warmline", false, 2],
    ["agent", true, 1],
    ["agent", false, 2],
  ]);
  for (const { get, set, handled } of misses) {
    expect(handled.values[0]).toBeGreaterThan(get.values[0] + set.values[0]);
  }
  const calls = rowsOf(result, "end-to-end");
  for (const { items, keepAlive, inside, outside, opened } of calls) {
    expect(opened.values[0]).toBe(keepAlive ? 0 : 3 * items);
    // A new connection with TLS takes three round trips of 10 ms.
    expect(outside.min).toBeGreaterThan(inside.min + 25);
    expect(outside.count).toBe(3);
  }
  const frozen = [true, true, true, true, false, false, false, false];
  expect(calls.map((row) => row.frozen)).toEqual([...frozen, ...frozen]);
}, 120_000);

test("memory limits the processor, and its part runs the article's code for ioredis: PING and QUIT are queued at once", {
  tags: ["redis-server", "linux"],
  timeout: 120_000,
}, async () => {
  const few = ["--memory", "1769", "--rtt", "5", "--invocations", "10"];
  const result = await run("memory", "--clients", "warmline,ioredis", ...few);
  expect(rowsOf(result).map(({ client, reused, warm }) => [client, reused, warm.count])).toEqual([
    ["warmline", true, 10],
    ["warmline", false, 10],
    ["ioredis", true, 10],
    ["ioredis", false, 10],
  ]);
  expect(result.settings.ephemeral.rttMs).toBe(5);
  const of = (client: string) => rowsOf(result, "ephemeral").filter((row) => row.client === client);
  expect(of("warmline").map(({ use }) => use)).toEqual(["reuse", "ephemeral", "reuse", "ephemeral"]);
  expect(of("ioredis").map(({ use, latencies }) => [use, latencies.count])).toEqual(
    ["reuse", "ephemeral", "reuse", "ephemeral", "queued"].map((use) => [use, 10]),
  );
  // A connection takes a round trip, and the commands another one: the call returns before.
  expect(of("ioredis").at(-1).latencies.p50.value).toBeLessThan(of("ioredis")[1].latencies.min);
});

test("fluid serves all requests of an invocation in one instance, on one thread and on two", async () => {
  const { data } = await run("fluid", "--clients", "warmline,fetch", "--invocations", "3");
  const rows: any[] = data;
  expect(rows.map(({ client, requests, latencies }) => [client, requests, latencies.count])).toEqual([
    ["warmline", 1, 3],
    ["fetch", 1, 3],
    ["warmline", 10, 30],
    ["fetch", 10, 30],
    ["warmline", 50, 150],
    ["fetch", 50, 150],
    ["warmline", 50, 150],
    ["fetch", 50, 150],
  ]);
  expect(rows.map(({ threads }) => threads)).toEqual([...Array(6).fill(undefined), 2, 2]);
  for (const { client, requests, opened } of rows) {
    if (client === "warmline") expect(opened.values[0]).toBeLessThanOrEqual(requests);
  }
}, 180_000);

test("request-parts pays a round trip to connect, to fetch and to read, but not for what an arm keeps", {
  tags: ["redis-server", "linux"],
  timeout: 120_000,
}, async () => {
  const { data } = await run("request-parts", "--clients", "warmline", "--invocations", "4", "--rtt", "5");
  const rows: any[] = data;
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

test("time-wait counts the sockets of each way alone; without tcp_tw_reuse its part runs out of ports", {
  tags: ["redis-server", "linux"],
  timeout: 120_000,
}, async () => {
  const result = await run("time-wait", "--clients", "warmline", "--seconds", "3");
  const [direct, anew, kept] = rowsOf(result);
  const perS = (row: any) => row.closedPerS.values[0];
  // Sockets stay in TIME_WAIT for longer than the run, so that the last count is that of all sockets closed in it.
  for (const row of [direct, anew]) {
    expect(row.timeWait.values[0] / perS(row)).toBeGreaterThan(2.5);
    expect(row.timeWait.values[0] / perS(row)).toBeLessThan(6);
  }
  expect(perS(direct)).toBeGreaterThan(10 * perS(anew));
  // On a busy machine a read may be sent again, on another connection that is then closed.
  expect(kept.timeWait.values[0]).toBeLessThan(3);
  if (namespaceMissing() !== undefined) {
    expect(result.notes.join()).toContain("Skipped: Sockets in TIME_WAIT and tcp_tw_reuse");
    return;
  }
  const reused = rowsOf(result, "tw-reuse");
  const of = (reuse: number, few: boolean) =>
    reused.find((row) => row.reuse === reuse && row.ports < 1_000 === few && row.name.startsWith("tcp"));
  expect(of(0, false).timeWait.values).toEqual([600]);
  expect(of(1, false).timeWait.values[0]).toBeGreaterThan(500);
  expect([of(0, true).opened.values[0], of(0, true).failed.values[0]]).toEqual([500, 100]);
  // The setting takes ports over that have been in TIME_WAIT for a second: all, unless the machine was busy.
  expect(of(1, true).failed.values[0]).toBeLessThan(100);
  // A client that keeps its connection needs one port.
  expect(reused.filter(({ client }) => client === "warmline")).toMatchObject([
    { timeWait: { values: [0] }, opened: { values: [600] }, failed: { values: [0] } },
  ]);
});

test("replica-down fails direct reads without a retry, and none of the others", {
  tags: ["redis-server", "linux"],
  timeout: 60_000,
}, async () => {
  const { data } = await run("replica-down", "--clients", "warmline");
  const rows: any[] = data;
  expect(rows.map(({ failed }) => failed.values[0] > 0)).toEqual([true, false, false, false]);
  expect(rows[0].errorsS.values[0]).toBeGreaterThan(1);
});

test("established counts connections of processes that come and go, of gateways in pods and of idle instances", {
  tags: ["redis-server", "linux"],
  timeout: 120_000,
}, async () => {
  const result = await run("established", "--clients", "warmline,ioredis");
  const open = (way: string, users: number) =>
    rowsOf(result).find((row) => row.way === way && row.users === users).open.values[0];
  const pods = "a gateway per pod, a connection per request";
  expect(open("directly, new connections per request", 40)).toBeLessThan(15);
  // Ten gateways, six nodes.
  expect(open(pods, 40)).toBeGreaterThan(25);
  expect(open(pods, 40)).toBeGreaterThan(open(pods, 12));
  expect(open("one gateway, a connection per request", 40)).toBeLessThanOrEqual(12);
  expect(open("directly, kept connections", 40)).toBeGreaterThan(20);
  // A connection per instance at Redis, or two of the gateway.
  const idle = rowsOf(result, "redis-memory");
  expect(idle.map(({ connections }) => connections.values[0])).toEqual([1_000, 2, 2, 10]);
  expect(idle[0].memoryKb.values[0]).toBeGreaterThan(10 * idle[1].memoryKb.values[0]);
});

test("zombie loses calls of TCP clients and bare agents, of fetch only behind a middlebox, and none of warmline", {
  tags: ["redis-server", "linux"],
  timeout: 180_000,
}, async () => {
  const clients = ["--clients", "warmline,agent,fetch,ioredis"];
  const result = await run("zombie", "--seconds", "1.2", ...clients);
  const lost = (client: string, arm: RegExp) =>
    rowsOf(result)
      .filter((row) => row.client === client && arm.test(row.arm))
      .reduce((sum, { failed, hung }) => sum + failed.values[0] + hung.values[0], 0);
  expect(lost("agent", /silent server/)).toBeGreaterThan(0);
  expect(lost("ioredis", /middlebox/)).toBeGreaterThan(0);
  // Node's fetch closes a connection before the announced limit.
  expect(lost("fetch", /honest server/)).toBe(0);
  expect(lost("fetch", /middlebox/)).toBeGreaterThan(0);
  for (const client of ["agent", "fetch", "ioredis"]) expect(lost(client, /nobody/), client).toBe(0);
  expect([lost("warmline", /./), lost("warmline-once", /./)]).toEqual([0, 0]);
  const sockets = rowsOf(result, "fin-wait");
  expect(sockets).toHaveLength(8);
  // The kernel keeps the socket of a frozen function for longer than it is followed.
  for (const { client, frozen, finWaitS } of sockets) {
    expect([client, frozen, finWaitS.values[0] >= 3]).toEqual([client, frozen, frozen]);
  }
});
