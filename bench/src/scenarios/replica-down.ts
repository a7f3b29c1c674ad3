import { startCluster } from "warmline-testbed";
import { atLeast, claimOf, exactly } from "../results/checks.js";
import { headline, seconds } from "../results/format.js";
import { barChart, latencyColumns, meanColumns, tableOf } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { driveOutage, type Outage } from "../sockets/outage.js";
import { openReplicaArm, replicaArms } from "../sockets/replica-arms.js";
import { mean } from "../statistics/series.js";

/** Runs at the same time, each with a cluster of its own. */
const LANES = 4;
const OUTAGE: Outage = { beforeMs: 1_500, downMs: 10_000, afterMs: 1_500, everyMs: 50 };
const QUICK_OUTAGE: Outage = { ...OUTAGE, beforeMs: 500, downMs: 2_000, afterMs: 500 };
/** The seconds of errors that count as those of the article. */
const LONG_S = 5;

/** Reads from the replicas of a cluster while one of them is down for ten seconds. */
export default defineScenario({
  name: "replica-down",
  title: "A replica that is down",
  question: "How long do reads fail if one replica of a cluster is down?",
  protocol: "http",
  fixed: ["rtt", "tls", "engine"],
  order: 8.4,
  lanes: LANES,
  defaults: { rounds: [1, 1] },
  missing: redisMissing,
  cases: async ({ clients, settings, defer, record }) => {
    const outage = settings.quick ? QUICK_OUTAGE : OUTAGE;
    const clusters = await Promise.all(
      Array.from({ length: LANES }, () => startCluster({ nodeTimeoutMs: 2_000 })),
    );
    defer(() => Promise.all(clusters.map((cluster) => cluster.stop())));
    record({ engine: "redis-server, clusters of six", rttMs: 0, tls: false, outage });
    return replicaArms(clients).map((arm) => ({ ...arm, clusters, outage }));
  },
  label: ({ arm }) => arm,
  run: async ({ clusters, outage, ...arm }, _context, _round, lane) => {
    const cluster = clusters[lane]!;
    await cluster.whenReady();
    const open = await openReplicaArm(arm, cluster);
    try {
      const get = (number: number) => open.get(`page:${number}`);
      for (let number = 0; number < 10; number++) await get(number);
      return await driveOutage(get, cluster.nodes.find(({ role }) => role === "replica")!, outage);
    } finally {
      await open.close();
    }
  },
  report: (rows, { settings }) => {
    const { downMs, everyMs } = rows[0]!.outage;
    const once = rows.find(({ retries }) => retries === false);
    const others = rows.filter((row) => row !== once);
    const proxied = rows.filter(({ retries }) => retries === undefined);
    const failedOf = ({ failed, latencies }: (typeof rows)[number]) =>
      `${failed.total} of ${failed.total + latencies.count} failed`;
    return {
      headlines: rows.map((row) =>
        headline(row.errorsS.estimate(mean), seconds, `of errors, ${row.arm}; ${failedOf(row)}`),
      ),
      checks: [
        // The article's proxy does not repeat a read; the gateway does.
        atLeast(
          `reads that are not repeated fail for over ${LONG_S} s`,
          once!.errorsS.estimate(mean),
          LONG_S,
          {
            article: claimOf("envoy", "replica"),
            detail: failedOf(once!),
            beside: others.map((row) => `${row.arm}: ${failedOf(row)}`).join("; "),
            text: seconds,
          },
        ),
        ...proxied.map((row) => exactly(`${row.arm}: no read fails`, row.failed.total === 0, failedOf(row))),
      ],
      table: tableOf(rows, () => "", [
        ["reads", ({ arm }) => arm],
        ["failed", ({ failed }) => failed.total],
        ...meanColumns({ errorsS: "s of errors" }, 1),
        ...latencyColumns("latencies"),
      ]),
      charts: [
        barChart("Time from the first failed read to the last one", "s", rows, {
          style: ({ arm, hue }) => ({ label: arm, hue }),
          value: ({ errorsS }) => errorsS.estimate(mean),
        }),
      ],
      notes: [
        `One GET every ${everyMs} ms of keys of all three shards. One of three replicas is killed, and restarted after ${downMs / 1_000} s, in each of ${settings.rounds} rounds. The gateway reads with --read-policy prefer-replica. Direct reads open a connection each.`,
      ],
    };
  },
});
