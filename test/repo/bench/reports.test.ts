import { describe, expect, test } from "vitest";
import type { BenchClient } from "../../../bench/src/client/bench-client.js";
import distance from "../../../bench/src/parts/distance.js";
import ephemeral from "../../../bench/src/parts/ephemeral.js";
import finWait from "../../../bench/src/parts/fin-wait.js";
import firstWrite, { waysOf } from "../../../bench/src/parts/first-write.js";
import { resultPage as page } from "../../../bench/src/report/page.js";
import { summaryPage } from "../../../bench/src/report/summary.js";
import { summaryOf } from "../../../bench/src/results/checks.js";
import type { Report, Result } from "../../../bench/src/results/result.js";
import { buildRow } from "../../../bench/src/runner/run-scenario.js";
import type { Context, Scenario } from "../../../bench/src/scenario.js";
import established, { HALF_S, CASES as HELD } from "../../../bench/src/scenarios/established.js";
import faults from "../../../bench/src/scenarios/faults.js";
import fleet from "../../../bench/src/scenarios/fleet.js";
import gateway from "../../../bench/src/scenarios/gateway.js";
import idle from "../../../bench/src/scenarios/idle.js";
import keepalive from "../../../bench/src/scenarios/keepalive.js";
import memory from "../../../bench/src/scenarios/memory.js";
import reconnect from "../../../bench/src/scenarios/reconnect.js";
import sequential from "../../../bench/src/scenarios/sequential.js";
import zombie from "../../../bench/src/scenarios/zombie.js";
import { schemaErrors } from "../../support/bench.js";

const ROUNDS = 6;
const settings = {
  quick: false,
  rttMs: 1,
  rtts: undefined,
  tls: false,
  seed: 1,
  invocations: 10,
  rounds: ROUNDS,
  seconds: 20,
  sizes: undefined,
};
const context = { settings, clients: [] as readonly BenchClient[] } as Context;
/** Enough calls for a 99th percentile. */
const hundredCalls = { ...context, settings: { ...settings, invocations: 100 } };
const client = (name: string, protocol: BenchClient["protocol"] = "http") =>
  ({ name, label: name, package: name, order: 1, protocol }) as BenchClient;
const warmline = client("warmline");
const ioredis = client("ioredis", "tcp");

/** A value that differs a little from round to round. */
const near = (value: number, round: number) => value * (1 + 0.01 * round);
/** Ten latencies around a value. */
const ten = (value: number, round: number) =>
  Array.from({ length: 10 }, (_, at) => near(value, round) * (1 + 0.02 * at));

/** Returns a row of a scenario for each case, with one sample per round. */
const rowsOf = <C extends object>(
  cases: readonly C[],
  sample: (each: C, round: number) => object,
  rounds = ROUNDS,
) =>
  cases.map((each) =>
    buildRow(
      each,
      Array.from({ length: rounds }, (_, round) => [sample(each, round)]),
    ),
  );

const cross = <A extends object, B extends object>(as: readonly A[], bs: readonly B[]): (A & B)[] =>
  as.flatMap((a) => bs.map((b) => ({ ...a, ...b })));
const flags = <K extends string>(name: K) =>
  [true, false].map((flag) => ({ [name]: flag }) as Record<K, boolean>);

const VARIANTS = [
  { keepAlive: true, reused: true },
  { keepAlive: true, reused: false },
  { keepAlive: false, reused: true },
  { keepAlive: false, reused: false },
];
const instances = (stats: Record<string, number>) => (each: any, round: number) => ({
  init: near(90, round),
  first: near(stats.first!, round),
  start: near(100 * (each.memoryMb === 128 ? stats.start! : 1), round),
  warm: ten(
    stats[each.keepAlive === false || (each.memoryMb && !each.reused) ? `off${each.memoryMb ?? ""}` : "on"]!,
    round,
  ),
  opened:
    each.keepAlive && each.reused ? 1 : each.keepAlive && each.client.name === "warmline" ? stats.opened : 10,
  throttle: "duty cycle",
});
const ended = (numbers: object) => ({
  calls: 2,
  resolved: 2,
  failed: 0,
  hung: 0,
  wrong: 0,
  doubled: 0,
  ms: 12,
  ...numbers,
});
const zombies = (lost: { warmline: number; others: number }) =>
  rowsOf(
    cross(
      [warmline, client("agent"), ioredis].map((each) => ({ client: each })),
      ["honest server", "silent server", "middlebox", "nobody"].map((arm) => ({ arm, frozenS: 6 })),
    ),
    (each) =>
      ended({ hung: each.arm === "nobody" ? 0 : lost[each.client === warmline ? "warmline" : "others"] }),
  );
const WAYS = ["static", "reconnect", "gateway-static", "gateway-reconnect", "sidecar-reconnect"];
const transactions = (rates: readonly number[], opened = 10) =>
  rowsOf(
    cross(
      [1, 16].map((users) => ({ users })),
      WAYS.map((way) => ({
        way,
        title: way,
        reconnect: way.endsWith("reconnect"),
        ...(way.startsWith("sidecar") ? {} : { crosses: "tcp" }),
      })),
    ),
    ({ way, reconnect }, round) => ({
      opened: way.startsWith("sidecar") ? Number.NaN : reconnect ? opened : 0,
      latencies: ten(1, round),
      tps: near(rates[WAYS.indexOf(way)]!, round),
      tpsExcluding: near(rates[WAYS.indexOf(way)]! * 1.1, round),
    }),
  );
const fleets = (refusals: readonly number[], peak = 700) =>
  rowsOf(
    [0, 1, 2].map((hue) => ({ arm: `arm ${hue}`, hue })),
    ({ hue }, round) => ({
      latencies: ten(5, round),
      instances: 700,
      peakOpen: hue === 2 ? peak : 700,
      evicted: hue === 2 ? 100 : 0,
      refusals: near(refusals[hue]!, round),
      reopened: 3,
      cutOff: 0,
      failed: 0,
      throttled: 1,
      upstream: 1,
      invocations: 700,
      model: { connectionsUnlimited: 700, connectionsLimited: [400, 700], evicts: true },
      samples: [0, 1].map((atS) => [atS, 700 * atS]),
    }),
  );
const servers = (
  perSecond: Record<string, number>,
  p50: Record<string, number>,
  surplus: Record<string, number> = {},
) =>
  rowsOf(
    cross(
      Object.keys(perSecond).map((server) => ({ server })),
      [undefined, 2_000].map((rate) => ({ connections: 50, commands: 1, rate })),
    ),
    // In one round the machine is slower for all servers.
    ({ server }, round) => ({
      perSecond: perSecond[server]! * (round === 2 ? 0.3 : 1),
      p50: p50[server]! / (round === 2 ? 0.3 : 1),
      p99: 1,
      cpuMicros: 10,
      surplus: surplus[server] ?? 0,
    }),
  );
const pauses = [
  { idleS: 0, frozen: false },
  { idleS: 2, frozen: true },
];
const paused = (slower: number, failed = 0) =>
  rowsOf(
    cross(
      [{ client: warmline }, { client: client("agent") }],
      cross(pauses, [{ command: "get" }, { command: "set" }]),
    ),
    ({ client: { name }, idleS }, round) => ({
      latencies: ten(name === "warmline" && idleS > 0 ? slower : 1, round),
      failed: idleS > 0 ? failed : 0,
      longestPauseS: idleS,
    }),
  );
const firstWrites = (slower: number, failed = 0) =>
  rowsOf(
    [false, true].flatMap((tls) =>
      waysOf([warmline, client("ioredis", "tcp")], settings, tls).map((each) => ({ ...each, tls })),
    ),
    ({ frozenS, client: peer }, round) => ({
      latencies: ten(peer ? 5 : frozenS > 0 ? slower : 1, round),
      failed: frozenS > 0 ? failed : 0,
      longestPauseS: frozenS,
    }),
  );
const USES = [
  { use: "reuse", awaited: true },
  { use: "ephemeral", awaited: true },
  { use: "reuse", awaited: false },
  { use: "ephemeral", awaited: false },
];
const loops = (ephemeralMs: number, queued: number) =>
  rowsOf(
    [
      ...cross([{ client: warmline, rttMs: 1 }], USES),
      ...cross([{ client: ioredis, rttMs: 1 }], [...USES, { use: "queued", awaited: false }]),
    ],
    ({ client, use, awaited }, round) => ({
      latencies: ten(
        use === "reuse"
          ? awaited
            ? 2
            : 0.01
          : awaited
            ? ephemeralMs
            : client === ioredis && use === "ephemeral"
              ? 5
              : queued,
        round,
      ),
    }),
  );
const MODES = ["one", "one", "ten", "ten", "together", "pipeline", "one", "one", "ten", "ten"].map(
  (name, at) => ({
    name,
    keepAlive: at % 2 === 0 || at === 5,
    frozen: at > 5,
  }),
);
const sequences = (times: readonly number[]) =>
  rowsOf(
    cross(
      [{ client: warmline }, { client: client("agent") }],
      MODES.map((mode, at) => ({ ...mode, at })),
    ),
    ({ at }, round) => ({ warm: ten(times[at]!, round) }),
  );
const distances = (stats: Record<string, number>) =>
  rowsOf(
    cross(
      [warmline, client("agent"), ioredis].map((each) => ({ client: each, rttMs: 2, tls: true })),
      flags("keepAlive"),
    ),
    (each, round) => {
      const sample = instances(stats)(each, round);
      return {
        ...sample,
        warm: each.client === ioredis ? sample.warm.map((value) => value - 0.5) : sample.warm,
      };
    },
  );
const sizes = (stats: Record<string, number>) =>
  rowsOf(
    cross(
      [128, 3_008].flatMap((memoryMb) => [warmline, ioredis].map((each) => ({ client: each, memoryMb }))),
      flags("reused"),
    ),
    instances(stats),
  );
const keepalives = (stats: Record<string, number>) =>
  rowsOf(cross([{ client: warmline }, { client: client("agent") }], VARIANTS), (each, round) => {
    const isOwn = each.client === warmline;
    const lost = isOwn ? stats.lost! : 1;
    return {
      ...instances(stats)(each, round),
      ...(each.keepAlive && each.reused && { lost, thawed: lost > 0 ? [] : [8] }),
      ...(each.keepAlive && each.reused && isOwn && { recreatedRatio: near(stats.recreated!, round) }),
    };
  });
const trials = (numbers: object) =>
  rowsOf(
    [client("warmline"), client("warmline-once"), ioredis, client("agent")].map((each) => ({
      ...{ client: each, title: "lost", hopeless: false },
    })),
    (each) => (each.client === ioredis ? ended({ doubled: 1 }) : ended(numbers)),
  );

const closedSockets = (finWaitS: number) =>
  rowsOf(
    [warmline, ioredis].flatMap((each) => [true, false].map((frozen) => ({ client: each, frozen }))),
    ({ frozen }, round) => ({ closedS: near(1, round), finWaitS: frozen ? near(finWaitS, round) : 0 }),
  );

const heldOpen = (open: { readonly pods: number; readonly half: number; readonly others: number }) =>
  rowsOf(HELD, ({ name, limitS }, round) => ({
    open: near(name === "pods" ? (limitS === HALF_S ? open.half : open.pods) : open.others, round),
  }));

/** For each scenario, rows that pass every check, and rows with the opposite numbers. */
const CASES: Record<string, [scenario: Scenario, good: object[], bad: object[]]> = {
  distance: [distance, distances({ on: 1, off: 3, first: 9 }), distances({ on: 3, off: 1, first: 9 })],
  ephemeral: [ephemeral, loops(4, 0.05), loops(1, 3)],
  established: [
    established,
    heldOpen({ pods: 60, half: 40, others: 5 }),
    heldOpen({ pods: 12, half: 12, others: 70 }),
  ],
  memory: [
    memory,
    sizes({ on: 1, off128: 9, off3008: 2, first: 9, start: 4 }),
    sizes({ on: 1, off128: 2, off3008: 9, first: 9, start: 0.5 }),
  ],
  sequential: [
    sequential,
    sequences([2, 1, 10, 9.5, 1.5, 1.4, 1, 2, 10, 20]),
    sequences([1, 2, 10, 20, 3, 12, 2, 1, 10, 9]),
  ],
  zombie: [zombie, zombies({ warmline: 0, others: 1 }), zombies({ warmline: 1, others: 0 })],
  idle: [idle, paused(1.1), paused(9, 1)],
  "fin-wait": [finWait, closedSockets(60), closedSockets(0.2)],
  "first-write": [firstWrite, firstWrites(1.05), firstWrites(9, 1)],
  reconnect: [reconnect, transactions([600, 100, 500, 200, 450]), transactions([100, 600, 500, 590, 580])],
  fleet: [fleet, fleets([0, 900, 90]), fleets([0, 100, 90], 900)],
  gateway: [
    gateway,
    servers({ gateway: 60, webdis: 48, redis: 90 }, { gateway: 0.12, webdis: 0.1, redis: 0.04 }),
    servers({ gateway: 50, webdis: 51, redis: 90 }, { gateway: 0.3, webdis: 0.1, redis: 0.04 }),
  ],
  keepalive: [
    keepalive,
    keepalives({ on: 1, off: 3, first: 9, opened: 1, recreated: 0.98, lost: 0 }),
    keepalives({ on: 3, off: 1, first: 1, opened: 10, recreated: 1.2, lost: 1 }),
  ],
  faults: [faults, trials({}), trials({ doubled: 1, hung: 1, resolved: 1, wrong: 1 })],
};

const result = (scenario: Scenario, report: Report, overrides: Partial<Result> = {}): Result => ({
  format: 4,
  scenario: scenario.name,
  title: scenario.title,
  question: scenario.question,
  command: `npm run bench -- ${scenario.name} --seed 1`,
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
  load: { before: 0.01, others: 0.02 },
  startedAt: "2026-01-02T03:04:05.678Z",
  seconds: 1.5,
  summary: summaryOf(report.checks),
  settings: { rttMs: 1, tls: false, engine: "embedded", quick: false },
  versions: { "warmline-gateway": "0.1.0" },
  data: [{ client: "warmline", n: 1 }],
  ...report,
  ...overrides,
});

test("a result's page names its commit, and the schema accepts only a hash for it", () => {
  const report = CASES.idle![0].report(CASES.idle![1], context);
  const commit = "0123456789".repeat(4);
  const committed = result(CASES.idle![0], report, { commit: `${commit}-dirty` });
  expect(schemaErrors(committed)).toEqual([]);
  expect(page(committed)).toContain(`<dt>Commit</dt><dd>${commit}-dirty</dd>`);
  expect(page(result(CASES.idle![0], report))).not.toContain("<dt>Commit");
  expect(schemaErrors({ ...committed, commit: "main" })).not.toEqual([]);
});

describe.each(Object.entries(CASES))("the report of %s", (name, [scenario, good, bad]) => {
  // Checks of bundle sizes and of the client's protocol do not depend on the rows.
  const verdicts = (rows: object[]) =>
    scenario
      .report(rows, context)
      .checks.filter(({ expectation }) => !/entry|loses the connection|off opens/.test(expectation))
      .map(({ verdict }) => verdict);

  test(`every check of ${name} is yes for good numbers`, () => {
    const found = verdicts(good);
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found), JSON.stringify(scenario.report(good, context).checks, null, 1)).toEqual(
      new Set(["yes"]),
    );
  });

  test(`a check of ${name} is no for opposite numbers`, () => {
    expect(verdicts(bad)).toContain("no");
  });

  test(`${name} fits the schema, and every chart is drawn`, () => {
    const report = scenario.report(good, context);
    expect(schemaErrors(result(scenario, report))).toEqual([]);
    const html = page(result(scenario, report));
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
    const pictures = report.charts.map((chart) =>
      chart.kind === "bars" ? chart.groups.length : chart.kind === "matrix" ? 1 : chart.panels.length,
    );
    expect(html.match(/<svg [^>]*class="plot"|<table class="matrix"/g)).toHaveLength(
      pictures.reduce((sum, each) => sum + each, 0),
    );
  });
});

test.each([
  ["keepalive", /^agent:/],
  ["sequential", /^agent:/],
  ["distance", /^agent, /],
  ["memory", /^ioredis:/],
  ["zombie", /^ioredis:/],
  ["faults", /^ioredis,/],
  ["fin-wait", /^ioredis, frozen:/],
  ["ephemeral", /^ioredis, 1 ms:/],
  ["reconnect", /^1 client:/],
] as const)("the client or arm of the article decides its claims in %s", (name, pattern) => {
  const [scenario, good] = CASES[name]!;
  const checks = scenario.report([...good], hundredCalls).checks.filter(({ article }) => article);
  expect(checks.length).toBeGreaterThan(0);
  for (const { expectation } of checks) expect(expectation).toMatch(pattern);
});

test("the arm that the article measured decides, and `beside` has the others", () => {
  const checkOf = (scenario: Scenario, rows: object[], pattern: RegExp) =>
    scenario.report(rows, hundredCalls).checks.find(({ expectation }) => pattern.test(expectation))!;
  // The arm with a gateway in each pod decides. `beside` has kept connections of processes, and one gateway for all pods.
  const held = heldOpen({ pods: 60, half: 40, others: 5 });
  expect(checkOf(established, held, /gateways in the pods hold/)).toMatchObject({
    verdict: "yes",
    beside: expect.stringMatching(/^kept by the processes 5 .*, through one gateway 5 /),
  });
  expect(checkOf(established, held, /half the idle limit/)).toMatchObject({
    verdict: "yes",
    beside: expect.stringMatching(/^kept by the processes 0\.0%/),
  });
  // Next to the database, the pool makes reconnecting slower. Next to the function, it recovers 90%.
  expect(checkOf(reconnect, transactions([600, 100, 500, 90, 550]), /next to the database/)).toMatchObject({
    verdict: "no",
    beside: expect.stringContaining("next to the function recovers 90"),
  });
  // With eviction, the hard limit refuses nearly as many connections as without it.
  expect(checkOf(fleet, fleets([0, 100, 90]), /halves the refusals/).verdict).toBe("no");
  // A connection per command costs little without `await`, and much with it.
  expect(checkOf(ephemeral, loops(4, 0.05), /not awaited/)).toMatchObject({
    verdict: "yes",
    beside: expect.stringMatching(/^awaited it adds 2\.\d\d ms/),
  });
  const tenCalls = ephemeral.report(loops(4, 0.05), context).checks;
  expect(tenCalls.filter(({ expectation }) => /p99/.test(expectation))).toEqual([]);
});

test("a check of reconnect is no if commands shared connections instead of opening one each", () => {
  const [check] = reconnect.report(transactions([600, 100, 500, 110, 550], 9), context).checks.slice(-1);
  expect(check).toMatchObject({
    expectation: expect.stringContaining("counted at the proxy"),
    verdict: "no",
    actual: "216 connections for 240 commands",
  });
});

test("the page of several results shows claims, verdicts and skipped scenarios, and then every result", () => {
  const several = ["distance", "fleet", "faults"].map((name) =>
    result(CASES[name]![0], CASES[name]![0].report(CASES[name]![1], context)),
  );
  const skipped = [{ scenario: "time-wait", reason: "needs Linux" }];
  const html = summaryPage(several, skipped);
  expect(html).toContain('<a href="#distance">Keep-alive by round-trip time</a>');
  expect(html).toContain("4 yes, 0 no, 0 undecided");
  expect(html).toContain('<td data-title="article: ">a great decrease in rejected connections</td>');
  expect(html).toMatch(/<\/a><details><summary>beside it<\/summary>[^<]*warmline/);
  expect(html).toContain("Skipped: time-wait: needs Linux");
  expect(html).toContain(
    '<header id="distance"><p class="mark">warmline bench</p><h1>Keep-alive by round-trip',
  );
  expect(html).toContain('<td class="cell right">right</td>');
  expect(schemaErrors({ format: 4, results: several, skipped })).toEqual([]);
});

test("a cell of the fault table shows the worst outcome, and all numbers", () => {
  const [chart] = faults.report(CASES.faults![2], context).charts;
  expect(chart).toMatchObject({
    kind: "matrix",
    rows: [{ cells: [{ kind: "doubled", text: "doubled 6, wrong 6, hung 6 of 12" }, {}, {}, {}] }],
  });
});

test("a page shows its summary, its terms, and for each check the article and the other clients", () => {
  const html = page(result(keepalive, keepalive.report(CASES.keepalive![1], context)));
  expect(html).toContain('<p class="summary">A kept connection saved ');
  expect(html).toContain('<ul class="terms"><li>keep-alive: on, ');
  expect(html).toMatch(
    /<li class="pass"><p>agent: a kept connection is faster than a new one, at the median <small>yes<\/small>/,
  );
  expect(html).toContain("<b>60 of 60</b>");
  expect(html).toContain(
    "<p>In the article &#34;Reusing HTTP connections with keepalive in serverless (Upstash)&#34;: ",
  );
  expect(html).toMatch(/<details><summary>Other clients and ways<\/summary>on average 3\.0x/);
  // In a table, the interval is below the number.
  expect(html).toMatch(/<td class="number">9\.\d<small>9\.0 to 9\.5<\/small><\/td>/);
});

test("a page shows the warning of the load guard, and no checks if there are none", () => {
  const report = fleet.report(CASES.fleet![1], context);
  const load = { before: 0.5, others: 0.4, warning: "The machine was busy." };
  const busy = result(fleet, { ...report, checks: [] }, { load, summary: "A quick run." });
  expect(schemaErrors(busy)).toEqual([]);
  expect(page(busy)).toContain("Warning: The machine was busy.");
  expect(page(busy)).not.toContain("<h2>Checks</h2>");
  expect(page(result(fleet, report))).toContain("<h2>Checks</h2>");
});
