import { Redis, type RedisOptions } from "warmline";
import { type NetworkProxy, startNetworkProxy } from "warmline-testbed";
import type { Gateway } from "../../../gateway/src/index.js";
import type { Setup } from "../../integration/gateway/engines.js";
import { forEachTest, sharedByTests } from "../../support/lifetime.js";

/** A gateway, and a network path to it in which a test places faults. */
export interface BreakablePath {
  readonly gateway: Gateway;
  readonly path: NetworkProxy;
  /** A client over the path. By default it sends again at once, up to five times. */
  client(options?: RedisOptions): Redis;
  /** A client of the gateway itself. */
  direct(): Redis;
}

/** Starts a gateway for the tests of a block, and a path to it for each test. */
export function useBreakablePath({ start }: Setup): BreakablePath {
  const gateway = sharedByTests(() => start());
  const path = forEachTest(() => startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));
  return {
    gateway,
    path,
    client: (options) =>
      new Redis({ url: path.url, token: gateway.token, retry: { retries: 5, backoff: () => 1 }, ...options }),
    direct: () => new Redis({ url: gateway.url, token: gateway.token }),
  };
}
