import { afterAll, describe, expect } from "vitest";
import type { RedisOptions } from "warmline";
import { blackhole, makeCertificate, type NetworkProxy } from "warmline-testbed";
import { frozen, type Route, routeTests } from "./support/rig.js";

// Handshakes that are interrupted by a freeze, or never come to an end.

const certificate = makeCertificate();
afterAll(() => certificate.remove());

// The handshake takes some tenths of a second: long enough to be frozen in the middle of it.
const routeTest = routeTests({ tls: certificate, rttMs: 120 });

const start = (route: Route, client: RedisOptions = {}, env: Record<string, string> = {}) =>
  route.startFunction(client, { NODE_EXTRA_CA_CERTS: certificate.caFile, ...env });

const happenings = [
  ["nothing happens", () => {}],
  [
    "the server closes the connection",
    ({ transport }) => {
      for (const connection of transport.connections) connection.close();
    },
  ],
  ["the network drops the flow", (path) => path.blackholeAll()],
] as const satisfies readonly (readonly [string, (path: NetworkProxy) => void])[];

describe.concurrent("frozen", () => {
  routeTest.for(happenings)("a frozen pre-opening loses no command: %s", async ([, happening], { route }) => {
    const instance = await start(route);
    await frozen(instance, 1_200, () => happening(route.path));
    const done = instance.run(["INCR", route.key], ["GET", route.key]);
    await instance.thaw();
    const results = await done;
    expect(results).toMatchObject([{ value: 1 }, { value: "1" }]);
    expect(results[0]!.ms).toBeLessThan(3_000);
    expect(route.applied("INCR")).toBe(1);
  });
});

describe.concurrent("a handshake that hangs", () => {
  routeTest("a second handshake races one that hangs", async ({ route }) => {
    route.path.transport.onConnection((number) => (number === 1 ? blackhole("open") : undefined));
    const instance = await start(route, { preconnect: false });
    const [result] = await instance.run(["INCR", route.key]);
    expect(result).toMatchObject({ value: 1 });
    expect(result!.ms).toBeLessThan(3_000);
    expect(route.path.connectionsOpened).toBeGreaterThanOrEqual(2);
    expect(route.applied("INCR")).toBe(1);
  });

  routeTest("a pre-opened handshake that hangs does not delay the first command", async ({ route }) => {
    route.path.transport.onConnection((number) => (number === 1 ? blackhole("open") : undefined));
    const instance = await start(route, {}, { AWAIT_READY: "1" });
    const [result] = await instance.run(["INCR", route.key]);
    expect(result).toMatchObject({ value: 1 });
    expect(result!.ms).toBeLessThan(1_500);
    expect(route.applied("INCR")).toBe(1);
  });
});
