import { findRedisServer } from "warmline-testbed";
import type { Job } from "../perf/jobs.js";
import { FIXED_SERVER_NOTES, startFixedServer, startWorker } from "../perf/processes.js";
import { count, latencyColumns, medianColumns, tabulate } from "../results/present.js";
import { defineScenario } from "../scenario.js";

/** Round-trip times in ms. The nearest has all cells, the others those of commands in flight. */
const ROUND_TRIPS = [0, 1, 20];
const IN_FLIGHT = [1, 10, 50];
const PIPELINES = [50, 1_000];
const BYTES = [1_000, 1_000_000];
/** How long a job runs before it counts, in ms, and in a quick run. */
const [WARM_UP_MS, QUICK_WARM_UP_MS] = [300, 40];
const NODE = process.version.slice(1);
/** The cells of a quick run. */
const QUICK = /^(1|50) in flight$|of 1,000 GETs|of 1,000,000 bytes|arrivals/;
/** The cells that are also measured through real servers. */
const REAL = /^(1|50) in flight$|^pipeline of/;
/** The cells that are also measured over longer round trips. */
const FAR = /^\d+ in flight$/;

interface Cell {
  readonly name: string;
  readonly job: Job;
  /** Commands of one call. */
  readonly perCall: number;
  /** Whether each command is a request of its own. Default: as the client ships. */
  readonly single?: boolean;
}

const cell = (name: string, job: Job, perCall = 1): Cell => ({ name, job, perCall });

/** Returns all that each client does, `ms` long each, with `rate` arrivals per second in the open loop. */
const cellsOf = (ms: number, rate: number): Cell[] => {
  const sequential = (call: "pipeline" | "bytes" | "json", size: number) =>
    ({ kind: "sequential", call, size, ms }) as const;
  return [
    ...IN_FLIGHT.map((inFlight) => cell(`${inFlight} in flight`, { kind: "concurrent", inFlight, ms })),
    { ...cell("50 in flight, a request each", { kind: "concurrent", inFlight: 50, ms }), single: true },
    ...PIPELINES.map((size) => cell(`pipeline of ${count(size)} GETs`, sequential("pipeline", size), size)),
    ...BYTES.map((size) => cell(`GET of ${count(size)} bytes`, sequential("bytes", size))),
    cell("GET of 1 MB of JSON", sequential("json", 1_000_000)),
    cell(`${rate} arrivals per second`, { kind: "arrivals", rate, ms }),
  ];
};

export default defineScenario({
  name: "throughput",
  title: "Throughput and CPU time per command",
  question: "How many commands per second does a client run as shipped, at how much CPU time each?",
  clients: "all",
  defaults: { rounds: [1, 1], seconds: [0.15, 0.02] },
  cases: async (context) => {
    const { clients, settings, rig } = context;
    const placeAt = await startFixedServer(context);
    const real = await rig({ rttMs: 0, tls: false, redis: findRedisServer() !== undefined, greeting: true });
    const { tls } = settings;
    const rtts = settings.rtts ?? (settings.quick ? ROUND_TRIPS.slice(0, 1) : ROUND_TRIPS);
    context.record({ engine: "fixed replies", realEngine: real.engine, tls, rttMs: rtts.join(", ") });
    const all = cellsOf(settings.seconds * 1_000, settings.quick ? 200 : 1_000);
    const cells = all.filter(({ name }) => !settings.quick || QUICK.test(name));
    const fixed = await Promise.all(
      rtts.map(async (rttMs, at) => ({
        place: await placeAt(tls, rttMs),
        cells: cells.filter(({ name }) => at === 0 || FAR.test(name)),
        prefix: at === 0 ? "" : `${rttMs} ms away: `,
      })),
    );
    const place = { ...fixed[0]!.place, endpoint: real.direct };
    const throughReal = cells.filter(({ name }) => REAL.test(name));
    const servers = [...fixed, { place, cells: throughReal, prefix: "real servers: " }];
    return servers.flatMap(({ place, cells, prefix }) =>
      cells.flatMap(({ name, ...cell }) => {
        const endpoint = { ...place.endpoint, ...(cell.single && { autoPipelining: false as const }) };
        return clients
          .filter(({ protocol }) => protocol === "http" || endpoint.tcp)
          .map((client) => ({ client, cell: prefix + name, ...cell, place: { ...place, endpoint } }));
      }),
    );
  },
  label: ({ client, cell }) => `${client.label}, ${cell}`,
  group: ({ cell }) => cell,
  run: async ({ client, job, perCall, place }, { settings, defer }) => {
    const run = await startWorker(client.name, place, defer);
    await run({ ...job, ms: settings.quick ? QUICK_WARM_UP_MS : WARM_UP_MS });
    const { count: calls, ms, cpuUs, latencies } = await run(job);
    const commands = calls * perCall;
    return { perSecond: (commands * 1_000) / ms, cpuUs: cpuUs / commands, latencies };
  },
  report: (rows, { settings }) => ({
    checks: [],
    ...tabulate(rows, { group: ({ cell }) => cell, charts: ["commands/s", "CPU us"] }, [
      ["Node", () => NODE],
      ["case", (row) => row.cell],
      ["client", ({ client }) => client.label],
      ...medianColumns({ perSecond: "commands/s" }, 0),
      ...latencyColumns("latencies", 3),
      ...medianColumns({ cpuUs: "CPU us" }, 1),
    ]),
    notes: [
      `Each client runs for ${settings.seconds * 1_000} ms per row, after ${WARM_UP_MS} ms that do not count, in a process of its own in each of ${settings.rounds} rounds. Numbers are medians. Clients run as shipped; a tuned client has the settings that its note names.`,
      'Rows of "real servers" use warmline-gateway in front of Redis, and Redis directly for clients over TCP.',
      "In flight: so many GETs at a time, each awaited by itself. warmline, @upstash/redis, tuned ioredis and node-redis send those of one tick together; with a request each, auto-pipelining is off. A pipeline is written as one by the caller, for all clients alike.",
      "Arrivals: calls start at fixed times, whether or not earlier calls have finished. Latencies count from the intended start, so that a stall is not hidden.",
      "GET of bytes: warmline, ioredis and node-redis read bytes, the others text.",
      ...FIXED_SERVER_NOTES,
    ],
  }),
});
