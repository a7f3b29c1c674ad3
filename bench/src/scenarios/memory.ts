import { usable, versionsOf } from "../clients.js";
import { type Spread, spreadOf } from "../latencies.js";
import { GREETING, live } from "../life.js";
import { commandsFunction, type Peer } from "../peer.js";
import { barChart, grouped, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";
import { startRig } from "../rig.js";
import { inRounds } from "../rounds.js";
import type { Scenario, Settings } from "../scenario.js";
import { Series, type Timed } from "../series.js";
import { factor, listed, ms } from "../words.js";

/** The sizes of a function in MB. */
const SIZES = [128, 256, 512, 1_024, 1_769, 3_008];
/** A function of this size has one processor; below and above it is in proportion. */
const MB_PER_PROCESSOR = 1_769;

/** The ephemeral experiment once more, on the processor share that a Lambda function of each size has. */
const memory: Scenario = {
  name: "memory",
  title: "Connections on small functions",
  question:
    "How much dearer is connecting, and starting, where the function has little memory and so little processor?",
  clients: ["warmline", "upstash", "agent", "ioredis"],
  order: 5,
  run: measure,
};

export default memory;

interface Case {
  readonly client: string;
  readonly label: string;
  readonly memoryMb: number;
  /** One connection for all invocations, or one each. */
  readonly reused: boolean;
}

export type Measured = Case & Timed & { readonly init: Spread; readonly first: Spread };

async function measure(settings: Settings): Promise<Outcome> {
  const invocations = settings.invocations ?? (settings.quick ? 12 : 60);
  const rounds = settings.rounds ?? (settings.quick ? 1 : 5);
  const sizes = settings.sizes ?? defaultSizes(settings.quick);
  const { peers, redis, notes } = usable(settings.peers);
  const rig = await startRig({ ...settings, redis });
  let throttle = "";
  try {
    await rig.command("SET", "greeting", GREETING);
    const cases = sizes.flatMap((memoryMb) =>
      peers.flatMap((peer) =>
        [true, false].map((reused) => ({
          series: new Series<Case>({ client: peer.name, label: peer.label, memoryMb, reused }),
          peer: peer as Peer,
          inits: [] as number[],
          firsts: [] as number[],
        })),
      ),
    );
    await inRounds(
      settings,
      rounds,
      cases,
      ({ series: { of } }) => `${of.label}, ${of.memoryMb} MB`,
      async ({ series, peer, inits, firsts }) => {
        const { memoryMb, reused } = series.of;
        const what = commandsFunction(peer, { keepAlive: reused, reused }, rig.endpoint);
        const life = await live(peer.label, what, {
          invocations: invocations + 1,
          expected: GREETING,
          trust: rig.trust,
          memoryMb,
          cpu: memoryMb / MB_PER_PROCESSOR,
          timeoutMs: 60_000,
          initTimeoutMs: 60_000,
        });
        throttle = life.throttle!;
        const [first, ...warm] = life.latencies;
        inits.push(life.initMs);
        firsts.push(first!);
        series.add(warm);
      },
    );
    const measured: Measured[] = cases.map(({ series, inits, firsts }) => ({
      ...series.of,
      ...series.measured(),
      init: spreadOf(inits),
      first: spreadOf(firsts),
    }));
    return {
      ...told(measured),
      notes: [
        `A function of 1,769 MB has one processor on Lambda; each size here has its share of one, held by ${throttle === "duty cycle" ? "a duty cycle: the process is stopped once it has used its part of each 20 ms, because this machine lets no cgroup be made (run as root for a quota of the kernel)" : `a ${throttle} of the kernel over periods of 20 ms`}, from the process's first instruction on. Memory itself is not limited.`,
        "Lambda gives the init phase of a small function more than its share; here it has its share alone, so init is what it costs at most.",
        `Each client runs ${invocations} invocations of one GET on each of ${rounds} instances per size, its client outside the handler with keep-alive, or made, used and closed inside; init phase and first invocation are kept apart.`,
        ...notes,
      ],
      settings: {
        invocations,
        rounds,
        sizes,
        throttle,
        rttMs: settings.rttMs,
        tls: settings.tls,
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

/** A quick look leaves out sizes that lie between others. */
function defaultSizes(quick: boolean): readonly number[] {
  return quick ? SIZES.filter((size) => size !== 256 && size !== 1_024) : SIZES;
}

const sizeOf = ({ memoryMb }: Case): string => `${memoryMb.toLocaleString("en")} MB`;
const wayOf = ({ reused }: Case): string => (reused ? "reused" : "one per invocation");

/** Finding, figures, checks, table and charts of the numbers. */
export function told(
  rows: readonly Measured[],
): Pick<Outcome, "finding" | "figures" | "checks" | "table" | "charts"> {
  const sizes = [...new Set(rows.map(({ memoryMb }) => memoryMb))];
  const [small, large] = [sizes[0]!, sizes.at(-1)!];
  const pick = (client: string, memoryMb: number, reused: boolean) =>
    rows.find((row) => row.client === client && row.memoryMb === memoryMb && row.reused === reused)!;
  // The mean, since under a quota some invocations pay for the others.
  const extra = (client: string, size: number) =>
    pick(client, size, false).all.mean - pick(client, size, true).all.mean;
  const clients = grouped(rows, ({ client }) => client).map(([client, [row]]) => ({
    client,
    label: row!.label,
  }));
  const checks: Check[] = clients.flatMap(({ client, label }) => [
    {
      claim: `${label}: connecting costs more at ${small} MB than at ${large} MB`,
      held: extra(client, small) > extra(client, large),
      measured: `${ms(extra(client, small))} against ${ms(extra(client, large))} on average`,
    },
    {
      claim: `${label}: the first invocation takes longer at ${small} MB than at ${large} MB`,
      held: pick(client, small, true).first.median > pick(client, large, true).first.median,
      measured: `${ms(pick(client, small, true).first.median)} against ${ms(pick(client, large, true).first.median)}`,
    },
  ]);
  const held = checks.every((check) => check.held);
  const lead = clients[0]!;
  return {
    finding:
      `A connection per invocation instead of one for all costs, on average, ${listed(clients.map(({ client, label }) => `${ms(extra(client, small))} at ${small} MB and ${ms(extra(client, large))} at ${large} MB with ${label}`))}. ` +
      `Init phase and first invocation together take ${listed(clients.map(({ client, label }) => `${Math.round(start(pick(client, small, true)))} ms at ${small} MB and ${Math.round(start(pick(client, large, true)))} ms at ${large} MB with ${label}`))}. ` +
      (held
        ? "The article's direction comes out: little memory makes connecting dearer (it saw 6 to 7 ms at 128 MB), and a start dearer still."
        : `The article's direction does not come out everywhere: ${listed(checks.filter((check) => !check.held).map(({ claim, measured }) => `missed is "${claim}" (${measured})`))}.`),
    figures: [
      { value: ms(extra(lead.client, small)), label: `what connecting costs ${lead.label} at ${small} MB` },
      { value: ms(extra(lead.client, large)), label: `and at ${large} MB` },
      ...clients.slice(0, 2).map(({ client, label }) => ({
        value: factor(start(pick(client, small, true)) / start(pick(client, large, true))),
        label: `start at ${small} MB against ${large} MB, ${label}`,
      })),
    ],
    checks,
    table: tableOf(rows, sizeOf, [
      ["function", sizeOf],
      ["client", ({ label }) => label],
      ["connection", wayOf],
      ["init ms", ({ init }) => init.median.toFixed(0), "number"],
      ["first ms", ({ first }) => first.median.toFixed(1), "number"],
      ["mean ms", ({ all }) => all.mean.toFixed(2), "number"],
      ["p50 ms", ({ all }) => all.p50.toFixed(2), "number"],
      ["p99 ms", ({ all }) => all.p99.toFixed(2), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "Warm invocations: the mean",
        unit: "ms",
        logarithmic: true,
        groupOf: sizeOf,
        styleOf: (row) => ({ label: `${row.label}, ${wayOf(row)}`, hue: row.reused ? 0 : 1 }),
        valueOf: ({ all }) => all.mean,
        spread: {
          words: "from the median on to the 99th percentile",
          of: ({ all }) => ({ low: all.p50, high: all.p99 }),
        },
      }),
      barChart(
        rows.filter(({ reused }) => reused),
        {
          title: "Init phase and first invocation",
          unit: "ms",
          logarithmic: true,
          groupOf: sizeOf,
          styleOf: ({ label }) => ({ label, hue: 2 }),
          valueOf: start,
          spread: {
            words: "from the fastest to the slowest instance",
            of: ({ init, first }) => ({ low: init.min + first.min, high: init.max + first.max }),
          },
        },
      ),
    ],
  };
}

const start = ({ init, first }: Measured): number => init.median + first.median;
