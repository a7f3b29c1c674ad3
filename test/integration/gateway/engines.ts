import { NO_REDIS, redisAvailable, startRedis } from "warmline-testbed";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";

/** A gateway on one of the engines. */
export interface Setup {
  readonly name: string;
  /** Whether this engine can be had here. */
  readonly available: boolean;
  /** Starts the engine and a gateway on it; `stop` ends both. */
  start(options?: Partial<GatewayOptions>): Promise<{ gateway: Gateway; stop(): Promise<void> }>;
}

/** The engines that the protocol must be the same on. */
export const setups: readonly Setup[] = [
  {
    name: redisAvailable() ? "a real Redis" : `a real Redis (${NO_REDIS})`,
    available: redisAvailable(),
    async start(options) {
      const redis = await startRedis();
      const gateway = await createGateway({ redis: redis.url, port: 0, ...options });
      return {
        gateway,
        async stop() {
          await gateway.close();
          await redis.stop();
        },
      };
    },
  },
  {
    name: "the embedded engine",
    available: true,
    async start(options) {
      const gateway = await createGateway({ engine: await startEmbeddedEngine(), port: 0, ...options });
      return { gateway, stop: () => gateway.close() };
    },
  },
];
