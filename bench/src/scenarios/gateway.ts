import { fileURLToPath } from "node:url";
import { findRedisServer, NO_REDIS } from "warmline-testbed";
import { factor, ms } from "../format.js";
import { drive, type LoadResult, type Target } from "../gateway/load.js";
import { hasWebdis, startWebdis, type Webdis } from "../gateway/webdis.js";
import { median } from "../latencies.js";
import { versionOf } from "../machine.js";
import { pairedRatio } from "../perf/ratios.js";
import { barChart, grouped, tableOf } from "../present.js";
import { randomFrom, shuffled } from "../random.js";
import type { Check, Outcome } from "../result.js";
import { startRig } from "../rig.js";
import { inRounds } from "../rounds.js";
import type { Scenario, Settings } from "../scenario.js";

const LOAD = fileURLToPath(new URL("../handlers/load.js", import.meta.url));
const KEY = "greeting";
const VALUE = "hello, world";
const MANY = 100;
const CONNECTIONS = [1, 50, 500];

/** Measures the gateway's cost against webdis (a similar server in C) and against plain Redis, on the same Redis. */
const gateway: Scenario = {
  name: "gateway",
  title: "HTTP in front of Redis",
  question:
    "How many requests per second does the gateway serve, at which latency, and how does it compare with webdis?",
  clients: [],
  order: 13,
  missing: () => (findRedisServer() ? undefined : NO_REDIS),
  run: measure,
};

export default gateway;

type Server = "gateway" | "webdis" | "redis";
interface Case {
  readonly server: Server;
  readonly what: string;
  readonly connections: number;
  readonly commands: number;
  readonly target: Target;
}
export type Measurement = Omit<Case, "target"> &
  LoadResult & {
    /** The result of each round, in order. */
    readonly rounds: readonly LoadResult[];
  };

async function measure(settings: Settings): Promise<Outcome> {
  const rounds = settings.rounds ?? (settings.quick ? 1 : 9);
  const measureMs = (settings.seconds ?? (settings.quick ? 0.5 : 1.5)) * 1_000;
  const rig = await startRig({ rttMs: 0, tls: false, engine: settings.engine, redis: true });
  let webdis: Webdis | undefined;
  try {
    await rig.command("SET", KEY, VALUE);
    webdis = hasWebdis() ? await startWebdis(rig.redis!.port!) : undefined;
    const seen = new Map<Case, LoadResult[]>();
    const cases = casesOf(rig.gateway, rig.redis as { port: number; pid: number }, webdis);
    for (const each of cases) seen.set(each, []);
    const random = randomFrom(settings.seed);
    // Those that are compared run one after the other: what else the machine does changes by the minute.
    await inRounds(
      settings,
      rounds,
      grouped(cases, groupOf),
      ([name]) => name,
      async ([, group]) => {
        for (const each of shuffled(group, random)) {
          seen.get(each)!.push(await drive(LOAD, each.target, each.connections, measureMs));
        }
      },
    );
    const measured = cases.map((one): Measurement => {
      const { target: _, ...each } = one;
      const all = seen.get(one)!;
      const of = (value: (one: LoadResult) => number) => median(all.map(value));
      const cpu = all.every(({ cpuMicros }) => cpuMicros !== null) ? of(({ cpuMicros }) => cpuMicros!) : null;
      return {
        ...each,
        rounds: all,
        perSecond: of((one) => one.perSecond),
        p50: of((one) => one.p50),
        p99: of((one) => one.p99),
        cpuMicros: cpu,
      };
    });
    return {
      ...buildReport(measured),
      settings: { rounds, measureMs, rttMs: 0, tls: false, engine: rig.engine, quick: settings.quick },
      versions: { "warmline-gateway": versionOf("warmline-gateway") },
      data: measured,
    };
  } finally {
    await webdis?.stop();
    await rig.close();
  }
}

function casesOf(
  gateway: { port: number; pid: number; token: string },
  redis: { port: number; pid: number },
  webdis: Webdis | undefined,
): Case[] {
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${gateway.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = `*2\r\n$3\r\nGET\r\n$${KEY.length}\r\n${KEY}\r\n`;
  const one = JSON.stringify(["GET", KEY]);
  const many = `[${Array(MANY).fill(one).join()}]`;
  const at = (server: { port: number; pid: number }, request: string): Target => ({
    port: server.port,
    pid: server.pid,
    request,
  });
  return CONNECTIONS.flatMap((connections): Case[] => [
    { server: "gateway", what: "GET", connections, commands: 1, target: at(gateway, post("/", one)) },
    ...(webdis
      ? [
          {
            server: "webdis" as const,
            what: "GET",
            connections,
            commands: 1,
            target: at(webdis, `GET /GET/${KEY} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
          },
        ]
      : []),
    { server: "redis", what: "GET", connections, commands: 1, target: at(redis, get) },
    ...(connections === 500
      ? []
      : [
          {
            server: "gateway" as const,
            what: "pipeline",
            connections,
            commands: MANY,
            target: at(gateway, post("/pipeline", many)),
          },
          {
            server: "redis" as const,
            what: "pipeline",
            connections,
            commands: MANY,
            target: at(redis, get.repeat(MANY)),
          },
        ]),
  ]);
}

const LABELS = { gateway: "warmline-gateway", webdis: "webdis", redis: "Redis over TCP" };
const HUES = { gateway: 0, webdis: 1, redis: 2 };

const groupOf = ({ what, connections, commands }: Pick<Case, "what" | "connections" | "commands">) =>
  `${commands === 1 ? what : `${what} of ${commands}`}, ${connections} ${connections === 1 ? "connection" : "connections"}`;
const count = (value: number) => `${Math.round(value).toLocaleString("en")}`;

/** The median of each round's own ratio. */
const ratio = (ours: Measurement, theirs: Measurement, of: (seen: LoadResult) => number) =>
  pairedRatio(ours.rounds.map(of), theirs.rounds.map(of)).median;

/** Builds the report of the measurements. */
export function buildReport(
  measured: readonly Measurement[],
): Pick<Outcome, "headlines" | "summary" | "checks" | "table" | "charts" | "notes"> {
  const find = (server: Server, connections: number) =>
    measured.find(
      (each) => each.server === server && each.connections === connections && each.what === "GET",
    );
  const ours = find("gateway", 50)!;
  const theirs = find("webdis", 50);
  const alone = find("gateway", 1)!;
  const theirsAlone = find("webdis", 1);
  const checks: Check[] = [];
  if (theirs && theirsAlone) {
    const throughput = ratio(ours, theirs, ({ perSecond }) => perSecond);
    const latency = ratio(alone, theirsAlone, ({ p50 }) => p50);
    checks.push(
      {
        expectation: "50 connections: at least 1.2x the requests per second of webdis",
        passed: throughput >= 1.2,
        actual: `${count(ours.perSecond)} against ${count(theirs.perSecond)}; the median of the rounds' ratios is ${throughput.toFixed(2)}x`,
      },
      {
        expectation: "one connection: a median latency of at most 1.3x that of webdis",
        passed: latency <= 1.3,
        actual: `${ms(alone.p50)} against ${ms(theirsAlone.p50)}; the median of the rounds' ratios is ${latency.toFixed(2)}x`,
      },
    );
  }
  const beside = theirs
    ? `webdis (C, one thread) serves ${count(theirs.perSecond)}: the gateway serves ${factor(ratio(ours, theirs, ({ perSecond }) => perSecond))} as many`
    : "webdis is not installed, so it was not compared";
  return {
    headlines: [
      { value: `${count(ours.perSecond)} / s`, label: "requests per second, one worker, 50 connections" },
      { value: ms(alone.p50), label: "median latency, one connection" },
    ],
    summary: `With 50 connections one gateway worker serves ${count(ours.perSecond)} requests per second; ${beside}. The median latency of one request at a time is ${ms(alone.p50)} with the gateway${theirsAlone ? `, ${ms(theirsAlone.p50)} with webdis` : ""} and ${ms(find("redis", 1)!.p50)} with Redis over TCP.`,
    checks,
    table: tableOf(measured, groupOf, [
      ["case", groupOf],
      ["server", ({ server }) => LABELS[server]],
      ["requests / s", ({ perSecond }) => count(perSecond), "number"],
      ["commands / s", ({ perSecond, commands }) => count(perSecond * commands), "number"],
      ["p50", ({ p50 }) => ms(p50), "number"],
      ["p99", ({ p99 }) => ms(p99), "number"],
      [
        "CPU / request",
        ({ cpuMicros }) => (cpuMicros === null ? "" : `${cpuMicros.toFixed(1)} us`),
        "number",
      ],
    ]),
    charts: [
      barChart(
        measured.filter(({ commands }) => commands === 1),
        {
          title: "Requests per second",
          unit: "",
          groupOf,
          styleOf: ({ server }) => ({ label: LABELS[server], hue: HUES[server] }),
          valueOf: ({ perSecond }) => perSecond,
          textOf: ({ perSecond }) => count(perSecond),
        },
      ),
    ],
    notes: [
      "A separate process generates the load. It keeps one request in flight per connection and separates responses by their length. It shares the processors with the server and Redis.",
      "The gateway runs with one worker and webdis with one thread, in front of the same Redis over TCP on the same machine, in shuffled order. Numbers are medians of the rounds. Compared cases run one after the other. Ratios are computed per round; the median is shown.",
      "CPU is the measured server's user and kernel time per request. Other load on the machine affects it less than the other numbers.",
      ...(theirs
        ? ["webdis has no HTTP pipeline that is comparable to /pipeline."]
        : ["Skipped: webdis: it is not on PATH."]),
    ],
  };
}
