import { setTimeout as pause } from "node:timers/promises";
import type { BenchClient } from "../client/bench-client.js";
import { startHeldRedis, startInstances, startUsers } from "../held/held-redis.js";
import { atLeast, claimOf } from "../results/checks.js";
import { count, headline, share } from "../results/format.js";
import { barChart, meanColumns, tableOf } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { mean, reduction } from "../statistics/series.js";

/** Simulated instances, and instances of a client. */
const USERS = 1_000;
const INSTANCES = 10;

interface Arm {
  readonly arm: string;
  readonly hue: number;
  readonly direct: boolean;
  readonly users: number;
  readonly client?: BenchClient;
}
const kb = (value: number) => `${count(value)} KB`;

/** Measures what idle connections cost the Redis that holds them, directly and through the gateway. */
export default defineScenario({
  name: "redis-memory",
  title: "Idle connections at Redis",
  question: "How much memory do the idle connections of many instances take at Redis?",
  clients: "candidates",
  fixed: ["rtt", "tls", "engine"],
  lanes: 5,
  defaults: { rounds: [1, 1], seconds: [6, 0.5] },
  missing: redisMissing,
  cases: ({ clients, record }): Arm[] => {
    record({ engine: "redis-server", rttMs: 0, tls: false, users: USERS, instances: INSTANCES });
    return [
      { arm: "directly, bare sockets", hue: 1, direct: true, users: USERS },
      { arm: "through the gateway, bare sockets", hue: 0, direct: false, users: USERS },
      ...clients.map((client) => ({
        arm: `instances of ${client.label}`,
        hue: client.protocol === "tcp" ? 1 : 0,
        direct: client.protocol === "tcp",
        users: INSTANCES,
        client,
      })),
    ];
  },
  label: ({ arm }) => arm,
  run: async ({ direct, users, client }, { settings, random }) => {
    const redis = await startHeldRedis(direct);
    const before = await redis.memoryKb();
    const use = { targets: [redis.target], users, keep: true, gapMs: 0, seconds: 0, seed: settings.seed };
    const running = client
      ? await startInstances(client, redis.endpoint, use, random)
      : await startUsers(use);
    try {
      await running.done;
      // Redis shrinks the buffers of a connection once it has been idle for some seconds.
      await pause(settings.seconds * 1_000);
      const memoryKb = (await redis.memoryKb()) - before;
      return { connections: await redis.connections(), memoryKb, kbEach: memoryKb / users };
    } finally {
      await running.stop();
      await redis.close();
    }
  },
  report: (rows, { settings }) => {
    const [straight, pooled] = [rows[0]!, rows[1]!];
    const saved = reduction(straight.memoryKb, pooled.memoryKb);
    return {
      headlines: rows.map(({ memoryKb, users, arm }) =>
        headline(memoryKb.estimate(mean), kb, `of Redis for ${count(users)} idle instances, ${arm}`),
      ),
      checks: [
        atLeast(`a pool saves over 90% of the memory of ${count(USERS)} idle connections`, saved, 0.9, {
          article: claimOf("reconnect", "idle"),
          detail: `${kb(straight.memoryKb.estimate(mean).value)} and ${kb(pooled.memoryKb.estimate(mean).value)}`,
          text: share,
        }),
      ],
      table: tableOf(rows, ({ users }) => String(users), [
        ["instances", ({ users }) => users],
        ["reach Redis", ({ arm }) => arm],
        ...meanColumns({ connections: "connections", memoryKb: "memory KB" }),
        ...meanColumns({ kbEach: "KB per instance" }, 2),
      ]),
      charts: [
        barChart("Memory of Redis per idle instance", "KB", rows, {
          style: ({ arm, hue }) => ({ label: arm, hue }),
          value: ({ kbEach }) => kbEach.estimate(mean),
        }),
      ],
      notes: [
        `Each instance sends one GET and keeps its connection. After ${settings.seconds} s the growth of Redis's used_memory is read. The kernel's buffers and the gateway's memory are not in it.`,
        `A simulated instance is a bare socket, in one process with the others. An instance of a client is a process of its own, ${INSTANCES} of each.`,
      ],
    };
  },
});
