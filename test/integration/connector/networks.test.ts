import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type ConnectorOptions, warmlineConnector } from "warmline/ioredis";
import { startLoopback } from "warmline/node-redis";
import { createGateway, type Gateway } from "warmline-gateway";
import { type Authority, type Certificate, makeAuthority } from "warmline-testbed";
import { type ConnectProxyOptions, startConnectProxy } from "../../support/network/connect-proxy.js";
import { startTlsFront } from "../../support/network/tls-front.js";
import { createClient, IORedis } from "../../support/redis-clients.js";

let gateway: Gateway;
let authority: Authority;
let server: Certificate;
beforeAll(async () => {
  gateway = await createGateway({ engine: "embedded", port: 0 });
  authority = makeAuthority();
  server = authority.issue();
});
afterAll(() => gateway.close());

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  for (const close of closing.splice(0).reverse()) await close();
});

async function startFront(options = {}): Promise<string> {
  const front = await startTlsFront(gateway.url, { cert: server.cert, key: server.key, ...options });
  closing.push(() => front.close());
  return front.url;
}

async function startProxy(options?: ConnectProxyOptions) {
  const proxy = await startConnectProxy(options);
  closing.push(() => proxy.close());
  return proxy;
}

function connectIORedis(options: ConnectorOptions) {
  const client = new IORedis({
    Connector: warmlineConnector({ token: gateway.token, retry: false, ...options }),
    retryStrategy: () => 50,
  });
  client.on("error", () => {});
  closing.push(() => client.disconnect());
  return client;
}

async function connectNodeRedis(options: ConnectorOptions) {
  const loopback = await startLoopback({ token: gateway.token, retry: false, ...options });
  closing.push(() => loopback.close());
  const client = createClient(loopback.options);
  client.on("error", () => {});
  closing.push(() => client.isOpen && client.destroy());
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

  test("commands and subscriptions work with a private authority by tls.ca", async () => {
    expect(await exercise({ url: await startFront(), tls: { ca: authority.cert } })).toEqual(arrived);
  });

  test("commands and subscriptions work with mutual TLS by tls.cert and tls.key", async () => {
    const url = await startFront({ requestCert: true, ca: authority.cert });
    const { cert, key } = authority.issue();
    expect(await exercise({ url, tls: { ca: authority.cert, cert, key } })).toEqual(arrived);
  });

  test("commands and subscriptions reach an https:// url through the proxy of the option proxy", async () => {
    const proxy = await startProxy({ credentials: "ada:s3cret" });
    const url = await startFront();
    expect(await exercise({ url, tls: { ca: authority.cert }, proxy: proxy.url })).toEqual(arrived);
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(url).host]));
    // At least one for commands and one for the event stream.
    expect(proxy.tunnels.length).toBeGreaterThanOrEqual(2);
  });
});

describe("the environment's proxy", () => {
  // Loopback names never use it: the proxy would resolve this one, which is nowhere else.
  const url = "https://redis.invalid";

  test("HTTPS_PROXY is used under ioredis, unless NO_PROXY names the host or proxy is false", async () => {
    const proxy = await startProxy({ credentials: "ada:s3cret" });
    vi.stubEnv("HTTPS_PROXY", proxy.url.replace("s3cret", "wrong"));
    const failure = async (options: ConnectorOptions) => {
      const client = connectIORedis({ url, circuit: false, ...options });
      const text = await client.echo("x").catch(({ message }) => message);
      // Else it would connect, and be refused, again and again.
      client.disconnect();
      return text;
    };
    expect(await failure({})).toMatch(/^UNSENT .*the proxy refused CONNECT with status 407/);
    const refusals = proxy.refused.length;
    expect(await failure({ proxy: false })).toMatch(/^UNSENT .*ENOTFOUND/);
    vi.stubEnv("NO_PROXY", ".invalid");
    expect(await failure({})).toMatch(/^UNSENT .*ENOTFOUND/);
    expect(proxy.refused.length).toBe(refusals);
  });
});
