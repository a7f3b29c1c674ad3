import { findRedisServer, NO_REDIS } from "warmline-testbed";
import { runTransactions } from "../reconnect/run.js";
import { type ReconnectWay, startWays } from "../reconnect/ways.js";
import { atLeast, claimOf, decideClaim, exactly } from "../results/checks.js";
import { count, share, withInterval } from "../results/format.js";
import { chartsOf, latencyColumns, meanColumns, tableOf } from "../results/present.js";
import type { Check, Claim } from "../results/result.js";
import { defineScenario } from "../scenario.js";
import { combine, mean, ratio, type Series, stddev } from "../statistics/series.js";

const USERS = [1, 16];
const usersOf = ({ users }: { users: number }) => `${users} client${users === 1 ? "" : "s"}`;
const HUES: Readonly<Record<string, number>> = { gateway: 2, sidecar: 0, client: 4 };
const _tps = (value: number) => `${count(value)}/s`;

/** Runs the pgbench experiment with GETs instead of SELECTs: static connections, one per command, and a pool. */
export default defineScenario({
  name: "reconnect",
  title: "Reconnecting for each command, with and without a pool",
  question:
    "How much throughput does a connection per command cost, and how much of it does the gateway's pool recover?",
  clients: {
    words: ["warmline", "ioredis"],
    reason:
      "A client adds 80 s, and the ways are those of plain sockets; one client of each protocol is beside them.",
  },
  fixed: ["tls"],
  order: 7,
  defaults: { rounds: [1, 2], seconds: [2, 1] },
  cases: async ({ rig, clients, defer, record }) => {
    const own = await rig({ tls: true, redis: findRedisServer() !== undefined, greeting: true });
    record({ users: USERS });
    const ways = await startWays(own, clients, defer);
    return USERS.flatMap((users) => ways.map((way) => ({ ...way, users, rig: own })));
  },
  label: (each) => `${usersOf(each)}, ${each.title}`,
  group: usersOf,
  run: ({ users, rig, ...way }, { settings }) => runTransactions(way, users, rig, settings.seconds),
  report: (rows, { settings }) => {
    const compared = USERS.flatMap((users) => {
      const pick = (way: ReconnectWay["way"]) =>
        rows.find((row) => row.way === way && row.users === users)?.tps;
      const [fixed, anew] = [pick("static"), pick("reconnect")];
      const [pooled, beside] = [pick("gateway-reconnect"), pick("sidecar-reconnect")];
      return fixed && anew && pooled && beside
        ? [{ users, label: usersOf({ users }), fixed, anew, pooled, beside }]
        : [];
    });
    const anew = rows.filter(({ reconnect, crosses }) => reconnect && crosses);
    const sum = (of: (row: (typeof rows)[number]) => number) => anew.reduce((all, row) => all + of(row), 0);
    const perCommand = exactly(
      "each command of a connection per command opens one, counted at the proxy",
      anew.every(({ opened, latencies }) => opened.total >= latencies.count),
      `${count(sum(({ opened }) => opened.total))} connections for ${count(sum(({ latencies }) => latencies.count))} commands`,
    );
    // The article runs pgbench with one client.
    const decide = (claim: Claim, check: (row: (typeof compared)[number]) => Check) =>
      decideClaim(claim, compared, ({ users }) => users === 1, check);
    const recovered = ({ fixed, anew }: (typeof compared)[number], pool: Series) =>
      combine([fixed, anew, pool], (all, none, some) => (some - none) / (all - none), mean);
    const ofWays = [
      ...decide(claimOf("reconnect", "anew"), ({ label, fixed, anew }) =>
        atLeast(
          `${label}: a static connection has more throughput than one per command`,
          ratio(fixed, anew, mean),
          1,
        ),
      ),
      ...decide(claimOf("reconnect", "pool"), (row) =>
        atLeast(
          `${row.label}: a pool next to the database recovers a part of the lost throughput`,
          recovered(row, row.pooled),
          0,
          {
            beside: `a pool next to the function recovers ${withInterval(recovered(row, row.beside), share)}`,
            text: share,
          },
        ),
      ),
    ];
    return {
      checks: [...ofWays, perCommand],
      table: tableOf(rows, usersOf, [
        ["clients", ({ users }) => users],
        ["connection", ({ title }) => title],
        ...meanColumns({ tps: "tps", tpsExcluding: "tps without connecting" }),
        ...latencyColumns("latencies", 3),
        ["stddev ms", ({ latencies }) => latencies.estimate(stddev), 3],
        ["transactions", ({ latencies }) => latencies.count],
        ["connections opened", ({ opened }) => opened.total],
      ]),
      charts: chartsOf(rows, {
        group: usersOf,
        style: ({ way, title }) => ({ label: title, hue: HUES[way.split("-")[0]!] ?? 1 }),
        bars: [["Transactions per second, connecting included", "/s", ({ tps }) => tps.estimate(mean)]],
      }),
      notes: [
        "Named clients run with auto-pipelining off, one for each user. Their connections are counted at the proxy; those to a gateway next to the function do not cross it.",
        `Each user runs one GET after another, over a plain socket unless a client is named, for ${settings.seconds} s in each of ${settings.rounds} rounds, after 0.2 s that do not count. The round trip takes ${settings.rttMs} ms with TLS; direct connections to Redis authenticate with user and password. With the gateway next to the function the function reaches it over loopback without TLS, and the round trip lies between gateway and Redis.`,
        "The latency is that of the command alone. Connecting includes TCP, TLS and AUTH. In the article the pool saves starting a PostgreSQL process per connection, but not the handshake.",
        ...(compared.length > 0
          ? []
          : [`Skipped: direct connections and the gateway next to the function: ${NO_REDIS}.`]),
      ],
    };
  },
});
