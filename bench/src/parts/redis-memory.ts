import { setTimeout as pause } from "node:timers/promises";
import { startGatewayProcess, startInstance, startRedis } from "warmline-testbed";
import { type BenchClient, commandsFunction, type Endpoint, handlerPath } from "../client/bench-client.js";
import type { RawTarget } from "../client/raw-connection.js";
import { atLeast, claimOf } from "../results/checks.js";
import { count, share } from "../results/format.js";
import { chartsOf, meanColumns, tableOf } from "../results/present.js";
import { readInfo } from "../rig/redis-info.js";
import { GREETING } from "../rig/run-instance.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { startUsers } from "../sockets/users.js";
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

/** Starts a Redis whose connections are counted and, unless it is reached directly, a gateway. */
async function startHeldRedis(direct: boolean) {
  const redis = await startRedis({ listen: "tcp" });
  await redis.command("SET", "greeting", GREETING);
  const gateway = direct ? undefined : await startGatewayProcess({ args: ["--redis", redis.url] });
  const port = redis.port!;
  const { url = "", token = "" } = gateway ?? {};
  const target: RawTarget = gateway
    ? { port: gateway.port, tls: false, auth: { protocol: "http", token } }
    : { port, tls: false, auth: { protocol: "redis" } };
  return {
    endpoint: { url, token, tcp: { port, tls: false } },
    target,
    /** Connections at Redis, without the one that asks. */
    connections: async () => (await readInfo(redis, "clients", "connected_clients")) - 1,
    memoryKb: async () => (await readInfo(redis, "memory", "used_memory")) / 1_000,
    close: async () => {
      await gateway?.stop();
      await redis.stop();
    },
  };
}

/** Starts instances of a client, each of which runs one GET. */
async function startInstances(client: BenchClient, endpoint: Endpoint) {
  const { handler, env } = commandsFunction(client, { keepAlive: true, reused: true }, endpoint);
  const start = () => startInstance({ handler: handlerPath(handler), env });
  const started = await Promise.allSettled(Array.from({ length: INSTANCES }, start));
  const instances = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const stop = async () => void (await Promise.all(instances.map((each) => each.stop())));
  const get = async (instance: (typeof instances)[number]) => {
    const { error } = await instance.invoke({});
    if (error) throw new Error(`${client.label}: ${error.errorMessage}\n${instance.output}`);
  };
  const failed = started.find((each) => each.status === "rejected");
  return { done: failed ? Promise.reject(failed.reason) : Promise.all(instances.map(get)), stop };
}

/** Measures what idle connections cost the Redis that holds them, directly and through the gateway. */
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
  run: async ({ direct, users, client }, { settings }) => {
    const redis = await startHeldRedis(direct);
    const before = await redis.memoryKb();
    const use = { targets: [redis.target], users, keep: true, gapMs: 0, seconds: 0, seed: settings.seed };
    const running = await (client ? startInstances(client, redis.endpoint) : startUsers(use));
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
      charts: chartsOf(rows, {
        style: ({ arm, hue }) => ({ label: arm, hue }),
        bars: [["Memory of Redis per idle instance", "KB", ({ kbEach }) => kbEach.estimate(mean)]],
      }),
      notes: [
        `Each instance sends one GET and keeps its connection. After ${settings.seconds} s the growth of Redis's used_memory is read. The kernel's buffers and the gateway's memory are not in it.`,
        `A simulated instance is a bare socket, in one process with the others. An instance of a client is a process of its own, ${INSTANCES} of each.`,
      ],
    };
  },
});
