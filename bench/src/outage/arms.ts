import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { startGatewayProcess, startRedis } from "warmline-testbed";
import { built } from "../client/bench-client.js";
import { type Defer, started } from "../rig/rig.js";
import { everyMs, runAt } from "../util/schedule.js";
import { startApplication, visit } from "./application.js";
import type { NetworkFault } from "./relay.js";

/** The times in ms after which a request during the fault has failed, and after which a later one did not come from the cache. */
const [PAGE_LIMIT_MS, CACHED_LIMIT_MS] = [10_000, 3_000];
/** The time in ms between two requests. */
const EVERY_MS = 500;

/** A cache handler of the application, and where the network fails. */
export interface Arm {
  readonly arm: string;
  /** The file in `bench/outage/handlers`. */
  readonly handler: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where warmline's gateway is: before the fault or behind it. Absent: there is no gateway. */
  readonly gateway?: "before" | "behind";
}

export const ARMS: readonly Arm[] = [
  { arm: "warmline, fault at Redis", handler: "warmline", gateway: "before" },
  { arm: "warmline, fault at the gateway", handler: "warmline", gateway: "behind" },
  { arm: "Next.js' example", handler: "example" },
  { arm: "Next.js' example with limits", handler: "example", env: { CACHE_LIMITS: "1000" } },
  { arm: "trieb's turbo-redis-cache", handler: "trieb", env: { VERCEL_ENV: "production" } },
  { arm: "fortedigital's cache-handler", handler: "fortedigital" },
];

/** Starts a Redis, an application, and the network between them. The page is in the cache then. */
export async function startArm({ handler, gateway, env }: Arm, defer: Defer) {
  // trieb's handler needs these events.
  const flags = ["--notify-keyspace-events", "Exe"];
  const redis = await started(startRedis({ listen: "tcp", flags }), defer);
  const startGateway = (port: number) =>
    started(startGatewayProcess({ args: ["--redis", `redis://127.0.0.1:${port}`] }), defer);
  const behind = gateway === "behind" ? await startGateway(redis.port!) : undefined;
  const network = new Worker(built("outage/relay.js"), { workerData: behind?.port ?? redis.port });
  defer(() => network.terminate());
  const [relay] = (await once(network, "message")) as [number];
  const before = gateway === "before" ? await startGateway(relay) : undefined;
  const addresses = {
    REDIS_URL: `redis://127.0.0.1:${relay}`,
    WARMLINE_URL: `http://127.0.0.1:${before?.port ?? relay}`,
    WARMLINE_TOKEN: (before ?? behind)?.token ?? "",
  };
  return { network, port: await startApplication(handler, { ...env, ...addresses }, defer) };
}

/** What the requests saw of a fault. */
export interface Outage {
  /** Times in s to the page, or to the limit, of the requests during the fault. */
  readonly pagesS: readonly number[];
  /** The number of these requests without the page, and with one from the cache. */
  readonly failed: number;
  readonly cached: number;
  /** The time in s from the end of the fault, or from the start of one without an end, until all pages come from the cache. */
  readonly backS: number;
  /** 1 if that was not so up to the end of the measurement, else 0. */
  readonly late: number;
}

/** Requests the page during a fault and for `afterMs` after it. */
export async function measureOutage(
  { network, port }: Awaited<ReturnType<typeof startArm>>,
  fault: NetworkFault,
  afterMs: number,
): Promise<Outage> {
  const pagesS: number[] = [];
  const endMs = fault.kind === "halfOpen" ? 0 : fault.ms;
  const lastMs = fault.ms + afterMs;
  let [failed, cached, backMs] = [0, 0, endMs];
  await visit(port, PAGE_LIMIT_MS);
  network.postMessage(fault);
  await once(network, "message");
  const begunAt = performance.now();
  await runAt(everyMs(EVERY_MS, lastMs), async (from, index) => {
    // A half-open connection has no end: these are its first `ms`.
    const isDuring = index * EVERY_MS < fault.ms;
    const visited = await visit(port, isDuring ? PAGE_LIMIT_MS : CACHED_LIMIT_MS);
    const now = performance.now();
    if (!visited.cached) backMs = Math.max(backMs, now - begunAt);
    if (!isDuring) return;
    pagesS.push((visited.page ? now - from : PAGE_LIMIT_MS) / 1_000);
    if (!visited.page) failed++;
    if (visited.cached) cached++;
  });
  const backS = (Math.min(backMs, lastMs) - endMs) / 1_000;
  return { pagesS, failed, cached, backS, late: backMs < lastMs - EVERY_MS ? 0 : 1 };
}
