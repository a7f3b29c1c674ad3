import { describe, expect, onTestFinished, test } from "vitest";
import { type ConnectorOptions, warmlineConnector } from "warmline/ioredis";
import { startLoopback } from "warmline/node-redis";
import { createGateway } from "warmline-gateway";
import { makeAuthority } from "warmline-testbed";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { startConnectProxy } from "../../support/network/connect-proxy.js";
import { startTlsFront } from "../../support/network/tls-front.js";
import { createClient, IORedis } from "../../support/redis-clients.js";

const authority = makeAuthority();
const server = authority.issue();
const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0 }));

const startFront = async () =>
  forTest(await startTlsFront(gateway.url, { cert: server.cert, key: server.key })).url;

function connectIORedis(options: ConnectorOptions) {
  const client = new IORedis({
    Connector: warmlineConnector({ token: gateway.token, retry: false, ...options }),
    retryStrategy: () => 50,
  });
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

async function connectNodeRedis(options: ConnectorOptions) {
  const loopback = forTest(await startLoopback({ token: gateway.token, retry: false, ...options }));
  const client = createClient(loopback.options);
  client.on("error", () => {});
  onTestFinished(() => {
    if (client.isOpen) client.destroy();
  });
  return client.connect();
}

/** Sends a command and a message to a subscriber, each by clients with these options. Returns what came back. */
const exercises: Record<string, (options: ConnectorOptions) => Promise<[reply: unknown, message: string]>> = {
  ioredis: async (options) => {
    const [redis, subscriber] = [connectIORedis(options), connectIORedis(options)];
    await subscriber.subscribe("news");
    const message = new Promise<string>((resolve) => subscriber.on("message", (_, text) => resolve(text)));
    const reply = await redis.echo("over TLS");
    await redis.publish("news", "hello");
    return [reply, await message];
  },
  "node-redis": async (options) => {
    const [redis, subscriber] = await Promise.all([connectNodeRedis(options), connectNodeRedis(options)]);
    let receive = (_text: string) => {};
    const message = new Promise<string>((resolve) => {
      receive = resolve;
    });
    await subscriber.subscribe("news", (text: string) => receive(text));
    const reply = await redis.echo("over TLS");
    await redis.publish("news", "hello");
    return [reply, await message];
  },
};

describe.each(Object.entries(exercises))("under %s", (_library, exercise) => {
  const arrived = ["over TLS", "hello"];

  test("commands and subscriptions reach an https:// url through the proxy of the option proxy", async () => {
    const proxy = forTest(await startConnectProxy({ credentials: "ada:s3cret" }));
    const url = await startFront();
    expect(await exercise({ url, tls: { ca: authority.cert }, proxy: proxy.url })).toEqual(arrived);
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(url).host]));
    // At least one for commands and one for the event stream.
    expect(proxy.tunnels.length).toBeGreaterThanOrEqual(2);
  });
});
