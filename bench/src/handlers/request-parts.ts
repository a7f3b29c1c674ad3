import { setTimeout as sleep } from "node:timers/promises";
import { gatewayTarget } from "../client/raw-connection.js";
import { KeyReader } from "../sockets/key-reader.js";
import { pageKeys, randomFrom } from "../util/random.js";

/** What a process has kept when a web request begins; the differences between these arms are the parts of its time. */
export type Arm = "new" | "topology" | "kept" | "gatewayNew" | "gatewayKept";

export interface RequestPartsEvent {
  readonly arm: Arm;
  /** The port of a cluster's node, and the gateway in front of the cluster. */
  readonly seedPort: number;
  readonly gateway: { readonly port: number; readonly token: string };
  /** Requests, and those before them that do not count. */
  readonly requests: number;
  readonly warmUp: number;
  readonly commands: number;
  readonly pauseMs: number;
  readonly seed: number;
}

const own = process.env.BENCH_CLIENT === undefined ? undefined : await import("../client/function-client.js");

/** Runs requests one after another, as a web process does. Returns their times in ms. */
export const handler = async (event: RequestPartsEvent): Promise<{ body: readonly number[] }> => {
  const { arm, seedPort, gateway, requests, warmUp, commands, pauseMs } = event;
  const random = randomFrom(event.seed);
  const kept = own?.client.connect(own.options);
  const reader = new KeyReader(arm.startsWith("gateway") ? gatewayTarget(gateway) : { seedPort });
  const request = async (keys: readonly string[]) => {
    if (arm === "new" || arm === "gatewayNew") reader.close();
    if (arm === "new" || arm === "topology") reader.dropTopology();
    if (!kept) return reader.read(keys);
    for (const key of keys) await kept.get(key);
  };
  const latencies: number[] = [];
  for (let n = 0; n < warmUp + requests; n++) {
    const keys = pageKeys(commands, random);
    await sleep(n < warmUp ? 0 : pauseMs);
    const beganAt = performance.now();
    await request(keys);
    if (n >= warmUp) latencies.push(performance.now() - beganAt);
  }
  reader.close();
  await kept?.close();
  return { body: latencies };
};
