import { beforeAll, beforeEach } from "vitest";
import { type NetworkProxy, startNetworkProxy } from "warmline-testbed";
import type { Gateway } from "../../../gateway/src/index.js";
import type { Setup } from "../../integration/gateway/engines.js";
import { forTest } from "../../support/lifetime.js";

/** A gateway, and a network path to it in which a test places faults. */
export interface BreakablePath {
  readonly gateway: Gateway;
  readonly path: NetworkProxy;
}

/** Starts a gateway for the tests of a block, and a path to it for each test. */
export function useBreakablePath({ start }: Setup): BreakablePath {
  let gateway: Gateway;
  let path: NetworkProxy;
  beforeAll(async () => {
    gateway = await start();
  });
  beforeEach(async () => {
    path = forTest(
      await startNetworkProxy({ to: { host: "127.0.0.1", port: Number(new URL(gateway.url).port) } }),
    );
  });
  return {
    get gateway() {
      return gateway;
    },
    get path() {
      return path;
    },
  };
}
