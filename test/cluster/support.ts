import type { ClusterNode, RedisCluster, Resp } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../gateway/src/index.js";
import { call, type GatewayResponse } from "../integration/gateway/http.js";

export { run } from "../integration/gateway/http.js";

/** A gateway before a Redis at a URL. */
export function gatewayAt(redis: string, options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  return createGateway({ redis, port: 0, ...options });
}

/** The result of one command of a pipeline. */
export interface Item {
  readonly result?: any;
  readonly error?: string;
}

/** Sends a pipeline and returns what each command came to. */
export async function pipeline(gateway: Gateway, commands: readonly (readonly unknown[])[]): Promise<Item[]> {
  const { status, json } = await call(gateway, "/pipeline", { body: commands });
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(json)}`);
  return json;
}

/** Sends a pipeline with one command for each key. */
export function pipelineOf(
  gateway: Gateway,
  keys: readonly string[],
  commandOf: (key: string, at: number) => readonly unknown[],
): Promise<Item[]> {
  return pipeline(gateway, keys.map(commandOf));
}

/** Sends a transaction. */
export function transaction(
  gateway: Gateway,
  commands: readonly (readonly unknown[])[],
): Promise<GatewayResponse> {
  return call(gateway, "/multi-exec", { body: commands });
}

/** One key for each of the 16,384 slots, by slot. */
export function keyOfEachSlot(): string[] {
  const keys: string[] = [];
  let left = 16_384;
  for (let i = 0; left > 0; i++) {
    const key = `k${i}`;
    const slot = slotOf(key);
    if (keys[slot] !== undefined) continue;
    keys[slot] = key;
    left--;
  }
  return keys;
}

/** The slot of a key without braces, worked out bit by bit, as the cluster specification has it. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % 16_384;
}

/** Metrics of the gateway, by name. */
export async function metric(gateway: Gateway, name: string): Promise<number> {
  const { text } = await call(gateway, "/metrics");
  const found = new RegExp(`^warmline_gateway_${name.replace(/[{}"]/g, "\\$&")} (\\S+)$`, "m").exec(text);
  if (!found) throw new Error(`there is no metric ${name}`);
  return Number(found[1]);
}

/** Waits until every replica has what its primary has now. No failover may have changed their roles. */
export async function replicated({ nodes }: RedisCluster): Promise<void> {
  const withRole = (role: ClusterNode["role"]) => nodes.filter((node) => node.role === role);
  const primaries = withRole("primary");
  for (const [at, replica] of withRole("replica").entries()) {
    const offset = Number(((await primaries[at % primaries.length]!.command("ROLE")) as Resp[])[1]);
    await until(async () => Number(((await replica.command("ROLE")) as Resp[])[4]) >= offset);
  }
}

/** Makes a replica the primary while its primary is there. `onAsk` is called before each question for its role. */
export async function failOver(replica: ClusterNode, onAsk?: () => void): Promise<void> {
  // A replica gives up a manual failover after 5 s, so the command is repeated.
  let sentAt = Number.NEGATIVE_INFINITY;
  await until(async () => {
    onAsk?.();
    if (String(await replica.command("ROLE")).startsWith("master")) return true;
    if (performance.now() - sentAt > 2_000) {
      sentAt = performance.now();
      await replica.command("CLUSTER", "FAILOVER").catch(() => {});
    }
    return false;
  });
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits until something holds. @throws after `timeout` ms */
export async function until(check: () => Promise<boolean> | boolean, timeout = 30_000): Promise<void> {
  const end = performance.now() + timeout;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`it did not come about within ${timeout} ms`);
    await sleep(20);
  }
}
