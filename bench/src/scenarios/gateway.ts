import { readFileSync } from "node:fs";
import type { RedisServer } from "warmline-testbed";
import { handlerPath } from "../client/bench-client.js";
import { hasWebdis, startWebdis } from "../gateway/webdis.js";
import type { LoadWork } from "../handlers/load.js";
import { atLeast, atMost } from "../results/checks.js";
import { count, medianColumns, preciseFactor, tabulate } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { combine, ratio } from "../statistics/series.js";
import { Child } from "../util/child.js";

/** The kernel's unit for processor time, in ms. */
const TICK = 10;

export interface Target extends Pick<LoadWork, "port" | "request"> {
  /** The server's process, whose processor time is read. */
  readonly pid: number;
}

/** How requests come: on each of `connections` after the last response or, with a `rate` per second, at fixed times. */
export type Load = Pick<LoadWork, "connections" | "rate">;

/**
 * Runs load on a server from a separate process.
 * @returns responses per second, latencies in ms (NaN without a rate), the server's processor time for one request in microseconds (NaN
 * if the system does not report it), and the number of requests to which it responded twice at once
 */
export async function drive({ port, request, pid }: Target, load: Load, measureMs: number) {
  const work: LoadWork = { ...load, port, request, warmupMs: Math.min(1_000, measureMs / 2), measureMs };
  const child = new Child([process.execPath, handlerPath("load"), JSON.stringify(work)]);
  try {
    await child.request();
    const before = cpuOf(pid);
    const result = await child.request<Record<"responses" | "surplus" | "seconds" | "p50" | "p99", number>>();
    const { responses, surplus, seconds, p50, p99 } = result;
    const cpuMicros = ((cpuOf(pid) - before) * 1_000) / responses;
    return { perSecond: responses / seconds, p50, p99, cpuMicros, surplus };
  } finally {
    await child.end();
  }
}

/** Processor time of a process so far, in ms; NaN if the system does not report it. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  } catch {
    return Number.NaN;
  }
}

const KEY = "greeting";
/** How many times as long a fixed rate lasts, since it has few requests. */
const PACED = 3;
const PIPELINED = 100;
const LOADS: readonly Load[] = [
  { connections: 1 },
  { connections: 50 },
  { connections: 500 },
  // Less than any of the servers serves at most, so that nothing queues up.
  { connections: 50, rate: 2_000 },
];
const SERVERS = { gateway: "warmline-gateway", webdis: "webdis", redis: "Redis over TCP" } as const;
type Server = keyof typeof SERVERS;

const nameOf = ({ server }: { readonly server: Server }) => SERVERS[server];
const caseOf = ({ connections, rate, commands }: Load & { commands: number }) =>
  `${commands === 1 ? "GET" : `pipeline of ${commands}`}, ${connections} connection${connections === 1 ? "" : "s"}${rate === undefined ? "" : `, ${count(rate)} a second`}`;

function requestsOf(token: string) {
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const resp = `*2\r\n$3\r\nGET\r\n$${KEY.length}\r\n${KEY}\r\n`;
  const json = JSON.stringify(["GET", KEY]);
  const batch = Array(PIPELINED).fill(json).join();
  return [
    { server: "gateway", commands: 1, request: post("/", json) },
    { server: "webdis", commands: 1, request: `GET /GET/${KEY} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n` },
    { server: "redis", commands: 1, request: resp },
    { server: "gateway", commands: PIPELINED, request: post("/pipeline", `[${batch}]`) },
    { server: "redis", commands: PIPELINED, request: resp.repeat(PIPELINED) },
  ] as const;
}

export default defineScenario({
  name: "gateway",
  title: "HTTP in front of Redis",
  question: "How many requests per second does the gateway serve, how fast, and how many does webdis?",
  clients: "none",
  fixed: ["rtt", "tls"],
  defaults: { rounds: [1, 1], seconds: [1, 0.5] },
  missing: redisMissing,
  cases: async ({ rig, defer }) => {
    const { gateway, redis, command, numbered } = await rig({ rttMs: 0, tls: false, redis: true });
    // From then on all responses have the same headers.
    await numbered();
    await command("SET", KEY, "hello, world");
    const webdis = hasWebdis() ? await startWebdis(redis!.port!, defer) : undefined;
    const servers = { gateway, webdis, redis: redis as RedisServer & { port: number } };
    return LOADS.flatMap((load) =>
      requestsOf(gateway.token).flatMap(({ server, commands, request }) => {
        const found = servers[server];
        if (!found || (commands > 1 && (load.connections === 500 || load.rate !== undefined))) return [];
        const { port, pid } = found;
        return [{ server, ...load, commands, target: { port, pid, request } }];
      }),
    );
  },
  label: (each) => `${nameOf(each)}, ${caseOf(each)}`,
  group: caseOf,
  run: async ({ target, connections, rate }, { settings }) => {
    const measureMs = settings.seconds * 1_000;
    if (rate === undefined) return drive(target, { connections }, measureMs);
    // Few requests leave a server cold that compiles as it runs, so each server has as many as it can serve first.
    await drive(target, { connections }, measureMs);
    return drive(target, { connections, rate }, PACED * measureMs);
  },
  report: (rows, { settings }) => {
    const of50 = rows.filter(({ connections, commands }) => connections === 50 && commands === 1);
    const find = (server: Server, hasRate: boolean) =>
      of50.find((each) => each.server === server && (each.rate !== undefined) === hasRate);
    const [ours, paced] = [find("gateway", false)!, find("gateway", true)!];
    const doubled = rows.filter(({ surplus }) => surplus.total > 0);
    const [theirs, theirsPaced] = [find("webdis", false), find("webdis", true)];
    return {
      checks:
        theirs && theirsPaced
          ? [
              atLeast(
                "50 connections: at least 1.2x the requests per second of webdis",
                ratio(ours.perSecond, theirs.perSecond),
                1.2,
                { text: preciseFactor },
              ),
              atMost(
                "at a fixed rate: a median latency of at most 1.3x that of webdis",
                ratio(paced.p50, theirsPaced.p50),
                1.3,
                { text: preciseFactor },
              ),
            ]
          : [],
      ...tabulate(rows, { group: caseOf, charts: ["requests / s"] }, [
        ["case", caseOf],
        ["server", nameOf],
        ["requests / s", ({ perSecond }) => perSecond.estimate(), 0],
        ["commands / s", ({ perSecond, commands }) => combine([perSecond], (value) => value * commands), 0],
        ...medianColumns({ p50: "p50 ms", p99: "p99 ms" }),
        ...medianColumns({ cpuMicros: "CPU us / request" }, 1),
      ]),
      notes: [
        `A separate process generates the load for ${settings.seconds} s per round, ${PACED} times as long at a fixed rate, which begins once the server has had a closed loop, and separates responses by their length and Content-Length. It shares the processors with the server and Redis.`,
        "Requests per second: a closed loop, in which a connection sends the next request after each response. Latencies: an open loop, in which requests are due at a fixed rate that all servers keep up with. They count from the time at which a request is due, so that a stall is not hidden.",
        "The gateway runs with one worker and webdis with one thread, in front of the same Redis over TCP on the same machine. Numbers are medians of the rounds. Compared cases run one after the other, in shuffled order. Ratios are computed per round; the median is shown.",
        "CPU is the measured server's user and kernel time per request. Other load on the machine affects it less than the other numbers.",
        theirs
          ? "webdis has no HTTP pipeline that is comparable to /pipeline."
          : "Skipped: webdis: it is not on PATH.",
        ...doubled.map(
          (row) =>
            `Second responses to one request from ${nameOf(row)} (${caseOf(row)}): ${row.surplus.total} or more. Their connections were replaced.`,
        ),
      ],
    };
  },
});
