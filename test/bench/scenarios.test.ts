import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findRedisServer } from "warmline-testbed";
import { bench, quickRun, rowsOf } from "../support/bench.js";

const folder = mkdtempSync(join(tmpdir(), "warmline-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (scenario: string, ...args: string[]) => quickRun(folder, scenario, ...args);

test("the bench reports unusable files before it measures anything", { timeout: 60_000 }, async () => {
  writeFileSync(join(folder, "three.json"), "3");
  for (const [args, message] of [
    [["keepalive", "--quick", "--json", "."], "--json: cannot write the file: EISDIR"],
    [["all", "--quick", "--report", "."], "--report: cannot write the file: EISDIR"],
    [["report", "none.json"], "none.json is not readable as results: ENOENT"],
    [["report", "three.json"], "three.json has no results of this bench (format 4)."],
  ] as const) {
    const { code, stdout, stderr } = await bench(folder, args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

test("cost measures all of its default clients, counts their bytes over TLS and prices them", {
  timeout: 120_000,
}, async () => {
  const { data, settings, table, checks } = await run("cost", "--invocations", "2");
  const rows: any[] = data;
  expect(settings.clients.length).toBeGreaterThan(findRedisServer() ? 5 : 3);
  expect(new Set(rows.map(({ client }) => client))).toEqual(new Set(settings.clients));
  expect(checks).toEqual([]);
  for (const { sent, received, commands, client } of rows) {
    // A request takes a few hundred bytes.
    expect(sent.values[0], client).toBeGreaterThan(100);
    expect(received.values[0], client).toBeGreaterThan(10 * commands);
  }
  const dollars = (table.columns as any[]).findIndex(({ title }) => title === "Lambda $");
  for (const { cells } of table.rows) expect(Number.parseFloat(cells[dollars]), cells[1]).toBeGreaterThan(0);
});

test("idle measures first commands and writes after pauses, and report puts several results in one page", {
  timeout: 120_000,
}, async () => {
  const few = ["--invocations", "2", "--rtt", "5"];
  const result = await run("idle", "--clients", "warmline,agent", ...few);
  const pauses = rowsOf(result).map(({ client, command, idleS, frozen, failed }) => {
    expect(failed.values).toEqual([0]);
    return `${client} ${command} ${idleS} ${frozen}`;
  });
  expect(new Set(pauses).size).toBe(2 * 2 * 3);
  const writes = rowsOf(result, "first-write");
  expect(new Set(writes.map(({ way, tls, frozenS }) => `${way} ${tls} ${frozenS}`)).size).toBe(writes.length);
  // Four ways to write, with and without TLS, and two commands of two clients with TLS, all after two pauses each.
  expect(writes).toHaveLength(4 * 2 * 2 + 2 * 2 * 2);
  expect(writes.every(({ client, tls }) => client === undefined || tls)).toBe(true);
  for (const { latencies, failed, way, frozenS } of writes) {
    expect([way, failed.values]).toEqual([way, [0]]);
    // One round trip takes 5 ms. After a freeze, a write without a number takes two: a PING comes first.
    const trips = way.startsWith("ready()") ? 0 : way.startsWith("PING") && frozenS > 0 ? 2 : 1;
    expect(latencies.min, way).toBeGreaterThan(trips * 4.5);
  }
  const reported = await bench(folder, ["report", "cost.json", "idle.json", "--report", "both.html"]);
  expect(reported.code, reported.stderr).toBe(0);
  const page = readFileSync(join(folder, "both.html"), "utf8");
  for (const name of ["cost", "idle"]) {
    expect(page).toContain(`<a href="#${name}">`);
    expect(page).toContain(`<header id="${name}">`);
  }
});

test("fleet counts the connections and refusals of a thousand instances", { timeout: 120_000 }, async () => {
  const { data } = await run("fleet", "--seconds", "3");
  const [unlimited, hard, limited] = data as [any, any, any];
  expect(unlimited.peakOpen.values[0]).toBeGreaterThan(700);
  expect(limited.peakOpen.values[0]).toBeLessThanOrEqual(700);
  expect([unlimited.refusals.values, unlimited.evicted.values, hard.evicted.values]).toEqual([[0], [0], [0]]);
  expect(hard.refusals.values[0]).toBeGreaterThan(0);
});

test("near counts and prices the reads of each cache, and finds stale values in every cache but verify", {
  tags: "redis-server",
  timeout: 120_000,
}, async () => {
  const { data, table } = await run("near");
  const of = (cache: string, every = 1) => {
    const at = (data as any[]).findIndex((row) => row.cache === cache && row.every === every);
    const [, , ...cells] = table.rows[at].cells.map(Number);
    const { commands, received, stale, oldest } = data[at];
    const [first, bytes, count, age] = [commands, received, stale, oldest].map(({ values }) => values[0]);
    return { commands: first, bytes, stale: count, oldest: age, cells };
  };
  const names = ["none", "near", "verify", "node-redis", "client", "client-map"];
  const caches = names.map((name) => of(name));
  const [none, near, verify, nodeRedis, client, clientMap] = caches as [any, any, any, any, any, any];
  expect([none.commands, client.commands]).toEqual([10, 10]);
  // Without a cache, an invocation sends ten commands.
  for (const cached of [near, verify, nodeRedis, clientMap]) expect(cached.commands).toBeLessThan(5);
  // If only one invocation in 20 follows an overwrite, fewer keys are read again.
  expect(of("near", 20).commands).toBeLessThan(near.commands);
  expect([of("verify", 20).stale, of("none", 20).commands]).toEqual([0, 10]);
  for (const cached of [near, nodeRedis, clientMap]) {
    // Fewer reads mean fewer bytes in replies.
    expect(cached.bytes).toBeLessThan(none.bytes);
  }
  expect([none.stale, verify.stale, client.stale]).toEqual([0, 0, 0]);
  for (const cached of [near, clientMap]) {
    expect(cached.stale).toBeGreaterThan(0);
    expect(cached.oldest).toBeLessThanOrEqual(1_000);
  }
  for (const { cells } of caches)
    expect(Math.min(...cells.slice(3, 5), ...cells.slice(7))).toBeGreaterThan(0);
  // Whether node-redis reads an invalidation message before or after the invocation is chance, so try up to three runs.
  let frozen = nodeRedis;
  for (let runs = 1; frozen.stale === 0 && runs < 3; runs++) {
    const again = (await run("near", "--seed", String(runs))).data as any[];
    const { stale, oldest } = again.find(({ cache }) => cache === "node-redis");
    frozen = { stale: stale.values[0], oldest: oldest.values[0] };
  }
  expect(frozen.stale).toBeGreaterThan(0);
  // The function stays frozen for 100 ms after a write.
  expect(frozen.oldest).toBeGreaterThan(90);
});

test("gateway measures webdis beside the gateway and Redis", {
  tags: ["redis-server", "webdis"],
  timeout: 120_000,
}, async () => {
  const { data, table, notes } = await run("gateway", "--seconds", "0.3");
  const of = (server: string) => (data as any[]).filter((row) => row.server === server);
  expect(of("webdis").map(({ connections, rate }) => [connections, rate])).toEqual([
    [1, undefined],
    [50, undefined],
    [500, undefined],
    [50, 2_000],
  ]);
  for (const { perSecond, p50, rate } of of("webdis")) {
    expect(perSecond.values[0]).toBeGreaterThan(0);
    // Only the open loop, which has a rate, measures latencies.
    if (rate) expect(p50.values[0]).toBeGreaterThan(0);
    else expect(p50.values[0]).toBeNull();
  }
  expect(of("gateway").length).toBeGreaterThan(3);
  const servers = (table.columns as any[]).findIndex(({ title }) => title === "server");
  expect((table.rows as any[]).filter(({ cells }) => cells[servers] === "webdis")).toHaveLength(4);
  expect(notes.join(" ")).not.toContain("Skipped: webdis");
});
