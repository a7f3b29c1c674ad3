import { describe } from "vitest";
import { startRedis } from "warmline-testbed";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";

/** A gateway on one of the engines. */
export interface Setup {
  readonly name: string;
  /** Starts the engine and a gateway on it; `stop` ends both. */
  start(options?: Partial<GatewayOptions>): Promise<{ gateway: Gateway; stop(): Promise<void> }>;
}

/** Timeout of commands in ms: on a busy machine some take longer than the default allows. */
const PATIENT = 10_000;

/** Its tests need the tag `redis-server`. */
export const realRedis: Setup = {
  name: "a real Redis",
  async start(options) {
    const redis = await startRedis();
    const gateway = await createGateway({ redis: redis.url, port: 0, commandTimeout: PATIENT, ...options });
    return {
      gateway,
      async stop() {
        await gateway.close();
        await redis.stop();
      },
    };
  },
};

export const embeddedEngine: Setup = {
  name: "the embedded engine",
  async start(options) {
    const engine = await startEmbeddedEngine();
    const gateway = await createGateway({ engine, port: 0, commandTimeout: PATIENT, ...options });
    return { gateway, stop: () => gateway.close() };
  },
};

/** Describes a suite on each engine: the protocol must be the same on both. The name is continued by "on" and the engine. */
export function describeEngines(name: string, suite: (setup: Setup) => void): void {
  describe(`${name} on ${realRedis.name}`, { tags: "redis-server" }, () => suite(realRedis));
  describe(`${name} on ${embeddedEngine.name}`, () => suite(embeddedEngine));
}
