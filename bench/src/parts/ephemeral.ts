import { type BenchClient, clientFunction } from "../client/bench-client.js";
import type { LoopEvent } from "../handlers/loop.js";
import { atLeast, atMost, decidedBy } from "../results/checks.js";
import { grouped, latencyColumns, ms, tabulate, withInterval } from "../results/present.js";
import { runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { difference, percentile, ratio } from "../statistics/series.js";

/** The pause between two commands in ms, as in the article. */
const DELAY_MS = 10;
/** Round-trip time in ms within a zone, unless --rtt is given. */
const ZONE_MS = 0.25;
/** Maximum that a lightweight connection adds to the 99th percentile, in ms. The article has 0.075. */
const LIGHTWEIGHT_MS = 0.5;
/** The calls of an instance: the fewest of which one lies above the 99th percentile. */
const CALLS = 100;

type Use = Pick<LoopEvent, "use" | "awaited"> & { readonly keepAlive: boolean };
const USES: readonly Use[] = [true, false].flatMap((awaited) => [
  { use: "reuse", awaited, keepAlive: true },
  { use: "ephemeral", awaited, keepAlive: false },
]);
/** The article's own code: ioredis is created, and PING and QUIT are queued at once. */
const QUEUED: Use = { use: "queued", awaited: false, keepAlive: false };
const placeOf = ({ client, rttMs }: { readonly client: BenchClient; readonly rttMs: number }) =>
  `${client.label}, ${rttMs} ms`;
const nameOf = ({ use, awaited }: Pick<Use, "use" | "awaited">) => `${use}${awaited ? "" : ", not awaited"}`;
const usesOf = ({ name }: BenchClient) => (name === "ioredis" ? [...USES, QUEUED] : USES);

export default defineScenario({
  name: "ephemeral",
  title: "One connection per command, or one for all",
  question: "How much slower is a command with a connection of its own than one on a shared connection?",
  clients: "standard,tcp",
  defaults: { rounds: [1, 1], invocations: [CALLS, 30] },
  cases: async ({ rig, clients, settings, record }) => {
    const rttMs = settings.rtts?.[0] ?? ZONE_MS;
    const own = await rig({ rttMs });
    record({ delayMs: DELAY_MS });
    return clients.flatMap((client) => usesOf(client).map((use) => ({ client, rttMs, ...use, rig: own })));
  },
  label: (each) => `${each.client.label}, ${nameOf(each)}`,
  group: placeOf,
  run: async ({ client, use, awaited, keepAlive, rig }, { settings }) => {
    const spec = clientFunction("loop", client, { keepAlive, reused: keepAlive }, rig);
    const event: LoopEvent = { use, awaited, commands: settings.invocations, delayMs: DELAY_MS };
    // The first invocation warms the function up.
    const events = [{ ...event, commands: 5, delayMs: 0 }, event];
    const { bodies } = await runInstance(client.label, spec, { timeoutMs: 120_000, events });
    return { latencies: bodies[1] as number[] };
  },
  report: (rows, { settings }) => {
    const pairs = grouped(rows, placeOf).map(([label, of]) => {
      // In the order of USES, with QUEUED behind them.
      const [one, own, issuedOne, issuedOwn, queued = issuedOwn] = of.map(({ latencies }) => latencies);
      const added = difference(queued!, issuedOne!, percentile(99));
      return { ...of[0]!, label, one: one!, own: own!, added, slower: ratio(own!, one!) };
    });
    // With fewer calls the 99th percentile is the slowest one.
    const decidable = settings.invocations < CALLS ? [] : pairs;
    return {
      checks: [
        ...decidedBy(decidable, ({ client }) => client.name === "ioredis")("serverless.lightweight", (row) =>
          atMost(
            `${row.label}: not awaited, a connection per command adds at most ${LIGHTWEIGHT_MS} ms at p99`,
            row.added,
            LIGHTWEIGHT_MS,
            {
              beside: `awaited it adds ${withInterval(difference(row.own, row.one, percentile(99)), ms)} at p99, ${withInterval(difference(row.own, row.one), ms)} at p50`,
              text: ms,
            },
          ),
        ),
        ...pairs.map(({ label, slower }) =>
          atLeast(`${label}: awaited, one connection for all is faster than one per command`, slower, 1),
        ),
      ],
      ...tabulate(rows, { group: placeOf, charts: ["p50 ms"] }, [
        ["client", ({ client }) => client.label],
        ["round trip ms", ({ rttMs }) => rttMs, 2],
        ["connection", ({ use }) => use],
        ["time until", ({ awaited }) => (awaited ? "the reply" : "the call returns")],
        ...latencyColumns("latencies", 3),
      ]),
      notes: [
        `A round trip takes 0.25 ms within a zone and 1 ms between two. Each client runs ${settings.invocations} PINGs per mode, ${DELAY_MS} ms apart, in each of ${settings.rounds} instances, after five that do not count. Ephemeral: create the client, run the command, close the client.`,
        "Awaited: the time ends with the reply (ephemeral: once the client is closed). Not awaited: the time ends when the call returns, as in the article, whose code awaits neither the command nor the connection. It measures the time to create an object and to queue a command. Queued: as in the article, PING and QUIT are queued at once; else the client is closed after the reply.",
      ],
    };
  },
});
