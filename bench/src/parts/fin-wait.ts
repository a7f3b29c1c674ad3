import { readFileSync } from "node:fs";
import { startInstance } from "warmline-testbed";
import { commandsFunction, handlerPath } from "../client/bench-client.js";
import { atLeast, claimOf, decideClaim } from "../results/checks.js";
import { seconds } from "../results/format.js";
import { chartsOf, meanColumns, tableOf } from "../results/present.js";
import { gatewayListens } from "../rig/redis-info.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { establishedAt, followClosed } from "../sockets/follow.js";
import { kernelMissing } from "../sockets/kernel.js";
import { mean } from "../statistics/series.js";

/** The server's idle limit in s. */
const LIMIT_S = 3;
/** A socket that leaves FIN_WAIT_2 earlier does not stay, in s. */
const STAYS_S = 1;
const FIN_TIMEOUT = "/proc/sys/net/ipv4/tcp_fin_timeout";

const stateOf = ({ frozen }: { readonly frozen: boolean }) => (frozen ? "frozen" : "running");

/** Lets a server close the idle connection of a frozen function, and times its socket in FIN_WAIT_2. */
export default defineScenario({
  name: "fin-wait",
  title: "The server's socket of a frozen function",
  question:
    "How long does a server's socket stay in FIN_WAIT_2 if the server closes it while the function is frozen?",
  clients: {
    words: ["warmline", "ioredis"],
    reason: "A client adds 90 s, and the kernel keeps the socket; one client of each protocol is measured.",
  },
  fixed: ["rtt", "tls"],
  lanes: 10,
  defaults: { rounds: [1, 1], seconds: [45, 3] },
  missing: () => kernelMissing() ?? redisMissing(),
  cases: ({ clients, record }) => {
    const finTimeoutS = Number(readFileSync(FIN_TIMEOUT, "utf8"));
    record({ engine: "redis-server", rttMs: 0, tls: false, idleLimitS: LIMIT_S, finTimeoutS });
    return clients.flatMap((client) => [true, false].map((frozen) => ({ client, frozen })));
  },
  label: ({ client, ...each }) => `${client.label}, ${stateOf(each)}`,
  run: async ({ client, frozen }, { settings, rig }) => {
    // A server of its own for each run, so that its port tells the runs' sockets apart.
    const gatewayArgs = ["--keep-alive-timeout", `${LIMIT_S}s`];
    const own = await rig({ rttMs: 0, tls: false, redis: true, gatewayArgs, greeting: true });
    await own.redis!.command("CONFIG", "SET", "timeout", LIMIT_S);
    const port = client.protocol === "tcp" ? own.redis!.port! : own.gateway.port;
    // The gateway's own, one of which stays open: it waits for messages.
    await gatewayListens(own.redis!);
    const others = establishedAt(port);
    const { handler, env } = commandsFunction(client, { keepAlive: true, reused: true }, own.direct);
    const instance = await startInstance({ handler: handlerPath(handler), env });
    try {
      const { error } = await instance.invoke({});
      if (error) throw new Error(`${client.label}: ${error.errorMessage}\n${instance.output}`);
      const follow = followClosed(port, settings.seconds * 1_000, others);
      const [{ closedMs, finWaitMs }] = await Promise.all([follow, frozen ? instance.freeze() : undefined]);
      return { closedS: closedMs / 1_000, finWaitS: finWaitMs / 1_000 };
    } finally {
      await instance.stop();
      await own.close();
    }
  },
  report: (rows, { settings }) => {
    const held = ({ finWaitS }: (typeof rows)[number]) => finWaitS.estimate(mean);
    const labelled = rows.map((row) => ({ ...row, label: `${row.client.label}, ${stateOf(row)}` }));
    return {
      checks: decideClaim(
        claimOf("serverless", "finWait"),
        labelled,
        ({ client, frozen }) => client.name === "ioredis" && frozen,
        (row) =>
          atLeast(
            `${row.label}: the server's socket stays in FIN_WAIT_2 for over ${STAYS_S} s`,
            held(row),
            STAYS_S,
            { text: seconds },
          ),
      ),
      table: tableOf(rows, ({ client }) => client.name, [
        ["client", ({ client }) => client.label],
        ["function", stateOf],
        ...meanColumns({ closedS: "closed after s", finWaitS: "FIN_WAIT_2 s" }, 1),
      ]),
      charts: chartsOf(rows, {
        group: stateOf,
        bars: [["The server's socket in FIN_WAIT_2", "s", held]],
      }),
      notes: [
        `The function runs one GET and is frozen, or runs on. The server closes its connection after ${LIMIT_S} s: Redis for clients over TCP, the gateway for the others. The socket is then followed in /proc/net/tcp, for ${settings.seconds} s at most.`,
        `How long a closed socket stays in FIN_WAIT_2 is a setting of the server's kernel, net.ipv4.tcp_fin_timeout. Here a frozen function is a stopped process, whose kernel acknowledges the FIN. On a platform that stops the kernel too, the socket stays in FIN_WAIT_1.`,
      ],
    };
  },
});
