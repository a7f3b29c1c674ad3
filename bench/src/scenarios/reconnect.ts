import { findRedisServer, NO_REDIS } from "warmline-testbed";
import { atLeast, claimOf } from "../checks.js";
import { count, share, withInterval } from "../format.js";
import { barChart, latencyColumns, tableOf } from "../present.js";
import { runTransactions } from "../reconnect/run.js";
import { startTargets, WAYS, type Way } from "../reconnect/ways.js";
import { GREETING } from "../run-instance.js";
import { defineScenario } from "../scenario.js";
import { combine, mean, ratio } from "../series.js";

const USERS = [1, 16];
const usersOf = ({ users }: { users: number }) => `${users} client${users === 1 ? "" : "s"}`;
const tps = (value: number) => `${count(value)}/s`;

/** Runs the pgbench experiment with GETs instead of SELECTs: static connections, one per command, and a pool. */
export default defineScenario({
  name: "reconnect",
  title: "Reconnecting for each command, with and without a pool",
  question:
    "How much throughput does a connection per command cost, and how much of it does the gateway's pool recover?",
  clients: [],
  order: 7,
  defaults: { rounds: [5, 2], seconds: [6, 1] },
  cases: async ({ rig, defer, record }) => {
    const own = await rig({ tls: true, redis: findRedisServer() !== undefined });
    record({ users: USERS });
    await own.command("SET", "greeting", GREETING);
    const targets = await startTargets(own, defer);
    const ways = (Object.keys(WAYS) as Way[]).flatMap((way) => {
      const target = targets[way];
      return target ? [{ way, target, trust: own.trust }] : [];
    });
    return USERS.flatMap((users) => ways.map((way) => ({ ...way, users })));
  },
  label: (each) => `${usersOf(each)}, ${WAYS[each.way]}`,
  group: usersOf,
  run: ({ way, ...each }, { settings }) =>
    runTransactions({ ...each, reconnect: way.endsWith("reconnect") }, settings.seconds),
  report: (rows, { settings }) => {
    const compared = USERS.flatMap((users) => {
      const pick = (way: Way) => rows.find((row) => row.way === way && row.users === users)?.tps;
      const [fixed, anew] = [pick("static"), pick("reconnect")];
      const [pooled, beside] = [pick("gateway-reconnect"), pick("sidecar-reconnect")];
      return fixed && anew && pooled && beside ? [{ users, fixed, anew, pooled, beside }] : [];
    });
    return {
      headlines: rows
        .filter(({ users }) => users === 1)
        .map((row) => ({
          value: withInterval(row.tps.estimate(mean), tps),
          label: `${WAYS[row.way]}, 1 client`,
        })),
      checks: compared.flatMap(({ users, fixed, anew, pooled, beside }) => {
        const recovered = (pool: typeof pooled) =>
          combine([fixed, anew, pool], (all, none, some) => (some - none) / (all - none), mean);
        return [
          atLeast(
            `${usersOf({ users })}: a static connection has more throughput than one per command`,
            ratio(fixed, anew, mean),
            1,
            { article: claimOf("reconnect", "anew") },
          ),
          atLeast(
            `${usersOf({ users })}: a pool next to the database recovers over 10% of the lost throughput`,
            recovered(pooled),
            0.1,
            {
              article: claimOf("reconnect", "pool"),
              beside: `a pool next to the function recovers ${withInterval(recovered(beside), share)}`,
              text: share,
            },
          ),
        ];
      }),
      table: tableOf(rows, usersOf, [
        ["clients", ({ users }) => users],
        ["connection", ({ way }) => WAYS[way]],
        ["tps", ({ tps }) => tps.estimate(mean), 0],
        ["tps without connecting", ({ tpsExcluding }) => tpsExcluding.estimate(mean), 0],
        ...latencyColumns("latencies", 3),
        ["transactions", ({ latencies }) => latencies.count],
      ]),
      charts: [
        barChart("Transactions per second, connecting included", "/s", rows, {
          group: usersOf,
          style: ({ way }) => ({
            label: WAYS[way],
            hue: way.startsWith("gateway") ? 2 : way.startsWith("sidecar") ? 0 : 1,
            dashed: way.endsWith("reconnect"),
          }),
          value: ({ tps }) => tps.estimate(mean),
        }),
      ],
      notes: [
        `Each client runs one GET after another over a plain socket for ${settings.seconds} s in each of ${settings.rounds} rounds, after 0.2 s that do not count. The round trip takes ${settings.rttMs} ms with TLS; direct connections to Redis authenticate with user and password. With the gateway next to the function the function reaches it over loopback without TLS, and the round trip lies between gateway and Redis.`,
        "The latency is that of the command alone. Connecting includes TCP, TLS and AUTH. In the article the pool saves starting a PostgreSQL process per connection, but not the handshake.",
        ...(compared.length > 0
          ? []
          : [`Skipped: direct connections and the gateway next to the function: ${NO_REDIS}.`]),
      ],
    };
  },
});
