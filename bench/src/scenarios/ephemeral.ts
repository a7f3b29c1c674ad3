import { clientFunction } from "../bench-client.js";
import { atLeast, atMost, claimOf } from "../checks.js";
import { clientStyle } from "../client-style.js";
import { factor, ms, withInterval } from "../format.js";
import type { LoopEvent } from "../handlers/loop.js";
import { barChart, curveChart, grouped, latencyColumns, tableOf } from "../present.js";
import { runInstance } from "../run-instance.js";
import { defineScenario } from "../scenario.js";
import { difference, percentile, ratio, type Series } from "../series.js";

/** The pause between two commands in ms, as in the article. */
const DELAY_MS = 10;
/** Round-trip times in ms within a zone and between two zones. */
const ZONES = [0.25, 1];
/** The most that a lightweight connection adds to the 99th percentile, in ms. The article has 0.075. */
const LIGHTWEIGHT_MS = 0.5;

const USES = [
  { use: "reuse", awaited: true },
  { use: "ephemeral", awaited: true },
  { use: "reuse", awaited: false },
  { use: "ephemeral", awaited: false },
] as const;

/** Compares a connection per command with one connection for all, awaited and, as in the article's code, not. */
export default defineScenario({
  name: "ephemeral",
  title: "One connection per command, or one for all",
  question: "How much slower is a command with a connection of its own than one on a shared connection?",
  clients: ["warmline", "upstash", "agent", "ioredis", "ioredis-tuned", "node-redis"],
  distances: true,
  order: 3,
  defaults: { rounds: [5, 1], invocations: [100, 30] },
  cases: async ({ rig, clients, settings, record }) => {
    const own = await rig();
    const rtts = settings.rtts ?? ZONES;
    record({ rttMs: rtts.join(", "), delayMs: DELAY_MS });
    const sites = await Promise.all(rtts.map((rttMs) => own.at({ rttMs })));
    return rtts.flatMap((rttMs, at) =>
      clients.flatMap((client) => USES.map((use) => ({ client, rttMs, ...use, site: sites[at]!, rig: own }))),
    );
  },
  label: ({ client, use, awaited }) => `${client.label}, ${use}${awaited ? "" : ", not awaited"}`,
  group: ({ client, rttMs }) => `${client.label}, ${rttMs} ms`,
  run: async ({ client, use, awaited, site, rig }, { settings }) => {
    const reused = use === "reuse";
    const what = clientFunction("loop", client, { keepAlive: reused, reused }, site.endpoint);
    const event: LoopEvent = { use, awaited, commands: settings.invocations, delayMs: DELAY_MS };
    // The first invocation warms the function up.
    const events = [{ ...event, commands: 5, delayMs: 0 }, event];
    const options = { trust: rig.trust, timeoutMs: 120_000, events };
    const { bodies } = await runInstance(client.label, what, options);
    return { latencies: bodies[1] as number[] };
  },
  report: (rows, { settings }) => {
    const placeOf = ({ client, rttMs }: (typeof rows)[number]) => `${client.label}, ${rttMs} ms`;
    // The order of USES.
    const pairs = grouped(rows, placeOf).map(([, of]) => {
      const [one, own, queuedOne, queuedOwn] = of.map(({ latencies }) => latencies) as [
        Series,
        Series,
        Series,
        Series,
      ];
      const queued = difference(queuedOwn, queuedOne, percentile(99));
      return { ...of[0]!, one, own, queued, slower: ratio(own, one) };
    });
    return {
      headlines: pairs
        .filter(({ rttMs }) => rttMs === pairs[0]!.rttMs)
        .map((row) => ({
          value: withInterval(row.slower, factor),
          label: `as long with a connection per command, ${placeOf(row)}`,
        })),
      checks: pairs.flatMap((row) => [
        atMost(
          `${placeOf(row)}: not awaited, a connection per command adds at most ${LIGHTWEIGHT_MS} ms at p99`,
          row.queued,
          LIGHTWEIGHT_MS,
          {
            article: claimOf("serverless", "lightweight"),
            beside: `awaited it adds ${withInterval(difference(row.own, row.one, percentile(99)), ms)} at p99, ${withInterval(difference(row.own, row.one), ms)} at p50`,
            text: ms,
          },
        ),
        atLeast(
          `${placeOf(row)}: awaited, one connection for all is faster than one per command`,
          row.slower,
          1,
        ),
      ]),
      table: tableOf(rows, placeOf, [
        ["client", ({ client }) => client.label],
        ["round trip ms", ({ rttMs }) => rttMs, 2],
        ["connection", ({ use }) => use],
        ["time until", ({ awaited }) => (awaited ? "the reply" : "the call returns")],
        ...latencyColumns("latencies", 3),
      ]),
      charts: [
        curveChart("Latency by percentile", rows, {
          group: ({ use, awaited, rttMs }) => `${use}${awaited ? "" : ", not awaited"}, ${rttMs} ms`,
          style: clientStyle,
          series: ({ latencies }) => latencies,
        }),
        barChart("Time that a connection per command adds to the median, awaited", "ms", pairs, {
          group: ({ rttMs }) => `${rttMs} ms`,
          style: clientStyle,
          value: ({ own, one }) => difference(own, one),
        }),
      ],
      notes: [
        `Each client runs ${settings.invocations} PINGs per mode, ${DELAY_MS} ms apart, in each of ${settings.rounds} instances, after five that do not count. Ephemeral: create the client, run the command, close the client.`,
        "Awaited: the time ends with the reply (ephemeral: once the client is closed). Not awaited: the time ends when the call returns, as in the article, whose code awaits neither the command nor the connection. It measures the time to create an object and to queue a command.",
        "A round trip takes 0.25 ms within a zone and 1 ms between two zones.",
      ],
    };
  },
});
