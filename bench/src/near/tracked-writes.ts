import { setTimeout as pause } from "node:timers/promises";
import { connectRedis, type RedisServer, startGatewayProcess, startRedis } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { readInfo } from "../rig/redis-info.js";

/** Writes in flight. Bare connections have one each. */
export const IN_FLIGHT = 50;
export const KEYS = 1_000;
const TRACK_TIMEOUT_MS = 10_000;

/** Writes of a client or of bare connections, and the gateways that track keys with a prefix. */
export interface TrackedWrites {
  readonly gateways: number;
  readonly prefix: string;
  /** The client that writes, over HTTP through the first gateway. Absent: bare connections to Redis. */
  readonly client?: BenchClient;
}

interface Writer {
  set(key: string, value: string): Promise<unknown>;
  close(): unknown;
}

/** Measures the CPU time of Redis per SET in us, over a time in s. */
export async function measureTrackedWrites({ gateways, prefix, client }: TrackedWrites, seconds: number) {
  const redis = await startRedis({ listen: "tcp" });
  const args = ["--redis", redis.url, "--near-prefix", prefix];
  const running = await Promise.all(Array.from({ length: gateways }, () => startGatewayProcess({ args })));
  const writers = await startWriters(redis, running[0], client);
  try {
    await allTrack(redis, gateways);
    await write(writers, seconds / 4);
    const before = await cpuOf(redis);
    const writes = await write(writers, seconds);
    return { usPerSet: (((await cpuOf(redis)) - before) * 1e6) / writes, writes };
  } finally {
    for (const writer of new Set(writers)) await writer.close();
    for (const gateway of running) await gateway.stop();
    await redis.stop();
  }
}

/** Waits until all gateways track keys: they connect for it after they are ready. */
async function allTrack(redis: RedisServer, gateways: number): Promise<void> {
  const end = performance.now() + TRACK_TIMEOUT_MS;
  for (;;) {
    const tracking = await readInfo(redis, "clients", "tracking_clients");
    if (tracking === gateways) return;
    if (performance.now() > end) throw new Error(`${tracking} of ${gateways} gateways track keys`);
    await pause(20);
  }
}

async function startWriters(
  { port }: RedisServer,
  gateway: { readonly url: string; readonly token: string } | undefined,
  client: BenchClient | undefined,
): Promise<readonly Writer[]> {
  if (client) {
    const { url = "", token = "" } = gateway ?? {};
    const writer = client.connect({ url, token, tcp: { port: port!, tls: false }, keepAlive: true });
    return Array.from({ length: IN_FLIGHT }, () => writer);
  }
  const bare = async (): Promise<Writer> => {
    const connection = await connectRedis({ port: port! });
    return { set: (key, value) => connection.command("SET", key, value), close: () => connection.close() };
  };
  return Promise.all(Array.from({ length: IN_FLIGHT }, bare));
}

/** Returns the CPU time of Redis in s. */
async function cpuOf(redis: RedisServer): Promise<number> {
  return (await readInfo(redis, "cpu", "used_cpu_user")) + (await readInfo(redis, "cpu", "used_cpu_sys"));
}

/** Writes for a time in s. Returns the number of writes. */
async function write(writers: readonly Writer[], seconds: number): Promise<number> {
  let writes = 0;
  const end = performance.now() + seconds * 1_000;
  const run = async (writer: Writer) => {
    while (performance.now() < end) await writer.set(`near:${writes++ % KEYS}`, "value");
  };
  await Promise.all(writers.map(run));
  return writes;
}
