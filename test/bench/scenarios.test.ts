import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findRedisServer } from "warmline-testbed";
import { bench, quickRun } from "../support/bench.js";

const folder = mkdtempSync(join(tmpdir(), "warmline-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (scenario: string, ...args: string[]) => quickRun(folder, scenario, ...args);

test("the bench reports unusable files before it measures anything", async () => {
  writeFileSync(join(folder, "three.json"), "3");
  for (const [args, said] of [
    [["keepalive", "--quick", "--json", "."], "--json: cannot write the file: EISDIR"],
    [["all", "--quick", "--report", "."], "--report: cannot write the file: EISDIR"],
    [["report", "none.json"], "none.json is not readable as results: ENOENT"],
    [["report", "three.json"], "three.json has no results of this bench (format 4)."],
  ] as const) {
    const { code, stdout, stderr } = await bench(folder, args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(said);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

test.each([["cache-miss"], ["cost", "--invocations", "2"], ["idle", "--invocations", "2"]])(
  "%s measures all of its default clients",
  async (scenario, ...few) => {
    const { data, settings, table, checks } = await run(scenario, "--rounds", "1", ...few);
    expect(settings.clients.length).toBeGreaterThan(findRedisServer() ? 5 : 3);
    expect(new Set((data as any[]).map(({ client }) => client))).toEqual(new Set(settings.clients));
    expect(checks).toEqual([]);
    const median = (table.columns as any[]).findIndex(({ title }) => /^p50 ms|^bytes sent/.test(title));
    for (const { cells } of table.rows) expect(Number.parseFloat(cells[median]), cells[0]).toBeGreaterThan(0);
  },
  120_000,
);

test("first-write freezes warmline's ways on both networks, and clients over TLS", async () => {
  const { data, settings } = await run("first-write", "--clients", "agent,ioredis", "--invocations", "2");
  const cases = (data as any[]).map(({ way, tls, frozenS }) => `${way} ${tls} ${frozenS}`);
  const both = ["agent", "ioredis"].filter((name) => settings.clients.includes(name));
  expect(new Set(cases).size).toBe(cases.length);
  expect(cases).toHaveLength(2 * 3 * 2 + both.length * 2 * 2);
  expect(data.every(({ client, tls }: any) => client === undefined || tls)).toBe(true);
  for (const { latencies, failed, way } of data) {
    expect([way, failed.values]).toEqual([way, [0]]);
    // One round trip takes 20 ms.
    expect(latencies.min, way).toBeGreaterThan(way.startsWith("ready()") ? 0 : 19);
  }
}, 120_000);

describe("zombie", () => {
  test("zombie loses calls of TCP clients and bare agents, of fetch only behind a middlebox, and none of warmline", async () => {
    const own = ["--clients", "warmline,agent,fetch,ioredis"];
    const { data } = await run("zombie", "--seed", "4", ...own);
    const lost = (client: string, arm: RegExp) =>
      (data as any[])
        .filter((row) => row.client === client && arm.test(row.arm))
        .reduce((sum, { failed, hung }) => sum + failed.values[0] + hung.values[0], 0);
    expect(lost("agent", /silent server/)).toBeGreaterThan(0);
    expect(lost("ioredis", /middlebox/)).toBeGreaterThan(0);
    // Node's fetch closes a connection before the announced limit, or after four seconds without one.
    expect(lost("fetch", /honest server/)).toBe(0);
    expect(lost("fetch", /middlebox/)).toBeGreaterThan(0);
    for (const client of ["agent", "fetch", "ioredis"]) expect(lost(client, /nobody/), client).toBe(0);
    expect([lost("warmline", /./), lost("warmline-once", /./)]).toEqual([0, 0]);
  }, 180_000);
});

describe("sequential, twice with one seed", () => {
  /** Returns the ratios of a run's summary, by name. */
  const ratios = (rows: any[]) => {
    const found = new Map<string, number>();
    const p50 = (client: string, name: string, keepAlive: boolean): number =>
      rows.find((row) => row.client === client && row.name === name && row.keepAlive === keepAlive).warm.p50
        .value;
    for (const client of new Set<string>(rows.map((row) => row.client))) {
      for (const name of ["one", "ten"]) {
        found.set(`${client}, ${name}, off / on`, p50(client, name, false) / p50(client, name, true));
      }
      found.set(`${client}, ten / one`, p50(client, "ten", true) / p50(client, "one", true));
      found.set(`${client}, ten / pipeline`, p50(client, "ten", true) / p50(client, "pipeline", true));
    }
    return found;
  };

  test("sequential has no ratio in which two runs with one seed contradict each other", async () => {
    const args = ["--seed", "11", "--rtt", "5", "--clients", "warmline,agent,ioredis"];
    const [first, second] = [await run("sequential", ...args), await run("sequential", ...args)];
    expect(first.command).toBe(second.command);
    const again = ratios(second.data);
    for (const [name, ratio] of ratios(first.data)) {
      // Quick runs beside other programs differ by some percent.
      const [low, high] = [ratio, again.get(name)!].toSorted((a, b) => a - b) as [number, number];
      expect(low < 0.9 && high > 1.1, `${name}: ${low} and ${high}`).toBe(false);
    }
  }, 180_000);
});

test("near counts and prices the reads of each cache, and stale values of all but verify", {
  tags: "redis-server",
  timeout: 120_000,
}, async () => {
  const { data, table, settings } = await run("near");
  const of = (cache: string, every = 1) => {
    const at = (data as any[]).findIndex((row) => row.cache === cache && row.every === every);
    const [, , ...cells] = table.rows[at].cells.map(Number);
    const { commands, sent, received, stale, oldest, billed } = data[at];
    const [first, bytes, ages] = [commands.values[0], [sent.values[0], received.values[0]], oldest.values[0]];
    return {
      commands: first,
      bytes,
      stale: stale.values[0],
      oldest: ages,
      billed: billed.mean.value,
      cells,
    };
  };
  const names = ["none", "near", "verify", "node-redis", "client", "client-map"];
  const caches = names.map((name) => of(name));
  const [none, near, verify, nodeRedis, client, clientMap] = caches as [any, any, any, any, any, any];
  expect([none.commands, client.commands]).toEqual([10, 10]);
  // Without a cache each sends ten.
  for (const cached of [near, verify, nodeRedis, clientMap]) expect(cached.commands).toBeLessThan(5);
  // What has changed is read again.
  expect(of("near", 20).commands).toBeLessThan(near.commands);
  expect([of("verify", 20).stale, of("none", 20).commands]).toEqual([0, 10]);
  for (const cached of [near, nodeRedis, clientMap]) {
    // The replies to ten reads take more than those to a few.
    expect(cached.bytes[1]).toBeLessThan(none.bytes[1]);
  }
  expect([none.stale, verify.stale, client.stale]).toEqual([0, 0, 0]);
  for (const cached of [near, clientMap]) {
    expect(cached.stale).toBeGreaterThan(0);
    expect(cached.oldest).toBeLessThanOrEqual(1_000);
  }
  const { lambda, upstash } = settings.prices;
  for (const { commands, bytes, stale, oldest, billed, cells } of caches) {
    const [, , , p50, p99] = cells;
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
    const gbSeconds = (billed / 1_000) * (settings.memoryMb / 1_024) * 1e6;
    const costs = [
      gbSeconds * lambda.perGbSecond + lambda.perMillionRequests,
      commands * 10 * upstash.per100kCommands + (bytes[1] / 1_000) * upstash.perGb,
    ];
    expect(cells.slice(5)).toEqual([
      stale,
      Math.round(oldest),
      ...costs.map((cost) => Number(cost.toFixed(2))),
    ]);
  }
  // Its socket is read before the invocation or after it, by chance.
  let frozen = nodeRedis;
  for (let runs = 1; frozen.stale === 0 && runs < 3; runs++) {
    const again = (await run("near", "--seed", String(runs))).data as any[];
    const { stale, oldest } = again.find(({ cache }) => cache === "node-redis");
    frozen = { stale: stale.values[0], oldest: oldest.values[0] };
  }
  expect(frozen.stale).toBeGreaterThan(0);
  // The function was frozen for so long after the write.
  expect(frozen.oldest).toBeGreaterThan(90);
});

test("cost counts the bytes of each client over TLS and prices them, and report builds pages of several results", async () => {
  const { data } = await run("cost", "--clients", "warmline,agent", "--seed", "1");
  expect(data).toHaveLength(2 * 3);
  for (const { sent, received, commands } of data) {
    // A request takes some hundred bytes.
    expect(sent.values[0]).toBeGreaterThan(100);
    expect(received.values[0]).toBeGreaterThan(10 * commands);
  }
  // With its part.
  const memory = ["memory", "--quick", "--clients", "warmline", "--memory", "1769", "--seed", "1"];
  const ended = await bench(folder, [...memory, "--invocations", "5", "--json", "memory.json"]);
  expect(ended.code, ended.stderr).toBe(0);
  const { parts, data: rows, settings } = JSON.parse(readFileSync(join(folder, "memory.json"), "utf8"));
  expect(parts.map(({ name }: any) => name)).toEqual(["ephemeral"]);
  expect(new Set(rows.map(({ part }: any) => part))).toEqual(new Set([undefined, "ephemeral"]));
  expect(settings.ephemeral.rttMs).toBe("0.25");
  const { code, stderr } = await bench(folder, [
    "report",
    "cost.json",
    "memory.json",
    "--report",
    "both.html",
  ]);
  expect(code, stderr).toBe(0);
  const summary = readFileSync(join(folder, "both.html"), "utf8");
  for (const name of ["cost", "memory"]) {
    expect(summary).toContain(`<a href="both/${name}.html">`);
    expect(readFileSync(join(folder, "both", `${name}.html`), "utf8")).toContain('<a href="../both.html">');
  }
});

test("gateway measures webdis beside the gateway and Redis", {
  tags: ["redis-server", "webdis"],
  timeout: 120_000,
}, async () => {
  const { data, table, notes } = await run("gateway", "--seconds", "0.1");
  const of = (server: string) => (data as any[]).filter((row) => row.server === server);
  expect(of("webdis").map(({ connections }) => connections)).toEqual([1, 50, 500]);
  for (const row of of("webdis")) {
    expect(row.perSecond.values[0]).toBeGreaterThan(0);
    expect(row.p50.values[0]).toBeGreaterThan(0);
  }
  expect(of("gateway").length).toBeGreaterThan(3);
  const servers = (table.columns as any[]).findIndex(({ title }) => title === "server");
  expect((table.rows as any[]).filter(({ cells }) => cells[servers] === "webdis")).toHaveLength(3);
  expect(notes.join(" ")).not.toContain("Skipped: webdis");
});
