import { findRedisServer } from "warmline-testbed";
import { isPeer } from "../client/bench-client.js";
import { cellsOf, FAR, QUICK, REAL } from "../perf/cells.js";
import { throughputOf, WorkerSession, warmUpNotes } from "../perf/session.js";
import { fixedServerNotes, startFixedSites } from "../perf/site.js";
import { count, factor, headline } from "../results/format.js";
import {
  barChart,
  curveChart,
  inSummary,
  latencyColumns,
  medianColumns,
  tableOf,
} from "../results/present.js";
import { defineScenario } from "../scenario.js";
import { ratio } from "../statistics/series.js";

const us = (value: number) => `${value.toFixed(0)} us`;

/** Round-trip times in ms. The nearest has all cells, the others those of commands in flight. */
const ROUND_TRIPS = [0, 1, 20];

/** Measures warm clients under load: concurrency, batches, value sizes, and arrivals at a fixed rate. */
export default defineScenario({
  name: "throughput",
  title: "Throughput and CPU time per command",
  question:
    "How many commands per second does a client run as shipped, and how much CPU time does each take?",
  clients: "all",
  nodes: true,
  fixed: ["engine"],
  order: 11,
  ownServer: true,
  defaults: { rounds: [1, 1], seconds: [0.15, 0.02] },
  cases: async (context) => {
    const { clients, settings, rig } = context;
    const { nodes, sites } = await startFixedSites(context, 1);
    const [{ placement, server }] = sites;
    const real = await rig({ rttMs: 0, tls: false, redis: findRedisServer() !== undefined, greeting: true });
    const { tls } = settings;
    const rtts = settings.rtts ?? (settings.quick ? ROUND_TRIPS.slice(0, 1) : ROUND_TRIPS);
    context.record({ engine: "fixed replies", realEngine: real.engine, tls, rttMs: rtts.join(", ") });
    const all = cellsOf(settings.seconds * 1_000, settings.quick ? 200 : 1_000);
    const cells = all.filter(({ name }) => !settings.quick || QUICK.test(name));
    const session = new WorkerSession();
    const fixed = rtts.map(async (rttMs, at) => ({
      endpoint: await server.endpoint({ tls, rttMs }),
      cells: cells.filter(({ name }) => at === 0 || FAR.test(name)),
      prefix: at === 0 ? "" : `${rttMs} ms away: `,
    }));
    const servers = [
      ...(await Promise.all(fixed)),
      { endpoint: real.direct, cells: cells.filter(({ name }) => REAL.test(name)), prefix: "real servers: " },
    ];
    return nodes.flatMap((node) =>
      servers.flatMap(({ endpoint, cells, prefix }) =>
        cells.flatMap(({ name, ...cell }) =>
          clients
            .filter(({ protocol, mixes }) => (protocol === "http" || endpoint.tcp) && (mixes || !cell.mixed))
            .map((client) => {
              const options = cell.single ? { ...endpoint, autoPipelining: false as const } : endpoint;
              const work = { client, job: cell.job, node, placement, endpoint: options, trust: server.trust };
              return { client, version: node.version, cell: prefix + name, ...cell, session, work };
            }),
        ),
      ),
    );
  },
  label: ({ client, cell }) => `${client.label}, ${cell}`,
  group: ({ version, cell }) => `Node ${version.slice(1)}, ${cell}`,
  session: async (group, { settings }) => {
    const { session } = group[0]!;
    const work = group.map((each) => each.work);
    await session.start(work, settings.quick);
    return () => session.stop();
  },
  run: async ({ client, job, perCall, session }) => throughputOf(await session.run(client, job), perCall),
  report: (rows, context) => {
    const { settings } = context;
    const { version } = rows[0]!;
    const own = rows.filter((row) => row.version === version);
    const inFlight = own.filter(({ cell }) => cell === "50 in flight");
    const ours = inFlight.find(({ client }) => client.name === "warmline");
    const others = inFlight.filter(({ client }) => isPeer(client));
    const marks = { ownScales: true, group: ({ cell }: { cell: string }) => cell };
    const few = own.filter(({ cell }) => /^(1|50) in flight$/.test(cell));
    const arrivals = own.filter(({ cell }) => /arrivals/.test(cell));
    return {
      headlines: [
        ...(ours ? others : []).map(({ perSecond, client }) => {
          const label = `the commands per second of ${client.label}, 50 in flight, warmline as shipped`;
          return headline(ratio(ours!.perSecond, perSecond), factor, label);
        }),
        ...own
          .filter(({ cell }) => cell === "1 in flight")
          .map((row) => headline(row.cpuUs.estimate(), us, `CPU time of one command, ${row.client.label}`)),
      ],
      checks: [],
      table: tableOf(rows, (row) => row.version + row.cell, [
        ["Node", (row) => row.version.slice(1)],
        ["case", (row) => row.cell],
        ["client", ({ client }) => client.label],
        ...medianColumns({ perSecond: "commands/s" }, 0),
        ...latencyColumns("latencies", 3),
        ...medianColumns({ cpuUs: "CPU us" }, 1),
      ]),
      charts: [
        barChart("Commands per second", "", own, {
          ...marks,
          value: (row) => row.perSecond.estimate(),
          text: (row) => count(row.perSecond.estimate().value),
        }),
        inSummary(
          barChart("CPU time per command", "us", few, { ...marks, value: (row) => row.cpuUs.estimate() }),
        ),
        inSummary(
          curveChart("Latency by percentile", arrivals, { ...marks, series: ({ latencies }) => latencies }),
        ),
      ],
      notes: [
        `Each client runs in a separate process, ${settings.rounds} rounds of ${settings.seconds * 1_000} ms per row. Numbers are medians. Clients run as shipped; a tuned client has the settings that its note names.`,
        'Rows of "real servers" use warmline-gateway in front of Redis, and Redis directly for clients over TCP.',
        "In flight: so many GETs at a time, each awaited by itself. warmline, @upstash/redis, tuned ioredis and node-redis send those of one tick together; with a request each, auto-pipelining is off. A pipeline is written as one by the caller, for all clients alike.",
        "Arrivals: calls start at fixed times, whether or not earlier calls have finished. Latencies count from the intended start, so that a stall is not hidden.",
        "GET of bytes: warmline, ioredis and node-redis read bytes, the others text. Pipelines of mixed commands run on warmline and @upstash/redis.",
        ...(settings.quick ? [] : warmUpNotes(rows, ({ client, cell }) => `${client.label}, ${cell}`)),
        ...fixedServerNotes(context),
      ],
    };
  },
});
