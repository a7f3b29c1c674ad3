import { startGatewayProcess, startInstance, startRedis } from "warmline-testbed";
import { type BenchClient, commandsFunction, type Endpoint, handlerPath } from "../client/bench-client.js";
import type { RawTarget } from "../client/raw-connection.js";
import type { SparseUsersEvent } from "../handlers/sparse-users.js";
import { readInfo } from "../rig/redis-info.js";
import { GREETING } from "../rig/run-instance.js";

/** Starts a Redis whose connections are counted and, unless it is reached directly, a gateway. */
export async function startHeldRedis(direct: boolean) {
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

/** Users that run: simulated ones in one process, or instances of a client. */
export interface RunningUsers {
  /** Resolves once all users have sent their requests. */
  readonly done: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts simulated users, each with one connection, in a process of their own. */
export async function startUsers(event: SparseUsersEvent): Promise<RunningUsers> {
  const handler = handlerPath("sparse-users");
  const instance = await startInstance({ handler, timeoutMs: 120_000 });
  const done = instance.invoke(event).then(({ error }) => {
    if (error) throw new Error(`The users failed: ${error.errorMessage}\n${instance.output}`);
  });
  return { done, stop: () => instance.stop() };
}

/** Starts instances of a client, each of which runs GETs with random pauses until the time is over; or one GET. */
export async function startInstances(
  client: BenchClient,
  endpoint: Endpoint,
  { users, keep, gapMs, seconds }: Omit<SparseUsersEvent, "targets" | "seed">,
  random: () => number,
): Promise<RunningUsers> {
  const { handler, env } = commandsFunction(client, { keepAlive: keep, reused: true }, endpoint);
  const start = () => startInstance({ handler: handlerPath(handler), env });
  const started = await Promise.allSettled(Array.from({ length: users }, start));
  const instances = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const stop = async () => void (await Promise.all(instances.map((each) => each.stop())));
  const failed = started.find((each) => each.status === "rejected");
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const end = performance.now() + seconds * 1_000;
  const use = async (instance: (typeof instances)[number]) => {
    for (
      let wait = 0;
      gapMs === 0 || performance.now() + wait < end;
      wait = -Math.log(1 - random()) * gapMs
    ) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const { error } = await instance.invoke({});
      if (error) throw new Error(`${client.label}: ${error.errorMessage}\n${instance.output}`);
      if (gapMs === 0) return;
    }
  };
  const done = Promise.all(instances.map(use));
  return { done, stop };
}
