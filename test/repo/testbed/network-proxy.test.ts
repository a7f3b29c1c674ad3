import { beforeEach, describe, expect, test } from "vitest";
import { type NetworkProxy, type NetworkProxyOptions, startNetworkProxy } from "warmline-testbed";
import { forTest } from "../../support/lifetime.js";
import { type Counting, leastTimes, pause, rawClient, startCounting } from "./raw.js";

let server: Counting;
let proxy: NetworkProxy;

async function start(options: Partial<NetworkProxyOptions> = {}): Promise<void> {
  proxy = forTest(await startNetworkProxy({ to: { port: server.port }, ...options }));
}

const client = () => rawClient(proxy.port);

beforeEach(async () => {
  server = forTest(await startCounting());
});

describe("a network proxy without behaviours", () => {
  test("a proxy passes requests and responses, and counts connections", async () => {
    await start();
    const [one, two] = [await client(), await client()];
    one.request();
    await one.until(({ text }) => text.endsWith("answer 1"));
    two.request();
    await two.until(({ text }) => text.endsWith("answer 2"));
    one.request();
    await one.until(({ text }) => text.endsWith("answer 3"));
    expect(proxy.connectionsOpened).toBe(2);
    expect(server.connections).toBe(2);
    expect(proxy.connections.map((connection) => connection.number)).toEqual([1, 2]);
    expect(proxy.bytes.fromServer).toBe(one.text.length + two.text.length);
    expect(proxy.bytes.fromClients).toBeGreaterThan(0);
    two.socket.end();
    await two.until(({ state }) => state === "ended");
    await expect.poll(() => proxy.connections.length).toBe(1);
  });

  test("a proxy passes megabytes to a slow reader completely", async () => {
    server = forTest(await startCounting(8_000_000));
    await start({ rttMs: 2 });
    const one = await client();
    one.socket.pause();
    one.request();
    await pause(100);
    one.socket.resume();
    await one.until(({ text }) => text.length > 8_000_000);
    expect(one.text.split("\r\n\r\n")[1]!.length).toBe(8_000_000);
  });
});

describe("the round-trip time", () => {
  test.each([20, 4.5])("%d ms of round trip delay a first request twice, the next once", async (rttMs) => {
    await start({ rttMs });
    const { first, next } = await leastTimes(client, (a, b) => a < 2.8 * rttMs && b < 1.6 * rttMs);
    expect(first).toBeGreaterThanOrEqual(2 * rttMs - 0.1);
    expect(first).toBeLessThan(2.8 * rttMs);
    expect(next).toBeGreaterThanOrEqual(rttMs - 0.1);
    expect(next).toBeLessThan(1.6 * rttMs);
  });

  test("a round-trip time keeps the order of bytes and of the end", async () => {
    await start({ rttMs: 10 });
    const one = await client();
    for (let n = 0; n < 5; n++) one.request(`${n}`);
    one.socket.end();
    await one.until(({ state }) => state === "ended");
    expect([...one.text.matchAll(/answer (\d)/g)].map((match) => match[1])).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
    ]);
    expect(server.applied).toBe(5);
  });
});
