import { applicationMissing, packageVersions } from "../outage/application.js";
import { ARMS, measureOutage, type Outage, startArm } from "../outage/arms.js";
import type { NetworkFault } from "../outage/relay.js";
import { exactly } from "../results/checks.js";
import { tabulate } from "../results/present.js";
import { defineScenario, type Row, redisMissing } from "../scenario.js";
import { type Estimate, percentile } from "../statistics/series.js";

/** How long in ms the page is requested after a fault. */
const AFTER_MS = 12_000;

const FAULTS: Readonly<Record<NetworkFault["kind"], readonly [title: string, meaning: string]>> = {
  refused: ["Redis down", "connections are reset, and new ones refused"],
  vanish: ["Black hole", "all packets vanish, also those that open a connection"],
  halfOpen: ["Half-open", "established connections are silent for ever, new ones work"],
};
const KINDS = Object.keys(FAULTS) as NetworkFault["kind"][];
const CASES = KINDS.flatMap((kind) => ARMS.map((arm) => ({ ...arm, kind })));
const titleOf = ({ kind }: Pick<NetworkFault, "kind">) => FAULTS[kind][0];

type OutageRow = Row<(typeof CASES)[number], Outage>;

/** What the handlers are compared by, in s. */
const MEASURES = {
  median: ({ pagesS }: OutageRow) => pagesS.estimate(),
  worst: ({ pagesS }: OutageRow) => pagesS.estimate(percentile(100)),
  "cached again": ({ backS }: OutageRow) => backS.estimate(),
} satisfies Readonly<Record<string, (row: OutageRow) => Estimate>>;

/** Returns the measures by which a handler does better than one of warmline's rows, by a fifth and 50 ms at least. */
function gainsOf(row: OutageRow, warmline: readonly OutageRow[]): string {
  const own = warmline.filter(({ kind }) => kind === row.kind);
  const isBetter = (of: (row: OutageRow) => Estimate) => {
    const most = Math.max(...own.map((each) => of(each).value));
    return most > Math.max(1.2 * of(row).value, of(row).value + 0.05);
  };
  const names = Object.keys(MEASURES) as (keyof typeof MEASURES)[];
  return names.filter((name) => isBetter(MEASURES[name])).join(", ");
}

export default defineScenario({
  name: "outage",
  title: "A Next.js page while its Redis fails",
  question:
    "How long does a page of Next.js take while the Redis of its cache fails, and how soon does it come from the cache again?",
  clients: "none",
  fixed: ["rtt", "tls"],
  // All at once, since they mostly wait: each has an application and servers of its own.
  lanes: CASES.length,
  totalS: ({ settings }) => settings.seconds + AFTER_MS / 1_000 + 10,
  defaults: { rounds: [1, 1], seconds: [12, 12] },
  missing: () => redisMissing() ?? applicationMissing(),
  cases: ({ record }) => {
    record({ engine: "redis-server", rttMs: 0, tls: false, packages: packageVersions() });
    const starts: ReturnType<typeof startArm>[] = [];
    return CASES.map((each) => ({ ...each, starts }));
  },
  label: ({ arm, kind }) => `${titleOf({ kind })}, ${arm}`,
  run: async ({ starts, kind, ...arm }, { settings, defer }) => {
    const start = startArm(arm, defer);
    starts.push(start);
    const started = await start;
    // No fault begins while another application starts.
    await Promise.all(starts);
    return measureOutage(started, { kind, ms: settings.seconds * 1_000 }, AFTER_MS);
  },
  report: (rows, { settings }) => {
    const own = rows.filter(({ gateway }) => gateway);
    const failed = own.reduce((sum, row) => sum + row.failed.total, 0);
    const better = rows
      .filter((row) => !row.gateway && gainsOf(row, own))
      .map((row) => `${titleOf(row)}, ${row.arm} (${gainsOf(row, own)})`);
    const versions = Object.entries(packageVersions()).map((each) => each.join(" "));
    return {
      terms: Object.values(FAULTS).map(([title, meaning]) => `${title}: ${meaning}.`),
      checks: [exactly("warmline serves the page to every request", failed === 0, `${failed} got none`)],
      ...tabulate(rows, { group: titleOf, charts: ["worst page s", "cached again after s"] }, [
        ["fault", titleOf],
        ["cache handler", ({ arm }) => arm],
        ["requests", ({ pagesS }) => pagesS.count],
        ["no page", ({ failed }) => failed.total],
        ["cached", ({ cached }) => cached.total],
        ["median page s", MEASURES.median],
        ["worst page s", MEASURES.worst],
        ["cached again after s", MEASURES["cached again"], 1],
        ["not again", ({ late }) => late.total],
      ]),
      notes: [
        `The page needs 100 ms for its data and may be cached for five minutes. It comes from the cache just before the fault, which lasts ${settings.seconds} s, and is requested every 500 ms until ${AFTER_MS / 1_000} s after it. A status of 500 or more, or no page within 10 s, counts as no page and as 10 s. All cases run at the same time, each with an application, a Redis and a network of its own.`,
        "Fault at Redis: between warmline's gateway and Redis. Fault at the gateway: between the application and the gateway. Without a gateway: between the application and Redis.",
        "Cached again: the time from the end of the fault until all pages come from the cache. Half-open connections have no end, so it counts from their start. Not again: the runs in which that was not so by the last request, where the time ends.",
        `Better than one of warmline's rows, by a fifth and 50 ms at least: ${better.join("; ") || "none"}.`,
        "warmline: the program of docs/integrations.md, with its timeout of 1,000 ms. Its client tries a gateway that does not respond again after 1, 2, 4 s and so on, at most 30 s, so that pages may not come from the cache for as long again as the fault lasted.",
        "Next.js' example: the client's options, the commands and the reactions to errors of examples/cache-handler-redis in vercel/next.js, which has no time limit for a command. With limits: socketTimeout and commandOptions.timeout 1,000 ms, pingInterval 250 ms and a reconnectStrategy, by the documentation of node-redis.",
        "trieb: option A of its README, with a limit of 500 ms for a read. It keeps values in memory for 10 s, from which a page may come during a fault. fortedigital: the production setup of its README, with a limit of 5,000 ms for a command. Both limits are node-redis' own, which end a command only before it is sent. fortedigital asks for Node 22, and ran on the Node named below.",
        "A black hole delivers at its end what was sent meanwhile. Over a real network it may be sent again some seconds later only.",
        `Versions: ${versions.join(", ")}.`,
      ],
    };
  },
});
