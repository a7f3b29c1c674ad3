import { findRedisServer } from "warmline-testbed";
import { cellsOf, FAR, QUICK, REAL } from "../perf/cells.js";
import { FIXED_SERVER_NOTES, startFixedServer } from "../perf/processes.js";
import { throughputOf, WorkerSession, warmUpNotes } from "../perf/session.js";
import { chartsOf, latencyColumns, medianColumns, tableOf } from "../results/present.js";
import { defineScenario } from "../scenario.js";

/** Round-trip times in ms. The nearest has all cells, the others those of commands in flight. */
const ROUND_TRIPS = [0, 1, 20];

/** Measures warm clients under load: concurrency, batches, value sizes, and arrivals at a fixed rate. */
export default defineScenario({
  name: "throughput",
  title: "Throughput and CPU time per command",
  question:
    "How many commands per second does a client run as shipped, and how much CPU time does each take?",
  clients: "all",
  order: 11,
  ownServer: true,
  plannedS: 120,
  defaults: { rounds: [1, 1], seconds: [0.15, 0.02] },
  cases: async (context) => {
    const { clients, settings, rig } = context;
    const server = await startFixedServer(context);
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
    return servers.flatMap(({ endpoint, cells, prefix }) =>
      cells.flatMap(({ name, ...cell }) =>
        clients
          .filter(({ protocol }) => protocol === "http" || endpoint.tcp)
          .map((client) => {
            const options = cell.single ? { ...endpoint, autoPipelining: false as const } : endpoint;
            const work = { client, job: cell.job, endpoint: options, trust: server.trust };
            return { client, version: process.version, cell: prefix + name, ...cell, session, work };
          }),
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
  report: (rows, { settings }) => {
    const marks = {
      ownScales: true,
      group: ({ cell }: { cell: string }) => cell,
      summary: ["CPU time per command", "Latency by percentile"],
    };
    return {
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
        ...chartsOf(rows, {
          ...marks,
          bars: [["Commands per second", "", (row) => row.perSecond.estimate()]],
        }),
        ...chartsOf(
          rows.filter(({ cell }) => /^(1|50) in flight$/.test(cell)),
          { ...marks, bars: [["CPU time per command", "us", (row) => row.cpuUs.estimate()]] },
        ),
      ],
      notes: [
        `Each client runs in a separate process, ${settings.rounds} rounds of ${settings.seconds * 1_000} ms per row. Numbers are medians. Clients run as shipped; a tuned client has the settings that its note names.`,
        'Rows of "real servers" use warmline-gateway in front of Redis, and Redis directly for clients over TCP.',
        "In flight: so many GETs at a time, each awaited by itself. warmline, @upstash/redis, tuned ioredis and node-redis send those of one tick together; with a request each, auto-pipelining is off. A pipeline is written as one by the caller, for all clients alike.",
        "Arrivals: calls start at fixed times, whether or not earlier calls have finished. Latencies count from the intended start, so that a stall is not hidden.",
        "GET of bytes: warmline, ioredis and node-redis read bytes, the others text.",
        ...(settings.quick ? [] : warmUpNotes(rows, ({ client, cell }) => `${client.label}, ${cell}`)),
        ...FIXED_SERVER_NOTES,
      ],
    };
  },
});
