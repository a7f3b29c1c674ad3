import { setTimeout as pause } from "node:timers/promises";
import { type RedisCluster, startCluster } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { RawConnection } from "../client/raw-connection.js";
import { atLeast, exactly } from "../results/checks.js";
import { latencyColumns, meanColumns, seconds, tabulate } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { startGatewayTo } from "../sockets/gateway.js";
import { rangeOf, slotRanges } from "../sockets/slots.js";
import { mean } from "../statistics/series.js";
import { everyMs, runAt } from "../util/schedule.js";

/** Runs at the same time, each with a cluster of its own. */
const LANES = 6;
/** The times of the outage in ms, and of a quick run's: before, down and after; and between two reads. */
const OUTAGE = { beforeMs: 1_500, downMs: 10_000, afterMs: 1_500, everyMs: 50 };
const QUICK_OUTAGE = { ...OUTAGE, beforeMs: 500, downMs: 2_000, afterMs: 500 };
/** The seconds of errors that count as those of the article. */
const LONG_S = 5;

/** Ways of reading from the replicas of a cluster: without `retries` through a gateway. */
const ARMS = [
  { arm: "direct to the replica, no retry", retries: false },
  { arm: "direct to the replica, then to the primary", retries: true },
  { arm: "gateway, a connection per request" },
];
type Arm = (typeof ARMS)[number] & { readonly client?: BenchClient };

/** Returns a function that reads a key from a replica over a new connection, and from the primary if that fails and `retries` is set. */
async function createReplicaReader(cluster: RedisCluster, retries: boolean) {
  const ranges = slotRanges((await cluster.nodes[0]!.command("CLUSTER", "SLOTS")) as never);
  const readFrom = async (port: number, key: string) => {
    const connection = await RawConnection.open({ port, tls: false, auth: { protocol: "redis" } });
    try {
      await connection.run(["READONLY"]);
      await connection.run(["GET", key]);
    } finally {
      connection.close();
    }
  };
  return (key: string): Promise<unknown> => {
    const { port, replicas } = rangeOf(ranges, key);
    const read = readFrom(replicas[0]!, key);
    return retries ? read.catch(() => readFrom(port, key)) : read;
  };
}

export default defineScenario({
  name: "replica-down",
  title: "A replica that is down",
  question: "How long do reads fail if one replica of a cluster is down?",
  protocol: "http",
  fixed: ["rtt", "tls"],
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
    const ofClients = clients.map((client): Arm => ({ arm: `gateway, ${client.label}`, client }));
    return [...(ARMS as Arm[]), ...ofClients].map((arm) => ({ ...arm, clusters, outage }));
  },
  label: ({ arm }) => arm,
  run: async ({ clusters, outage, retries, client }, { defer }, _round, lane) => {
    const cluster = clusters[lane]!;
    await cluster.whenReady();
    const startGateway = async () => {
      const { request } = await startGatewayTo(cluster, client, defer, "--read-policy", "prefer-replica");
      return (key: string) => request([key]);
    };
    const get = await (retries === undefined ? startGateway() : createReplicaReader(cluster, retries));
    const { beforeMs, downMs, afterMs } = outage;
    const replica = cluster.nodes.find(({ role }) => role === "replica")!;
    const latencies: number[] = [];
    const failures: number[] = [];
    const read = async (from: number, number: number) => {
      try {
        await get(`page:${number}`);
        latencies.push(performance.now() - from);
      } catch {
        failures.push(performance.now());
      }
    };
    const putDown = async () => {
      await pause(beforeMs);
      await replica.kill();
      await pause(downMs);
      await replica.restart();
    };
    for (let number = 0; number < 10; number++) await get(`page:${number}`);
    await Promise.all([runAt(everyMs(outage.everyMs, beforeMs + downMs + afterMs), read), putDown()]);
    const errorsMs = failures.length === 0 ? 0 : Math.max(...failures) - Math.min(...failures);
    return { latencies, failed: failures.length, errorsS: errorsMs / 1_000 };
  },
  report: (rows, { settings }) => {
    const { downMs, everyMs: gapMs } = rows[0]!.outage;
    const once = rows.find(({ retries }) => retries === false);
    const others = rows.filter((row) => row !== once);
    const proxied = rows.filter(({ retries }) => retries === undefined);
    const failedOf = ({ failed, latencies }: (typeof rows)[number]) =>
      `${failed.total} of ${failed.total + latencies.count} failed`;
    return {
      checks: [
        // The article's proxy does not repeat a read; the gateway does.
        atLeast(
          `reads that are not repeated fail for over ${LONG_S} s`,
          once!.errorsS.estimate(mean),
          LONG_S,
          {
            article: "envoy.replica",
            detail: failedOf(once!),
            beside: others.map((row) => `${row.arm}: ${failedOf(row)}`).join("; "),
            text: seconds,
          },
        ),
        ...proxied.map((row) => exactly(`${row.arm}: no read fails`, row.failed.total === 0, failedOf(row))),
      ],
      ...tabulate(rows, { group: () => "", charts: ["s of errors"] }, [
        ["reads", ({ arm }) => arm],
        ["failed", ({ failed }) => failed.total],
        ...meanColumns({ errorsS: "s of errors" }, 1),
        ...latencyColumns("latencies"),
      ]),
      notes: [
        `One GET every ${gapMs} ms of keys of all three shards. One of three replicas is killed, and restarted after ${downMs / 1_000} s, in each of ${settings.rounds} rounds. The gateway reads with --read-policy prefer-replica. Direct reads open a connection each.`,
      ],
    };
  },
});
