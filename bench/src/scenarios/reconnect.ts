import { randomBytes } from "node:crypto";
import { startGatewayProcess } from "warmline-testbed";
import { type BenchClient, clientFunction } from "../client/bench-client.js";
import { gatewayTarget, type RawTarget } from "../client/raw-connection.js";
import type { handler, TransactionsEvent } from "../handlers/transactions.js";
import storm from "../parts/storm.js";
import { atLeast, decidedBy, exactly } from "../results/checks.js";
import { count, latencyColumns, meanColumns, share, tabulate, withInterval } from "../results/present.js";
import { type Defer, type Rig, started } from "../rig/rig.js";
import { type Body, runInstance } from "../rig/run-instance.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { combine, mean, ratio, type Series, stddev } from "../statistics/series.js";

const USERS = [1, 16];
const usersOf = ({ users }: { users: number }) => `${users} client${users === 1 ? "" : "s"}`;
/** How long the users run before the measurement begins, in s. */
const WARM_UP_S = 0.2;

/** A way to reach Redis. One whose name ends with `reconnect` has a connection for each command. */
interface ReconnectWay {
  readonly way: string;
  readonly title: string;
  /** The address of plain sockets. Absent: a client. */
  readonly target?: RawTarget;
  readonly client?: BenchClient;
  /** The protocol of the rig's proxy that the connections pass through. Absent if they pass through no proxy. */
  readonly crosses?: BenchClient["protocol"];
}

/** Returns the ways: those of plain sockets, and each client with keep-alive on and off. */
async function startWays(rig: Rig, clients: readonly BenchClient[], defer: Defer): Promise<ReconnectWay[]> {
  const { redis, trust } = rig;
  const { url, token, tcp } = rig.endpoint;
  const arm = (way: string, title: string, target: RawTarget, crosses?: "http" | "tcp"): ReconnectWay => {
    return { way, title, target, crosses };
  };
  const gateway = { ...gatewayTarget({ port: Number(new URL(url).port), token }), tls: true };
  const [user, password] = ["bench", randomBytes(16).toString("hex")];
  await redis!.command("ACL", "SETUSER", user, "on", `>${password}`, "~*", "+@all");
  const direct: RawTarget = { ...tcp!, auth: { protocol: "redis", login: [user, password] } };
  const args = ["--redis", `rediss://${user}:${password}@127.0.0.1:${tcp!.port}`];
  const sidecar = await started(startGatewayProcess({ args, env: trust }), defer);
  const nextTo = gatewayTarget(sidecar);
  return [
    arm("static", "direct to Redis, static connection", direct, "tcp"),
    arm("reconnect", "direct to Redis, a connection per command", direct, "tcp"),
    arm("gateway-static", "gateway next to Redis, static connection", gateway, "http"),
    arm("gateway-reconnect", "gateway next to Redis, a connection per command", gateway, "http"),
    arm("sidecar-reconnect", "gateway next to the function, a connection per command", nextTo),
    ...clients.flatMap((client): ReconnectWay[] => {
      const { label, protocol: crosses } = client;
      return [
        { way: "client-static", title: `${label}, kept connections`, client, crosses },
        { way: "client-reconnect", title: `${label}, a connection per command`, client, crosses },
      ];
    }),
  ];
}

export default defineScenario({
  name: "reconnect",
  title: "Reconnecting for each command, with and without a pool",
  question: "How much throughput does a connection per command cost, and how much does a pool recover?",
  // The ways by plain sockets answer the question. Each client adds 80 s, so by default there is one of each protocol.
  clients: "warmline,ioredis",
  fixed: ["tls"],
  defaults: { rounds: [1, 2], seconds: [1.2, 1] },
  missing: redisMissing,
  parts: [storm],
  cases: async ({ rig, clients, defer, record }) => {
    const own = await rig({ tls: true, redis: true, greeting: true });
    record({ users: USERS });
    const ways = await startWays(own, clients, defer);
    return USERS.flatMap((users) =>
      ways.map((each) => ({ ...each, reconnect: each.way.endsWith("reconnect"), users, rig: own })),
    );
  },
  label: (each) => `${usersOf(each)}, ${each.title}`,
  group: usersOf,
  run: async ({ users, rig, target, client, reconnect, crosses }, { settings }) => {
    const spec = clientFunction("transactions", client, { keepAlive: !reconnect, reused: true }, rig);
    // A client without keep-alive reconnects for each command by itself.
    const load = { target, clients: users, reconnect: reconnect && !client };
    const events = [WARM_UP_S, settings.seconds].map((seconds): TransactionsEvent => ({ ...load, seconds }));
    // Counted at the proxy, if they cross it.
    const opened = () => (crosses ? rig.proxyOf({ protocol: crosses }).connectionsOpened : Number.NaN);
    let before = 0;
    const { bodies } = await runInstance(usersOf({ users }), spec, {
      ...{ events, timeoutMs: 120_000 },
      onInvoked: (call) => {
        if (call === 0) before = opened();
      },
    });
    const { latencies, elapsedMs, connectingMs } = bodies[1] as Body<typeof handler>;
    const perMs = latencies.length * 1_000;
    return {
      latencies,
      tps: perMs / elapsedMs,
      // Clients connect within their command.
      tpsExcluding: client ? Number.NaN : perMs / (elapsedMs - connectingMs / users),
      opened: opened() - before,
    };
  },
  report: (rows, { settings }) => {
    const compared = USERS.map((users) => {
      const of = (way: string) => rows.find((row) => row.way === way && row.users === users)!.tps;
      const [pooled, beside] = [of("gateway-reconnect"), of("sidecar-reconnect")];
      return { users, label: usersOf({ users }), fixed: of("static"), anew: of("reconnect"), pooled, beside };
    });
    const anew = rows.filter(({ reconnect, crosses }) => reconnect && crosses);
    const sum = (of: (row: (typeof rows)[number]) => number) => anew.reduce((all, row) => all + of(row), 0);
    // The article runs pgbench with one client.
    const decide = decidedBy(compared, ({ users }) => users === 1);
    const recovered = ({ fixed, anew }: (typeof compared)[number], pool: Series) =>
      combine([fixed, anew, pool], (all, none, some) => (some - none) / (all - none), mean);
    return {
      checks: [
        ...decide("reconnect.anew", ({ label, fixed, anew }) =>
          atLeast(
            `${label}: a static connection has more throughput than one per command`,
            ratio(fixed, anew, mean),
            1,
          ),
        ),
        ...decide("reconnect.pool", (row) =>
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
        exactly(
          "each command of a connection per command opens one, counted at the proxy",
          anew.every(({ opened, latencies }) => opened.total >= latencies.count),
          `${count(sum(({ opened }) => opened.total))} connections for ${count(sum(({ latencies }) => latencies.count))} commands`,
        ),
      ],
      ...tabulate(rows, { group: usersOf, charts: ["tps"] }, [
        ["clients", ({ users }) => users],
        ["connection", ({ title }) => title],
        ...meanColumns({ tps: "tps", tpsExcluding: "tps without connecting" }),
        ...latencyColumns("latencies", 3),
        ["stddev ms", ({ latencies }) => latencies.estimate(stddev), 3],
        ["transactions", ({ latencies }) => latencies.count],
        ["connections opened", ({ opened }) => opened.total],
      ]),
      notes: [
        "Named clients run with auto-pipelining off, one for each user. Their connections are counted at the proxy; those to a gateway next to the function do not cross it.",
        `Each user runs one GET after another, over a plain socket unless a client is named, for ${settings.seconds} s in each of ${settings.rounds} rounds, after 0.2 s that do not count. The round trip takes ${settings.rttMs} ms with TLS; direct connections to Redis authenticate with user and password. With the gateway next to the function the function reaches it over loopback without TLS, and the round trip lies between gateway and Redis.`,
        "The latency is that of the command alone. Connecting includes TCP, TLS and AUTH. In the article the pool saves starting a PostgreSQL process per connection, but not the handshake.",
      ],
    };
  },
});
