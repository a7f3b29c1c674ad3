import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import {
  type Certificate,
  makeCertificate,
  type NetworkProxy,
  startInstance,
  startNetworkProxy,
} from "warmline-testbed";
import { forTest } from "../../support/lifetime.js";
import { type Counting, leastTimes, rawClient, startCounting } from "./raw.js";

let certificate: Certificate;
let server: Counting;
let proxy: NetworkProxy;

beforeEach(async () => {
  certificate = makeCertificate();
  forTest({ close: () => certificate.remove() });
  server = forTest(await startCounting());
});

const start = async (rttMs = 0) => {
  proxy = forTest(await startNetworkProxy({ to: { port: server.port }, tls: certificate, rttMs }));
};
const client = () => rawClient(proxy.port, certificate.cert);

test("a first request costs three round trips, the next one", async () => {
  const rttMs = 60;
  await start(rttMs);
  const { first, next } = await leastTimes(client, (a, b) => a < 3.6 * rttMs && b < 1.6 * rttMs);
  expect(first).toBeGreaterThanOrEqual(3 * rttMs - 0.1);
  expect(first).toBeLessThan(3.6 * rttMs);
  expect(next).toBeGreaterThanOrEqual(rttMs - 0.1);
  expect(next).toBeLessThan(1.6 * rttMs);
});

test("a function instance trusts the certificate through NODE_EXTRA_CA_CERTS", async () => {
  await start();
  const handler = fileURLToPath(new URL("./handlers/fetches.mjs", import.meta.url));
  const env = { URL: proxy.url, NODE_EXTRA_CA_CERTS: certificate.caFile };
  const trusting = forTest(await startInstance({ handler, env }));
  expect((await trusting.invoke()).result).toBe("answer 1");
  const wary = forTest(await startInstance({ handler, env: { URL: proxy.url } }));
  expect((await wary.invoke()).error?.errorMessage).toContain("fetch failed");
});
