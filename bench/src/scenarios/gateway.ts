import type { RedisServer } from "warmline-testbed";
import { handlerPath } from "../client/bench-client.js";
import { drive } from "../gateway/load.js";
import { hasWebdis, startWebdis } from "../gateway/webdis.js";
import { atLeast, atMost } from "../results/checks.js";
import { preciseFactor } from "../results/format.js";
import { chartsOf, medianColumns, tableOf } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { combine, ratio } from "../statistics/series.js";

/** The key that requests read. */
const KEY = "greeting";
/** Commands of a pipeline. */
const MANY = 100;
const CONNECTIONS = [1, 50, 500];
const SERVERS = {
  gateway: { label: "warmline-gateway", hue: 0 },
  webdis: { label: "webdis", hue: 1 },
  redis: { label: "Redis over TCP", hue: 2 },
} as const;
type Server = keyof typeof SERVERS;

const nameOf = ({ server }: { readonly server: Server }) => SERVERS[server].label;
const caseOf = ({ connections, commands }: { connections: number; commands: number }) =>
  `${commands === 1 ? "GET" : `pipeline of ${commands}`}, ${connections} connection${connections === 1 ? "" : "s"}`;

/** Returns a GET for each server, and a pipeline for those that have one. */
function requestsOf(token: string) {
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const resp = `*2\r\n$3\r\nGET\r\n$${KEY.length}\r\n${KEY}\r\n`;
  const json = JSON.stringify(["GET", KEY]);
  return [
    { server: "gateway", commands: 1, request: post("/", json) },
    { server: "webdis", commands: 1, request: `GET /GET/${KEY} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n` },
    { server: "redis", commands: 1, request: resp },
    { server: "gateway", commands: MANY, request: post("/pipeline", `[${Array(MANY).fill(json).join()}]`) },
    { server: "redis", commands: MANY, request: resp.repeat(MANY) },
  ] as const;
}

/** Measures the gateway's cost against webdis (a similar server in C) and against plain Redis, on the same Redis. */
export default defineScenario({
  name: "gateway",
  title: "HTTP in front of Redis",
  question:
    "How many requests per second does the gateway serve, at which latency, and how does it compare with webdis?",
  clients: "none",
  fixed: ["rtt", "tls"],
  order: 13,
  plannedS: 36,
  defaults: { rounds: [1, 1], seconds: [1, 0.5] },
  missing: redisMissing,
  cases: async ({ rig, defer, record }) => {
    const { gateway, redis, command } = await rig({ rttMs: 0, tls: false, redis: true });
    record({ rttMs: 0, tls: false });
    await command("SET", KEY, "hello, world");
    const webdis = hasWebdis() ? await startWebdis(redis!.port!) : undefined;
    defer(() => webdis?.stop());
    const servers = { gateway, webdis, redis: redis as RedisServer & { port: number } };
    return CONNECTIONS.flatMap((connections) =>
      requestsOf(gateway.token).flatMap(({ server, commands, request }) => {
        const found = servers[server];
        if (!found || (commands > 1 && connections === 500)) return [];
        const { port, pid } = found;
        return [{ server, connections, commands, target: { port, pid, request } }];
      }),
    );
  },
  label: (each) => `${nameOf(each)}, ${caseOf(each)}`,
  group: caseOf,
  run: ({ target, connections }, { settings }) =>
    drive(handlerPath("load"), target, connections, settings.seconds * 1_000),
  report: (rows, { settings }) => {
    const find = (server: Server, connections: number) =>
      rows.find((each) => each.server === server && each.connections === connections && each.commands === 1);
    const [ours, alone] = [find("gateway", 50)!, find("gateway", 1)!];
    const [theirs, theirsAlone] = [find("webdis", 50), find("webdis", 1)];
    return {
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
      charts: chartsOf(
        rows.filter(({ commands }) => commands === 1),
        {
          group: caseOf,
          style: ({ server }) => SERVERS[server],
          bars: [["Requests per second", "", ({ perSecond }) => perSecond.estimate()]],
        },
      ),
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
