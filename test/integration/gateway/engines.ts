import { afterAll, describe } from "vitest";
import { getCurrentTest } from "vitest/suite";
import { startRedis } from "warmline-testbed";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import type { Engine } from "../../../gateway/src/engine/engine.js";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";

/** A gateway on one of the engines. */
export interface Setup {
  readonly name: string;
  /**
   * Starts the engine and a gateway on it. Closing the gateway ends both. {@link describeEngines} closes it after the running test,
   * or after all tests if a hook of the group has started it.
   */
  start(options?: Partial<GatewayOptions>): Promise<Gateway>;
}

/** Starts an embedded engine that the tests of a file share. It outlives the gateways that are started on it. */
export function sharedEngine(): Engine {
  const engine = sharedByTests(() => startEmbeddedEngine());
  return { description: "embedded", connect: () => engine.connect(), close: async () => {} };
}

/** Timeout of commands in ms: on a busy machine some take longer than the default allows. */
const TIMEOUT = 10_000;

/** Its tests need the tag `redis-server`. */
export const realRedis: Setup = {
  name: "a real Redis",
  async start(options) {
    const redis = await startRedis();
    const gateway = await createGateway({ redis: redis.url, port: 0, commandTimeout: TIMEOUT, ...options });
    const close = async () => {
      await gateway.close();
      await redis.stop();
    };
    return Object.create(gateway, { close: { value: close } });
  },
};

export const embeddedEngine: Setup = {
  name: "the embedded engine",
  async start(options) {
    const engine = await startEmbeddedEngine();
    return createGateway({ engine, port: 0, commandTimeout: TIMEOUT, ...options });
  },
};

function closing({ name, start }: Setup): Setup {
  const shared: Gateway[] = [];
  afterAll(async () => {
    for (const gateway of shared) await gateway.close();
  });
  return {
    name,
    async start(options) {
      const gateway = await start(options);
      if (getCurrentTest()) return forTest(gateway);
      shared.push(gateway);
      return gateway;
    },
  };
}

/** Describes a suite on each engine: the protocol must be the same on both. The name is continued by "on" and the engine. */
export function describeEngines(name: string, suite: (setup: Setup) => void): void {
  describe(`${name} on ${realRedis.name}`, { tags: "redis-server" }, () => suite(closing(realRedis)));
  describe(`${name} on ${embeddedEngine.name}`, () => suite(closing(embeddedEngine)));
}
