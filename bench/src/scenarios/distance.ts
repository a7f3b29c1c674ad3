import { usable, versionsOf } from "../clients.js";
import { type Spread, spreadOf } from "../latencies.js";
import { GREETING, live } from "../life.js";
import { commandsFunction, type Peer } from "../peer.js";
import { barChart, grouped, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";
import { type Site, startRig } from "../rig.js";
import { inRounds } from "../rounds.js";
import type { Scenario, Settings } from "../scenario.js";
import { Series, type Timed } from "../series.js";
import { factor, listed, ms } from "../words.js";

/** In one zone, between zones, between near regions, across a continent. */
const ROUND_TRIPS = [0, 0.5, 2, 20, 70];
const QUICK_ROUND_TRIPS = [0, 2, 20];

/** One GET per invocation at every distance, plain and with TLS, keep-alive on and off; the first invocation apart. */
const distance: Scenario = {
  name: "distance",
  title: "Keep-alive over every distance",
  question: "How does the worth of a warm connection grow with the way to the server, and with TLS?",
  clients: "all",
  distances: true,
  order: 2,
  run: measure,
};

export default distance;

interface Case {
  readonly client: string;
  readonly label: string;
  readonly rttMs: number;
  readonly tls: boolean;
  readonly keepAlive: boolean;
}

/** A case's numbers, in ms: warm invocations, and the first of each instance. */
export type Measured = Case & Timed & { readonly first: Spread };

async function measure(settings: Settings): Promise<Outcome> {
  const rtts = settings.rtts ?? (settings.quick ? QUICK_ROUND_TRIPS : ROUND_TRIPS);
  const invocations = settings.invocations ?? (settings.quick ? 12 : 30);
  const rounds = settings.rounds ?? (settings.quick ? 1 : 5);
  const { peers, redis, notes } = usable(settings.peers);
  const rig = await startRig({ ...settings, redis });
  try {
    await rig.command("SET", "greeting", GREETING);
    const cases: { series: Series<Case>; peer: Peer; site: Site; firsts: number[] }[] = [];
    for (const tls of [false, true]) {
      for (const rttMs of rtts) {
        const site = await rig.at({ rttMs, tls });
        for (const peer of peers) {
          for (const keepAlive of [true, false]) {
            const of = { client: peer.name, label: peer.label, rttMs, tls, keepAlive };
            cases.push({ series: new Series(of), peer, site, firsts: [] });
          }
        }
      }
    }
    await inRounds(
      settings,
      rounds,
      cases,
      ({ series: { of } }) => `${of.label}, ${distanceOf(of)}`,
      async ({ series, peer, site, firsts }) => {
        const { keepAlive, tls } = series.of;
        const what = commandsFunction(peer, { keepAlive, reused: true }, site.endpoint);
        const options = { invocations, expected: GREETING, trust: tls ? rig.trust : {} };
        const [first, ...warm] = (await live(peer.label, what, options)).latencies;
        firsts.push(first!);
        series.add(warm);
      },
    );
    const measured: Measured[] = cases.map(({ series, firsts }) => ({
      ...series.of,
      ...series.measured(),
      first: spreadOf(firsts),
    }));
    return {
      ...told(measured),
      notes: [
        `At each distance each client runs ${invocations} invocations in each of ${rounds} instances, one GET in each, its client outside the handler. The first invocation, which connects, is kept apart.`,
        "0.5 ms is a round trip within a zone, 2 ms between zones, 20 ms between near regions, 70 ms across a continent. The path delays handshakes too; it does not limit bandwidth.",
        ...notes,
      ],
      settings: {
        invocations,
        rounds,
        rttMs: rtts.join(", "),
        tls: "both",
        engine: rig.engine,
        quick: settings.quick,
        clients: peers.map(({ name }) => name),
      },
      versions: versionsOf(peers),
      data: measured,
    };
  } finally {
    settings.progress.end();
    await rig.close();
  }
}

const distanceOf = ({ rttMs, tls }: Pick<Case, "rttMs" | "tls">): string =>
  `${rttMs} ms${tls ? ", TLS" : ""}`;

/** What keeping the connection saves a case's twin without keep-alive. */
function gainOf(rows: readonly Measured[], row: Measured): number {
  const off = rows.find((other) => sameBut(other, row) && !other.keepAlive)!;
  return off.all.p50 / row.all.p50;
}

const sameBut = (a: Case, b: Case): boolean =>
  a.client === b.client && a.rttMs === b.rttMs && a.tls === b.tls;

/** Finding, figures, checks, table and charts of the numbers. */
export function told(
  rows: readonly Measured[],
): Pick<Outcome, "finding" | "figures" | "checks" | "table" | "charts"> {
  const on = rows.filter(({ keepAlive }) => keepAlive);
  const lead = on.filter(({ client }) => client === on[0]!.client);
  const gain = (row: Measured) => gainOf(rows, row);
  const farthest = lead.at(-1)!;
  const saved = (row: Measured) => row.all.p50 * (gain(row) - 1);
  const gains = lead.map((row) => `${factor(gain(row))} at ${distanceOf(row)}`);
  const checks: Check[] = grouped(on, ({ client }) => client).map(([, own]) => {
    const worse = own.filter((row) => gain(row) <= 1);
    const least = own.reduce((low, row) => (gain(row) < gain(low) ? row : low));
    return {
      claim: `${own[0]!.label} is faster with keep-alive than without at every distance`,
      held: worse.length === 0,
      measured: `least ${factor(gain(least))}, at ${distanceOf(least)}`,
    };
  });
  const held = checks.every((check) => check.held);
  const [cold, warm] = [farthest.first.median, farthest.all.p50];
  return {
    finding:
      `With ${lead[0]!.label}, a kept connection makes the median command faster by ${listed(gains)}. ` +
      `The first invocation of an instance, which has to connect, takes ${ms(cold)} where a warm one takes ${ms(warm)} ` +
      `(${distanceOf(farthest)}): ${factor(cold / warm)} as long. ` +
      (held
        ? `The articles' direction comes out for every client and at every distance: reuse beats reconnecting, with ${lead[0]!.label} by ${ms(saved(lead[0]!))} at ${distanceOf(lead[0]!)} and by ${ms(saved(farthest))} at ${distanceOf(farthest)}.`
        : `The articles' direction does not come out everywhere: ${listed(checks.filter((check) => !check.held).map(({ claim, measured }) => `that ${claim} was missed (${measured})`))}.`),
    figures: lead
      .filter(({ rttMs }) => rttMs === farthest.rttMs)
      .map((row) => ({
        value: factor(gain(row)),
        label: `what ${row.label} gains at ${distanceOf(row)}`,
      })),
    checks,
    table: tableOf(on, distanceOf, [
      ["distance", distanceOf],
      ["client", ({ label }) => label],
      ["first ms", (row) => row.first.median.toFixed(2), "number"],
      ["warm p50 ms", (row) => row.all.p50.toFixed(2), "number"],
      ["warm p99 ms", (row) => row.all.p99.toFixed(2), "number"],
      [
        "off p50 ms",
        (row) => rows.find((other) => sameBut(other, row) && !other.keepAlive)!.all.p50.toFixed(2),
        "number",
      ],
      ["gain", (row) => factor(gain(row)), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "Warm invocations: the median at each distance",
        unit: "ms",
        logarithmic: true,
        groupOf: distanceOf,
        styleOf: ({ label, keepAlive }) => ({
          label: `${label}, keep-alive ${keepAlive ? "on" : "off"}`,
          hue: keepAlive ? 0 : 1,
        }),
        valueOf: ({ all }) => all.p50,
        spread: {
          words: "from the fastest to the slowest round's median",
          of: ({ rounds }) => ({ low: rounds.min, high: rounds.max }),
        },
      }),
      barChart(on, {
        title: "The first invocation of an instance, which connects",
        unit: "ms",
        logarithmic: true,
        groupOf: distanceOf,
        styleOf: ({ label }) => ({ label, hue: 2 }),
        valueOf: ({ first }) => first.median,
        spread: {
          words: "from the fastest to the slowest instance",
          of: ({ first }) => ({ low: first.min, high: first.max }),
        },
      }),
    ],
  };
}
