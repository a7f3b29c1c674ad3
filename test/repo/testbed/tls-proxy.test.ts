import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Certificate,
  makeCertificate,
  type NetworkProxy,
  startInstance,
  startNetworkProxy,
} from "warmline-testbed";
import { type Counting, leastTimes, type RawClient, rawClient, startCounting } from "./raw.js";

let certificate: Certificate;
let server: Counting;
let proxy: NetworkProxy;
const clients: RawClient[] = [];

beforeEach(async () => {
  certificate = makeCertificate();
  server = await startCounting();
});

afterEach(async () => {
  for (const each of clients.splice(0)) each.socket.destroy();
  await proxy.close();
  await server.close();
  certificate.remove();
});

async function client(): Promise<RawClient> {
  const made = await rawClient(proxy.port, certificate.cert);
  clients.push(made);
  return made;
}

test("a first request costs three round trips, the next one", async () => {
  const rttMs = 60;
  proxy = await startNetworkProxy({ to: { port: server.port }, tls: certificate, rttMs });
  const { first, next } = await leastTimes(client, (a, b) => a < 3.6 * rttMs && b < 1.6 * rttMs);
  expect(first).toBeGreaterThanOrEqual(3 * rttMs - 0.1);
  expect(first).toBeLessThan(3.6 * rttMs);
  expect(next).toBeGreaterThanOrEqual(rttMs - 0.1);
  expect(next).toBeLessThan(1.6 * rttMs);
});

test("a function instance trusts the certificate through NODE_EXTRA_CA_CERTS", async () => {
  proxy = await startNetworkProxy({ to: { port: server.port }, tls: certificate });
  const handler = fileURLToPath(new URL("./handlers/fetches.mjs", import.meta.url));
  const trusting = await startInstance({
    handler,
    env: { URL: proxy.url, NODE_EXTRA_CA_CERTS: certificate.caFile },
  });
  expect((await trusting.invoke()).result).toBe("answer 1");
  await trusting.stop();
  const wary = await startInstance({ handler, env: { URL: proxy.url } });
  expect((await wary.invoke()).error?.errorMessage).toContain("fetch failed");
  await wary.stop();
});
