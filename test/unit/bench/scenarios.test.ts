import { describe, expect, test } from "vitest";
import { type Measurement as Distance, buildReport as distance } from "../../../bench/src/distance/report.js";
import {
  type Measurement as Ephemeral,
  buildReport as ephemeral,
} from "../../../bench/src/ephemeral/report.js";
import { type Measurement as Fleet, buildReport as fleet } from "../../../bench/src/fleet/report.js";
import {
  type Measurement as Flood,
  buildReport as flood,
  type Phase,
} from "../../../bench/src/flood/report.js";
import { type Measurement as Memory, buildReport as memory } from "../../../bench/src/memory/report.js";
import {
  type Measurement as Reconnect,
  buildReport as reconnect,
} from "../../../bench/src/reconnect/report.js";
import { page } from "../../../bench/src/report/page.js";
import type { Outcome, Result } from "../../../bench/src/result.js";
import {
  type Measurement as Sequential,
  buildReport as sequential,
} from "../../../bench/src/sequential/report.js";
import { type Measurement as Sockets, buildReport as sockets } from "../../../bench/src/sockets/report.js";
import { type Measurement as Zombie, buildReport as zombie } from "../../../bench/src/zombie/report.js";
import { schemaErrors } from "../../support/bench.js";

type Report = Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts">;

const spread = (value: number) => ({ median: value, min: value * 0.9, max: value * 1.2 });
const timed = (p50: number) => ({
  rounds: { ...spread(p50), count: 3 },
  all: {
    count: 100,
    min: p50 / 2,
    mean: p50,
    p50,
    p90: p50 * 2,
    p99: p50 * 3,
    max: p50 * 4,
    curve: [
      [0, p50 / 2],
      [50, p50],
      [99, p50 * 3],
    ] as const,
  },
});
const warmline = { client: "warmline", label: "warmline" };

const distances = (on: number, off: number): Distance[] =>
  [0, 20].flatMap((rttMs) =>
    [true, false].map((keepAlive) => ({
      ...warmline,
      rttMs,
      tls: false,
      keepAlive,
      ...timed((keepAlive ? on : off) + rttMs),
      first: spread(off + rttMs),
    })),
  );
const ephemerals = (reuse: number, anew: number): Ephemeral[] =>
  [true, false].flatMap((awaited) =>
    (["reuse", "ephemeral"] as const).map((use) => ({
      ...warmline,
      protocol: "http" as const,
      rttMs: 1,
      use,
      awaited,
      ...timed(awaited ? (use === "reuse" ? reuse : anew) : 0.05),
    })),
  );
const memories = (small: number, large: number): Memory[] =>
  [128, 3_008].flatMap((memoryMb) =>
    [true, false].map((reused) => ({
      ...warmline,
      memoryMb,
      reused,
      ...timed(2 + (reused ? 0 : memoryMb === 128 ? small : large)),
      init: spread(memoryMb === 128 ? 900 : 60),
      first: spread(memoryMb === 128 ? 80 : 8),
    })),
  );
const sequences = (times: Record<string, number>): Sequential[] =>
  Object.entries(times).map(([key, p50]) => ({
    ...warmline,
    batches: true,
    name: key.replace("-off", "") as Sequential["name"],
    keepAlive: !key.endsWith("-off"),
    commands: key.startsWith("one") ? 1 : 10,
    how: key === "pipeline" ? "pipeline" : key === "together" ? "together" : "sequential",
    ...timed(p50),
  }));
const frozen = (client: string, limitS: number, hung: number): Zombie => ({
  client,
  label: client,
  naive: client === "agent",
  limitS,
  idleS: 95,
  calls: 2,
  resolved: 2 - hung,
  failed: 0,
  hung,
  wrong: 0,
  doubled: 0,
  longestMs: hung > 0 ? 6_000 : 12,
});
const reconnects = (rates: Partial<Record<Reconnect["way"], number>>): Reconnect[] =>
  Object.entries(rates).map(([way, rate]) => ({
    way: way as Reconnect["way"],
    clients: 1,
    transactions: 100,
    tps: spread(rate),
    tpsExcluding: rate * 1.1,
    meanMs: 1,
    deviationMs: 0.1,
  }));
const leftBehind = (way: Sockets["way"], waiting: number): Sockets => {
  const counts = { clientTimeWait: waiting, serverTimeWait: 0, clientEstablished: 3, serverEstablished: 3 };
  return {
    way,
    requests: 100,
    failed: 0,
    meanMs: 2,
    samples: [
      { atS: 0, ...counts, clientTimeWait: 0 },
      { atS: 1, ...counts },
    ],
    peak: counts,
  };
};
const fleets = (limits: boolean, peakOpen: number, evicted: number, refused: number): Fleet => ({
  limits,
  invocations: 1_000,
  instances: 900,
  failed: 0,
  throttled: 0,
  refusals: refused,
  cutOff: 2,
  reopened: 3,
  latency: timed(5).all,
  samples: [
    { atS: 0, open: 1, evicted: 0, refused: 0, upstream: 1, memoryMb: 60 },
    { atS: 2, open: peakOpen, evicted, refused, upstream: 1, memoryMb: 90 },
  ],
  peakOpen,
  evicted,
  refused,
  upstream: 1,
});
const limits = { softLimit: 400, hardLimit: 700 };
const model = {
  instances: 900,
  connectionsUnlimited: 900,
  connectionsLimited: [400, 700] as const,
  evicts: true,
  refuses: true,
};

const floods = (slower: number, given: Partial<Flood["rounds"][number]["crowd"]> = {}): Flood => {
  const phase = <T>(of: (phase: Phase, factor: number) => T) => ({
    quiet: of("quiet", 1),
    flood: of("flood", slower),
    after: of("after", 1.1),
  });
  const round = {
    recorded: phase((_, factor) => ({ count: 9_000, p50: 0.2, p99: factor, max: 3 * factor })),
    crowd: { opened: 2_000, served: 980, refused: 1_020, lost: 0, cut: 0, ...given },
    open: { flood: 1_000, after: 20 },
    memoryMb: phase((_, factor) => 60 + factor),
    upstream: 1,
  };
  return {
    rounds: [round, round],
    users: { phases: phase((_, factor) => timed(factor).all), lost: 0 },
    idle: {
      wanted: 5_000,
      open: 5_000,
      upstream: 1,
      answered: 5_000,
      memoryMb: { before: 50, after: 100 },
    },
    hardLimit: 1_000,
    inUse: 20,
  };
};

const GOOD: Record<string, Report> = {
  distance: distance(distances(1, 3)),
  ephemeral: ephemeral(ephemerals(1, 3)),
  memory: memory(memories(6, 1)),
  sequential: sequential(
    sequences({ one: 1, "one-off": 2, ten: 10, "ten-off": 20, together: 1.5, pipeline: 1.4 }),
  ),
  zombie: zombie([frozen("warmline", 60, 0), frozen("agent", 60, 2), frozen("agent", 310, 0)], 300),
  reconnect: reconnect(
    reconnects({
      static: 600,
      reconnect: 100,
      "gateway-static": 500,
      "gateway-reconnect": 120,
      "sidecar-reconnect": 450,
    }),
  ),
  sockets: sockets([
    leftBehind("cluster", 1_000),
    leftBehind("gateway-request", 200),
    leftBehind("gateway-kept", 0),
  ]),
  fleet: fleet([fleets(false, 900, 0, 0), fleets(true, 700, 100, 5)], model, limits),
  flood: flood(floods(2.9)),
};

const BAD: Record<string, Report> = {
  distance: distance(distances(3, 1)),
  ephemeral: ephemeral(ephemerals(3, 1)),
  memory: memory(memories(1, 6)),
  sequential: sequential(
    sequences({ one: 1, "one-off": 12, ten: 10, "ten-off": 11, together: 1.5, pipeline: 11 }),
  ),
  zombie: zombie([frozen("warmline", 60, 1), frozen("agent", 60, 0), frozen("agent", 310, 0)], 300),
  reconnect: reconnect(
    reconnects({
      static: 600,
      reconnect: 100,
      "gateway-static": 500,
      "gateway-reconnect": 120,
      "sidecar-reconnect": 150,
    }),
  ),
  sockets: sockets([
    leftBehind("cluster", 1_000),
    leftBehind("gateway-request", 200),
    leftBehind("gateway-kept", 500),
  ]),
  fleet: fleet([fleets(false, 500, 0, 0), fleets(true, 800, 100, 5)], model, limits),
  flood: flood(floods(3.1)),
};

const result = (scenario: string, told: Report): Result => ({
  format: 1,
  scenario,
  title: scenario,
  question: "What of it?",
  command: `npm run bench -- ${scenario} --seed 1`,
  seed: 1,
  machine: {
    cpu: "some",
    cores: 2,
    memoryGb: 4,
    system: "linux x64 6",
    node: "v20.18.0",
    runtime: "own",
    load: 0.5,
  },
  startedAt: "2026-01-02T03:04:05.678Z",
  seconds: 1.5,
  notes: ["a note"],
  settings: { rttMs: 1, tls: false, engine: "embedded", quick: true },
  versions: { "warmline-gateway": "0.1.0" },
  data: [],
  ...told,
});

describe.each(Object.keys(GOOD))("%s", (name) => {
  const good = GOOD[name]!;
  const bad = BAD[name]!;

  test("the scenario passes every check and is reproduced with the article's numbers", () => {
    expect(good.checks.length).toBeGreaterThan(0);
    expect(good.checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(good.summary).toMatch(/Reproduced|All checks passed/);
    expect(good.summary).not.toMatch(/Not reproduced|Failed:/);
  });

  test("the scenario fails a check and is not reproduced with opposite numbers", () => {
    expect(bad.checks.filter(({ passed }) => !passed).length).toBeGreaterThan(0);
    expect(bad.summary).toMatch(/Not reproduced|Failed:/);
  });

  test("the scenario fits the schema, and every chart is drawn", () => {
    expect(schemaErrors(result(name, good))).toEqual([]);
    const html = page([result(name, good)]);
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
    const pictures = good.charts.reduce(
      (sum, chart) =>
        sum +
        (chart.kind === "bars" ? chart.groups.length : chart.kind === "spans" ? 1 : chart.panels.length),
      0,
    );
    expect(html.match(/<svg viewBox="0 0 360/g)).toHaveLength(pictures);
  });
});

test("a page of several results lists them and the skipped scenarios", () => {
  const several = ["distance", "fleet"].map((name) => result(name, GOOD[name]!));
  const skipped = [{ scenario: "sockets", reason: "needs Linux" }];
  const html = page(several, skipped);
  expect(html).toContain('<a href="#fleet">fleet</a> <span>5 of 5 checks passed</span>');
  expect(html).toContain("Skipped: sockets: needs Linux");
  expect(schemaErrors({ format: 1, results: several, skipped })).toEqual([]);
});

test("a scenario without checks has no heading for them", () => {
  expect(page([result("fleet", GOOD.fleet!)])).toContain("<h2>Checks</h2>");
  expect(page([result("fleet", { ...GOOD.fleet!, checks: [] })])).not.toContain("<h2>Checks</h2>");
});

test("a report of one function size names it once, and a single sample is drawn", () => {
  const rows = memories(6, 1).filter(({ memoryMb }) => memoryMb === 128);
  const told = memory(rows);
  expect(told.summary.match(/128 MB/g)).toHaveLength(2);
  expect(told.headlines).toHaveLength(1);
  const [first, ...rest] = GOOD.fleet!.charts;
  const point = {
    kind: "curves",
    title: "one",
    unit: "ms",
    panels: [{ title: "a", lines: [{ label: "b", hue: 0, points: [[0, 3]] }] }],
  } as const;
  expect(page([result("fleet", { ...GOOD.fleet!, charts: [first!, point, ...rest] })])).not.toMatch(
    /NaN|undefined|Infinity/,
  );
});

test("fleet matches the model without refusals, and not if a fleet that fits is refused", () => {
  const missed = ({ checks }: Report) => checks.filter(({ passed }) => !passed);
  const told = fleet([fleets(false, 900, 0, 0), fleets(true, 650, 100, 0)], model, limits);
  expect(missed(told)).toEqual([]);
  expect(told.summary).toContain("0 new ones refused");
  const roomy = { ...model, refuses: false };
  expect(missed(fleet([fleets(false, 900, 0, 0), fleets(true, 650, 100, 1)], roomy, limits))).toHaveLength(1);
});

test("the summary of sequential names the gain of the pipeline", () => {
  const times = { one: 1, "one-off": 2, ten: 20, "ten-off": 48, together: 4, pipeline: 4 };
  const { summary } = sequential(sequences(times));
  expect(summary).toContain("keep-alive makes them 2.4x faster, and the pipeline another 5.0x");
  // It saves less than keep-alive does here: 16 ms against 28 ms.
  expect(summary).not.toMatch(/saves more/);
});

test("the schema rejects missing, additional and wrong properties", () => {
  const good = result("fleet", GOOD.fleet!);
  const { summary: _, ...without } = good;
  expect(schemaErrors(without).join()).toContain("summary");
  expect(schemaErrors({ ...good, seconds: "long" }).join()).toContain("/seconds must be number");
  expect(schemaErrors({ ...good, more: 1 }).join()).toContain("additional properties");
  expect(schemaErrors({ ...good, versions: { warmline: "?" } }).length).toBeGreaterThan(0);
});

test("reconnect reports the gateway alone without a Redis over TCP", () => {
  const told = reconnect(reconnects({ "gateway-static": 500, "gateway-reconnect": 120 }));
  expect(told.checks).toHaveLength(1);
  expect(told.summary).toContain("only the gateway was measured: with 1 client 500/s");
  expect(told.summary).toMatch(/The pool was not tested\.$/);
});

test("flood reports connections without a response and closed ones", () => {
  const missed = ({ checks }: Report) => checks.filter(({ passed }) => !passed).map(({ actual }) => actual);
  expect(missed(flood(floods(2, { refused: 1_019, cut: 1 })))).toEqual([
    expect.stringContaining("2 got no response"),
  ]);
  expect(missed(flood(floods(2, { lost: 2 })))).toEqual([expect.stringContaining("4 were closed")]);
});
