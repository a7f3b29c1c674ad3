import { readFileSync } from "node:fs";
import { startInstance } from "warmline-testbed";
import { commandsFunction, KEPT } from "../client/bench-client.js";
import type { CommandsEvent } from "../handlers/commands.js";
import { atLeast, decidedBy } from "../results/checks.js";
import { meanColumns, seconds, tabulate } from "../results/present.js";
import { started } from "../rig/rig.js";
import { bodyOf } from "../rig/run-instance.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { followClosed, peersAt } from "../sockets/follow.js";
import { startServer } from "../sockets/gateway.js";
import { kernelMissing } from "../sockets/kernel.js";
import { mean } from "../statistics/series.js";

/** The server's idle limit in s. */
const LIMIT_S = 3;
/** A socket stays in FIN_WAIT_2 if it is there for longer than this, in s. */
const STAYS_S = 1;
const FIN_TIMEOUT = "/proc/sys/net/ipv4/tcp_fin_timeout";

/** How long a socket is followed, in s: a running function may close its side up to three seconds later on a busy machine. */
const followedS = ({ seconds }: { readonly seconds: number }) => Math.max(3, seconds);
/** A timeout in ms that no invocation reaches, not even that of a stopped function. */
const NEVER_MS = 600_000;

const stateOf = ({ frozen }: { readonly frozen: boolean }) => (frozen ? "frozen" : "running");

export default defineScenario({
  name: "fin-wait",
  title: "The server's socket of a frozen function",
  question: "How long does the server's socket of a frozen function stay in FIN_WAIT_2?",
  // One client of each protocol: it is the kernel that keeps the socket, and each client adds 90 s.
  clients: "warmline,ioredis",
  fixed: ["rtt", "tls"],
  // Each has a server and an instance, which wait most of the time.
  lanes: 4,
  defaults: { rounds: [1, 1], seconds: [35, 3] },
  missing: () => kernelMissing() ?? redisMissing(),
  cases: ({ clients, record }) => {
    const finTimeoutS = Number(readFileSync(FIN_TIMEOUT, "utf8"));
    record({ engine: "redis-server", rttMs: 0, tls: false, idleLimitS: LIMIT_S, finTimeoutS });
    return clients.flatMap((client) => [true, false].map((frozen) => ({ client, frozen })));
  },
  label: ({ client, ...each }) => `${client.label}, ${stateOf(each)}`,
  run: async ({ client, frozen }, { settings, defer }) => {
    // A server of its own for each run, so that its port tells the runs' sockets apart.
    const direct = client.protocol === "tcp";
    const flags = direct ? ["--timeout", String(LIMIT_S)] : ["--keep-alive-timeout", `${LIMIT_S}s`];
    const { target, endpoint } = await startServer(direct, defer, ...flags);
    const { port } = target;
    const spec = commandsFunction(client, KEPT, { endpoint, trust: {} });
    // Before the instance starts, since some clients connect in its init phase.
    const others = peersAt(port);
    const instance = await started(startInstance({ ...spec, timeoutMs: NEVER_MS }), defer);
    // The function stops itself right after its command: on a busy machine this process might do so too late.
    const event: CommandsEvent = { stops: frozen };
    const follow = followClosed(port, followedS(settings) * 1_000, others);
    const invoked = instance.invoke(event).then((invocation) => {
      bodyOf(invocation, client.label, instance);
      return follow;
    });
    // A stopped function never returns, so only a failed invocation ends the wait early.
    const { closedMs, finWaitMs } = await Promise.race([follow, invoked]);
    return { closedS: closedMs / 1_000, finWaitS: finWaitMs / 1_000 };
  },
  report: (rows, { settings }) => {
    const held = ({ finWaitS }: (typeof rows)[number]) => finWaitS.estimate(mean);
    const labelled = rows.map((row) => ({ ...row, label: `${row.client.label}, ${stateOf(row)}` }));
    const decide = decidedBy(labelled, ({ client, frozen }) => client.name === "ioredis" && frozen);
    return {
      checks: decide("serverless.finWait", (row) =>
        atLeast(
          `${row.label}: the server's socket stays in FIN_WAIT_2 for over ${STAYS_S} s`,
          held(row),
          STAYS_S,
          // The socket is not followed for longer.
          { text: (value) => `${value >= followedS(settings) ? "at least " : ""}${seconds(value)}` },
        ),
      ),
      ...tabulate(rows, { group: ({ client }) => client.name, charts: ["FIN_WAIT_2 s"] }, [
        ["client", ({ client }) => client.label],
        ["function", stateOf],
        ...meanColumns({ closedS: "closed after s", finWaitS: "FIN_WAIT_2 s" }, 1),
      ]),
      notes: [
        `The function runs one GET, and its process is stopped or runs on. The server closes its connection after ${LIMIT_S} s: Redis for clients over TCP, the gateway for the others. The socket is then followed in /proc/net/tcp, for ${followedS(settings)} s at most.`,
        `How long a closed socket stays in FIN_WAIT_2 is a setting of the server's kernel, net.ipv4.tcp_fin_timeout. Here a frozen function is a stopped process, whose kernel acknowledges the FIN. On a platform that stops the kernel too, the socket stays in FIN_WAIT_1.`,
      ],
    };
  },
});
