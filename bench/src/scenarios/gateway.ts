import { handlerPath } from "../client/bench-client.js";
import { type Address, gatewayCases, KEY, nameOf, type Servers } from "../gateway/cases.js";
import { drive, driveClient } from "../gateway/load.js";
import type { Server } from "../gateway/requests.js";
import { hasWebdis, startWebdis } from "../gateway/webdis.js";
import { atLeast, atMost } from "../results/checks.js";
import { count, headline, ms, preciseFactor } from "../results/format.js";
import { barChart, medianColumns, tableOf } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { combine, ratio } from "../statistics/series.js";

const perS = (value: number) => `${count(value)}/s`;
const HUES = { gateway: 0, webdis: 1, redis: 2 };
const caseOf = ({ connections, commands }: { connections: number; commands: number }) =>
  `${commands === 1 ? "GET" : `pipeline of ${commands}`}, ${connections} connection${connections === 1 ? "" : "s"}`;

/** Measures the gateway's cost against webdis (a similar server in C) and against plain Redis, on the same Redis. */
export default defineScenario({
  name: "gateway",
  title: "HTTP in front of Redis",
  question:
    "How many requests per second does the gateway serve, at which latency, and how does it compare with webdis?",
  clients: { words: [], reason: "The load is plain connections: servers are measured." },
  fixed: ["rtt", "tls", "engine"],
  order: 13,
  defaults: { rounds: [1, 1], seconds: [1, 0.5] },
  missing: redisMissing,
  cases: async ({ rig, clients, defer, record }) => {
    const own = await rig({ rttMs: 0, tls: false, redis: true });
    const { gateway, redis, command } = own;
    record({ rttMs: 0, tls: false });
    await command("SET", KEY, "hello, world");
    const webdis = hasWebdis() ? await startWebdis(redis!.port!) : undefined;
    defer(() => webdis?.stop());
    const servers: Servers = { gateway, webdis, redis: redis as Address };
    return gatewayCases(servers, own, clients).map((each) => ({ ...each, endpoint: own.direct }));
  },
  label: (each) => `${nameOf(each)}, ${caseOf(each)}`,
  group: caseOf,
  run: async ({ target, connections, client, endpoint }, { settings }) => {
    const ms = settings.seconds * 1_000;
    const driven = client
      ? driveClient({ client, endpoint, trust: {}, users: connections, keepAlive: true }, target.pid, ms)
      : drive(handlerPath("load"), target, connections, ms);
    const { cpuMicros, ...seen } = await driven;
    return { ...seen, cpuMicros: cpuMicros ?? Number.NaN };
  },
  report: (rows, { settings }) => {
    const find = (server: Server, connections: number) =>
      rows.find(
        (each) =>
          !each.client && each.server === server && each.connections === connections && each.commands === 1,
      );
    const [ours, alone] = [find("gateway", 50)!, find("gateway", 1)!];
    const [theirs, theirsAlone] = [find("webdis", 50), find("webdis", 1)];
    return {
      headlines: [
        headline(ours.perSecond.estimate(), perS, "requests, one worker, 50 connections"),
        headline(alone.p50.estimate(), ms, "median latency, one connection"),
      ],
      checks:
        theirs && theirsAlone
          ? [
              atLeast(
                "50 connections: at least 1.2x the requests per second of webdis",
                ratio(ours.perSecond, theirs.perSecond),
                1.2,
                { text: preciseFactor },
              ),
              atMost(
                "one connection: a median latency of at most 1.3x that of webdis",
                ratio(alone.p50, theirsAlone.p50),
                1.3,
                { text: preciseFactor },
              ),
            ]
          : [],
      table: tableOf(rows, caseOf, [
        ["case", caseOf],
        ["server", nameOf],
        ["requests / s", ({ perSecond }) => perSecond.estimate(), 0],
        ["commands / s", ({ perSecond, commands }) => combine([perSecond], (value) => value * commands), 0],
        ...medianColumns({ p50: "p50 ms", p99: "p99 ms" }),
        ...medianColumns({ cpuMicros: "CPU us / request" }, 1),
      ]),
      charts: [
        barChart(
          "Requests per second",
          "",
          rows.filter(({ commands }) => commands === 1),
          {
            group: caseOf,
            style: (row) => ({ label: nameOf(row), hue: HUES[row.server], dashed: row.client !== undefined }),
            value: ({ perSecond }) => perSecond.estimate(),
          },
        ),
      ],
      notes: [
        `A separate process generates the load for ${settings.seconds} s per round. It keeps one request in flight per connection and separates responses by their length. It shares the processors with the server and Redis.`,
        "The gateway runs with one worker and webdis with one thread, in front of the same Redis over TCP on the same machine. Numbers are medians of the rounds. Compared cases run one after the other, in shuffled order. Ratios are computed per round; the median is shown.",
        "CPU is the measured server's user and kernel time per request. Other load on the machine affects it less than the other numbers.",
        theirs
          ? "webdis has no HTTP pipeline that is comparable to /pipeline."
          : "Skipped: webdis: it is not on PATH.",
        ...rows
          .filter(({ surplus }) => surplus.total > 0)
          .map(
            (row) =>
              `Second responses to one request from ${nameOf(row)} (${caseOf(row)}): ${row.surplus.total} or more. Their connections were replaced.`,
          ),
      ],
    };
  },
});
