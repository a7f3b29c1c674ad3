import { findRedisServer, NO_REDIS } from "warmline-testbed";
import { atLeast, claimOf, exactly } from "../checks.js";
import { count, share, withInterval } from "../format.js";
import { ARMS, FEW, HALF_S, heldCases, LIMIT_S, MANY } from "../held-cases.js";
import { startHeldRedis, startInstances, startUsers } from "../held-redis.js";
import { barChart, meanColumns, tableOf } from "../present.js";
import { whileSampling } from "../sampling.js";
import { defineScenario } from "../scenario.js";
import { combine, difference, mean, type Series } from "../series.js";

/** The mean pause of a user between two requests in ms. */
const GAP_MS = 3_000;
const SAMPLE_MS = 200;

/** Counts connections at Redis while the number of clients, their connections and the idle limit vary. */
export default defineScenario({
  name: "established",
  title: "Open connections at Redis",
  question: "How many connections does Redis hold, by the number of clients and by its idle limit?",
  clients: {
    words: [],
    reason: "Processes are plain sockets, so that no library decides how long connections are kept.",
  },
  order: 8.5,
  lanes: 6,
  defaults: { rounds: [5, 1], seconds: [12, 5] },
  missing: () => (findRedisServer() ? undefined : NO_REDIS),
  cases: ({ clients, record }) => {
    record({ engine: "redis-server", rttMs: 0, tls: false, idleLimitS: LIMIT_S, gapMs: GAP_MS });
    return heldCases(clients);
  },
  label: ({ arm, users }) => `${arm}, ${users} clients`,
  run: async ({ direct, keep, limitS, users, client }, { settings, random }, round) => {
    const redis = await startHeldRedis(direct, limitS);
    const { seconds } = settings;
    const seed = settings.seed + round;
    const use = { target: redis.target, users, keep, gapMs: GAP_MS, seconds, seed };
    const counts: number[] = [];
    let steadyAt = Infinity;
    const sample = async () => {
      const open = await redis.connections();
      if (performance.now() > steadyAt) counts.push(open);
    };
    const runUsers = async () => {
      const running = client
        ? await startInstances(client, redis.endpoint, use, random)
        : await startUsers(use);
      // Until then fewer connections are open than later.
      steadyAt = performance.now() + Math.min(LIMIT_S * 1_000, (seconds * 1_000) / 2);
      await running.done.finally(() => running.stop());
    };
    try {
      await whileSampling(SAMPLE_MS, sample, runUsers);
    } finally {
      await redis.close();
    }
    return { open: counts.reduce((sum, each) => sum + each, 0) / counts.length };
  },
  report: (rows, { settings }) => {
    const of = (at: number, users: number) =>
      rows.find((row) => row.arm === ARMS[at]!.arm && row.users === users)!.open;
    const [comeAndGo, kept, half, pooled] = ARMS.map((_, at) => of(at, MANY)) as [
      Series,
      Series,
      Series,
      Series,
    ];
    return {
      headlines: rows.map((row) => ({
        value: withInterval(row.open.estimate(mean), (value) => value.toFixed(1)),
        label: `connections at Redis, ${row.arm}, ${row.users} clients`,
      })),
      checks: [
        atLeast(
          "kept connections are more at the servers than one per request",
          difference(kept, comeAndGo, mean),
          1,
          {
            article: claimOf("envoy", "established"),
            beside: `through the gateway ${withInterval(pooled.estimate(mean), count)} of ${MANY} clients`,
            text: (value) => `${count(value)} more`,
          },
        ),
        atLeast(
          "half the idle limit leaves at least 10% fewer",
          combine([half, kept], (less, all) => 1 - less / all, mean),
          0.1,
          {
            article: claimOf("envoy", "idleLimit"),
            text: share,
          },
        ),
        exactly(
          "through the gateway the connections at Redis do not grow with the clients",
          pooled.max <= of(3, FEW).max,
          `${of(3, FEW).max} for ${FEW} clients, ${pooled.max} for ${MANY}`,
        ),
      ],
      table: tableOf(rows, ({ users }) => String(users), [
        ["clients", ({ users }) => users],
        ["reach Redis", ({ arm }) => arm],
        ["idle limit s", ({ limitS }) => limitS],
        ...meanColumns({ open: "open connections" }, 1),
      ]),
      charts: [
        barChart("Open connections at Redis, mean", "", rows, {
          group: ({ users }) => `${users} clients`,
          style: ({ arm, hue }) => ({ label: arm, hue }),
          value: ({ open }) => open.estimate(mean),
        }),
      ],
      notes: [
        `Each client sends a GET after random pauses of ${GAP_MS / 1_000} s on average, for ${settings.seconds} s in each of ${settings.rounds} rounds. Redis closes a connection that is idle for ${LIMIT_S} s, or ${HALF_S} s: the article's limits, 75 times shorter. How much the shorter limit saves depends on the pauses.`,
        "Connections are counted by Redis. Simulated clients are bare sockets in one process; an instance of a client, with --clients, is a process of its own, and may connect again when Redis closes its connection.",
      ],
    };
  },
});
