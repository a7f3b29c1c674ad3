import { startCluster } from "warmline-testbed";
import { atLeast, exactly } from "../results/checks.js";
import { count, headline, ms, share, withInterval } from "../results/format.js";
import { barChart, latencyColumns, lineChart, meanColumns, tableOf } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { driveRequests } from "../sockets/drive.js";
import { kernelMissing, kernelSockets, SocketCounter, SocketPeaks } from "../sockets/kernel.js";
import { openWay, type Way, waysOf } from "../sockets/ways.js";
import { difference, mean, reduction } from "../statistics/series.js";
import { pageKeys } from "../util/random.js";

const REQUESTS_PER_S = 50;
const COMMANDS = 10;

const style = ({ way, hue }: Way) => ({ label: way, hue });

/** Sends web requests at a fixed rate, each with some commands for a six-node cluster, and counts the kernel's sockets. */
export default defineScenario({
  name: "sockets",
  title: "Sockets in TIME_WAIT",
  question:
    "How many sockets are in TIME_WAIT if each request connects to a cluster directly, and how many through the gateway?",
  clients: { words: ["warmline"], reason: "A client adds a minute, and decides no claim." },
  protocol: "http",
  fixed: ["rtt", "tls", "engine"],
  order: 8,
  defaults: { rounds: [5, 1], seconds: [12, 5] },
  missing: () => kernelMissing() ?? redisMissing(),
  cases: async ({ clients, defer, record }) => {
    const cluster = await startCluster();
    defer(() => cluster.stop());
    record({ engine: "redis-server, a cluster of six", rttMs: 0, tls: false, commandsPerRequest: COMMANDS });
    return waysOf(clients).map((way) => ({ ...way, cluster }));
  },
  label: ({ way }) => way,
  run: async ({ cluster, ...way }, { settings, random }) => {
    // Before the gateway connects to the cluster: what it keeps open there counts.
    const before = kernelSockets();
    const counter = new SocketPeaks(
      new SocketCounter(new Set(cluster.nodes.map(({ port }) => port)), before),
      new SocketCounter(new Set(), before),
    );
    const { gateway, request, close } = await openWay(cluster, way);
    if (gateway) counter.gateway.ports.add(gateway.port);
    const page = () => request(pageKeys(COMMANDS, random));
    try {
      const driven = await driveRequests(page, REQUESTS_PER_S, settings.seconds, counter);
      return { ...driven, atGateway: counter.establishedAtGateway };
    } finally {
      await close();
    }
  },
  report: (rows, { settings }) => {
    const [straight, anew, kept] = [rows[0]!, rows[1]!, rows.slice(2)];
    const fall = ({ timeWait }: (typeof rows)[number]) => reduction(straight.timeWait, timeWait);
    const slower = (row: (typeof rows)[number]) =>
      `a request takes ${withInterval(difference(row.latencies, straight.latencies, mean), ms)} longer`;
    return {
      headlines: rows.map(({ timeWait, way, latencies }) => {
        const perRequest = `${ms(latencies.estimate(mean).value)} per request`;
        return headline(timeWait.estimate(mean), count, `sockets in TIME_WAIT, ${way}; ${perRequest}`);
      }),
      checks: [
        ...kept.map((row) =>
          atLeast(`sockets in TIME_WAIT fall by over 90%: ${row.way}`, fall(row), 0.9, {
            detail: slower(row),
            beside: `${anew.way}: ${withInterval(fall(anew), share)}, ${slower(anew)}`,
            text: share,
          }),
        ),
        exactly(
          "no request fails",
          rows.every(({ failed }) => failed.total === 0),
          rows
            .map(({ failed, latencies }) => `${failed.total} of ${failed.total + latencies.count}`)
            .join(", "),
        ),
      ],
      table: tableOf(rows, ({ way }) => way, [
        ["connection", ({ way }) => way],
        ["requests", ({ latencies }) => latencies.count],
        ["failed", ({ failed }) => failed.total],
        ...meanColumns({
          timeWait: "TIME_WAIT",
          established: "ESTABLISHED at Redis",
          atGateway: "ESTABLISHED at the gateway",
        }),
        ...latencyColumns("latencies"),
      ]),
      charts: [
        lineChart("Sockets in TIME_WAIT over time, both sides, first round", "sockets", "s", rows, {
          style,
          points: ({ samples }) =>
            samples[0]!.map(
              ({ atS, clientTimeWait, serverTimeWait }) => [atS, clientTimeWait + serverTimeWait] as const,
            ),
        }),
        barChart("Mean time of a request", "ms", rows, {
          style,
          value: ({ latencies }) => latencies.estimate(mean),
        }),
      ],
      notes: [
        `${REQUESTS_PER_S} requests per second for ${settings.seconds} s in each of ${settings.rounds} rounds, each with ${COMMANDS} GETs one after another, against a cluster of three primaries and three replicas on loopback. Latencies count from the time at which a request is due. Sockets are counted in /proc/net/tcp, those of earlier runs excluded.`,
        "With the gateway the connections on both of its sides are counted: from clients to the gateway and from the gateway to the cluster. With a connection per request the reduction is 1 - 1/n for n nodes per request, three here. The scenario time-wait has as many nodes as the article, and decides its claim.",
        "On Linux a socket stays in TIME_WAIT for 60 s at the side that closed first, so the count grows during the first 60 s.",
      ],
    };
  },
});
