import { setTimeout as pause } from "node:timers/promises";
import { type BenchClient, commandsFunction, KEPT } from "../client/bench-client.js";
import type { SparseUsersEvent } from "../handlers/sparse-users.js";
import { atLeast } from "../results/checks.js";
import { count, meanColumns, share, tabulate } from "../results/present.js";
import { readInfo } from "../rig/rig.js";
import { GREETING, startInstances, USERS } from "../rig/run-instance.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { startServer } from "../sockets/gateway.js";
import { mean, reduction } from "../statistics/series.js";

const SIMULATED = 1_000;
const INSTANCES = 10;

const SOCKETS = [
  { arm: "directly, bare sockets", direct: true, users: SIMULATED },
  { arm: "through the gateway, bare sockets", direct: false, users: SIMULATED },
];
type Arm = (typeof SOCKETS)[number] & { readonly client?: BenchClient };
const kb = (value: number) => `${count(value)} KB`;

export default defineScenario({
  name: "redis-memory",
  title: "Idle connections at Redis",
  question: "How much memory do the idle connections of many instances take at Redis?",
  clients: "candidates",
  fixed: ["rtt", "tls"],
  lanes: 5,
  defaults: { rounds: [1, 1], seconds: [6, 0.5] },
  missing: redisMissing,
  cases: ({ clients, record }): Arm[] => {
    record({ engine: "redis-server", rttMs: 0, tls: false, users: SIMULATED, instances: INSTANCES });
    const ofClients = clients.map((client): Arm => {
      const direct = client.protocol === "tcp";
      return { arm: `instances of ${client.label}`, direct, users: INSTANCES, client };
    });
    return [...SOCKETS, ...ofClients];
  },
  label: ({ arm }) => arm,
  run: async ({ arm, direct, users, client }, { settings, defer }) => {
    const { redis, target, endpoint } = await startServer(direct, defer);
    await redis.command("SET", "greeting", GREETING);
    const memoryKb = async () => (await readInfo(redis, "memory", "used_memory")) / 1_000;
    const before = await memoryKb();
    const { seed } = settings;
    const event: SparseUsersEvent = { targets: [target], users, keep: true, gapMs: 0, seconds: 0, seed };
    const spec = client ? commandsFunction(client, KEPT, { endpoint, trust: {} }) : USERS;
    const instances = client ? { count: INSTANCES } : { count: 1, event, timeoutMs: 120_000 };
    const { done } = await startInstances(arm, spec, instances, defer);
    await done;
    // Redis shrinks the buffers of a connection once it has been idle for some seconds.
    await pause(settings.seconds * 1_000);
    const grown = (await memoryKb()) - before;
    // The connection that asks is one of them.
    const connections = (await readInfo(redis, "clients", "connected_clients")) - 1;
    return { connections, memoryKb: grown, kbEach: grown / users };
  },
  report: (rows, { settings }) => {
    const [straight, pooled] = [rows[0]!, rows[1]!];
    const saved = reduction(straight.memoryKb, pooled.memoryKb);
    return {
      checks: [
        atLeast(`a pool saves over 90% of the memory of ${count(SIMULATED)} idle connections`, saved, 0.9, {
          article: "reconnect.idle",
          detail: `${kb(straight.memoryKb.estimate(mean).value)} and ${kb(pooled.memoryKb.estimate(mean).value)}`,
          text: share,
        }),
      ],
      ...tabulate(rows, { group: ({ users }) => `${users} instances`, charts: ["KB per instance"] }, [
        ["instances", ({ users }) => users],
        ["reach Redis", ({ arm }) => arm],
        ...meanColumns({ connections: "connections", memoryKb: "memory KB" }),
        ...meanColumns({ kbEach: "KB per instance" }, 2),
      ]),
      notes: [
        `Each instance sends one GET and keeps its connection. After ${settings.seconds} s the growth of Redis's used_memory is read. The kernel's buffers and the gateway's memory are not in it.`,
        `A simulated instance is a bare socket, in one process with the others. An instance of a client is a process of its own, ${INSTANCES} of each.`,
      ],
    };
  },
});
