import { createPrivateKey, type KeyExportOptions } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { follow } from "warmline/streams";
import { createGateway } from "warmline-gateway";
import { freePorts, makeAuthority } from "warmline-testbed";
import { runProgram } from "../../faults/support/program.js";
import { RawEndpoint } from "../../support/endpoint.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { type ConnectProxyOptions, startConnectProxy } from "../../support/network/connect-proxy.js";
import { startTlsFront } from "../../support/network/tls-front.js";

const authority = makeAuthority();
const server = authority.issue();
const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0 }));

const client = (options: RedisOptions) =>
  forTest(new Redis({ url: gateway.url, token: gateway.token, retry: false, ...options }));
const startFront = async (options = {}) =>
  forTest(await startTlsFront(gateway.url, { cert: server.cert, key: server.key, ...options }));
const startProxy = async (options?: ConnectProxyOptions) => forTest(await startConnectProxy(options));
const unsent = { name: "ConnectionError", outcome: "unsent", command: "INCR" };

/** Sends a command, a batch, and a message to subscribers, and follows a stream. */
async function exercise(redis: Redis): Promise<void> {
  const value = { name: "Ada", tags: ["a".repeat(100_000)] };
  expect(await redis.set("user", value)).toBe("OK");
  expect(await Promise.all([redis.get("user"), redis.strlen("none")])).toEqual([value, 0]);
  const subscriber = redis.subscribe("news");
  await subscriber.ready;
  const received = new Promise((resolve) => subscriber.on("message", resolve));
  await redis.publish("news", { n: 1 });
  expect(await received).toMatchObject({ message: { n: 1 } });
  await subscriber.unsubscribe();
  await redis.del("log");
  const from = await redis.xadd("log", "*", { n: 1 });
  await redis.xadd("log", "*", { n: 2 });
  for await (const { fields } of follow(redis, "log", { from })) {
    expect(fields).toEqual({ n: 2 });
    break;
  }
}

describe("a private authority", () => {
  let url: string;
  beforeEach(async () => {
    ({ url } = await startFront());
  });

  test("commands and subscriptions work with tls.ca", async () => {
    await exercise(client({ url, tls: { ca: authority.cert } }));
  });

  test("a signal ends MONITOR with its reason", async () => {
    const redis = client({ url, tls: { ca: authority.cert } });
    const controller = new AbortController();
    const lines = redis.with({ signal: controller.signal }).monitor();
    let isOpen = false;
    const first = lines.next().then(() => {
      isOpen = true;
    });
    await expect.poll(() => redis.ping().then(() => isOpen)).toBe(true);
    await first;
    // Lines of the pings may be waiting.
    const rest = (async () => {
      for await (const _ of lines);
    })();
    controller.abort("enough");
    await expect(rest).rejects.toBe("enough");
  });

  test("a command without tls.ca is unsent, also beside a client that has it", async () => {
    await client({ url, tls: { ca: authority.cert } }).ping();
    await expect(client({ url }).incr("n")).rejects.toMatchObject(unsent);
  });

  test("a further connection resumes the TLS session, but not that of a client with other authorities", async () => {
    const front = await startFront();
    const ca = authority.cert;
    const redis = client({ url: front.url, tls: { ca }, keepAlive: false });
    await redis.ping();
    await redis.ping();
    await client({ url: front.url, tls: { ca: [ca, ca] }, keepAlive: false }).ping();
    expect(front.resumed).toEqual([false, true, false]);
  });

  test("a command works with NODE_EXTRA_CA_CERTS", async () => {
    const source = `import { Redis } from "warmline"; console.log(await Redis.fromEnv().ping());`;
    const env = { WARMLINE_URL: url, WARMLINE_TOKEN: gateway.token, NODE_EXTRA_CA_CERTS: authority.caFile };
    expect(await runProgram(source, env)).toMatchObject({ output: "PONG", errors: "", code: 0 });
  });
});

describe("mutual TLS", () => {
  let url: string;
  beforeEach(async () => {
    ({ url } = await startFront({ requestCert: true, ca: authority.cert }));
  });

  test.each([undefined, "secret"])("calls and streams work with a certificate: %s", async (passphrase) => {
    const { cert, key } = authority.issue();
    const format = {
      type: "pkcs8",
      format: "pem",
      ...(passphrase && { cipher: "aes-256-cbc", passphrase }),
    };
    const own = createPrivateKey(key).export(format as KeyExportOptions<"pem">);
    await exercise(client({ url, tls: { ca: authority.cert, cert, key: own, passphrase } }));
  });

  test("a command without a certificate fails", async () => {
    await expect(client({ url, tls: { ca: authority.cert } }).incr("n")).rejects.toMatchObject({
      command: "INCR",
    });
  });
});

describe("a CONNECT proxy", () => {
  const ways: [string, ConnectProxyOptions | (() => ConnectProxyOptions)][] = [
    ["http://", {}],
    ["http:// with a password", { credentials: "ada:s3cret" }],
    ["https:// with a password", () => ({ credentials: "ada:s3cret", tls: server })],
  ];

  test.each(ways)("commands and subscriptions reach an https:// url through %s", async (_what, options) => {
    const proxy = await startProxy(typeof options === "function" ? options() : options);
    const { url } = await startFront();
    const redis = client({ url, tls: { ca: authority.cert }, proxy: proxy.url });
    await exercise(redis);
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(url).host]));
    // Two at most for commands, which keep them, one for each of three streams, and one for the change of a stream.
    expect(proxy.tunnels.length).toBeLessThanOrEqual(6);
    expect(redis.stats().reused).toBeGreaterThan(0);
  });

  test("commands and subscriptions reach an http:// url through it", async () => {
    const proxy = await startProxy();
    await exercise(client({ proxy: proxy.url }));
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(gateway.url).host]));
  });

  test("a stream names the host as a command does where the url has no port", async () => {
    const endpoint = await RawEndpoint.startForTest();
    const { cert, key } = authority.issue({ host: "redis.invalid" });
    const front = forTest(await startTlsFront(endpoint.url, { cert, key }));
    const proxy = await startProxy({ to: Number(new URL(front.url).port) });
    const redis = client({ url: "https://redis.invalid", tls: { ca: authority.cert }, proxy: proxy.url });
    await redis.set("k", 1);
    // The endpoint has no streams.
    await expect(redis.subscribe("news").ready).rejects.toThrow("SUBSCRIBE");
    const hosts = endpoint.requests.map(({ head }) => /^host: (.*)$/im.exec(head)?.[1]?.trim());
    expect(hosts).toEqual(["redis.invalid", "redis.invalid"]);
  });

  test("a proxy that closes the connection in place of a response is named", async () => {
    const proxy = await startProxy();
    const [port] = await freePorts(1);
    // The proxy can't reach it.
    const redis = client({ url: `http://127.0.0.1:${port}`, proxy: proxy.url });
    await expect(redis.incr("n")).rejects.toThrow(
      "INCR: not sent: the proxy closed before its response to CONNECT",
    );
  });

  test("a wrong password rejects a command as unsent, and is not shown", async () => {
    const proxy = await startProxy({ credentials: "ada:s3cret" });
    const redis = client({ proxy: proxy.url.replace("s3cret", "wr0ng") });
    const error = await redis.incr("n").catch((thrown) => thrown);
    expect(error).toMatchObject({
      ...unsent,
      message: "INCR: not sent: the proxy refused CONNECT with status 407",
    });
    expect(`${error.stack}${error.cause.stack}`).not.toContain("wr0ng");
  });

  test("a proxy that is not there rejects a command as unsent", async () => {
    const proxy = await startProxy();
    await proxy.close();
    await expect(client({ proxy: proxy.url }).incr("n")).rejects.toMatchObject(unsent);
  });

  test("HTTPS_PROXY is used, unless NO_PROXY names the host", async () => {
    const proxy = await startProxy({ credentials: "ada:s3cret" });
    const { url } = await startFront();
    // Loopback names never use the environment's proxy: the proxy resolves this one, which is nowhere else.
    const source = `import { Redis } from "warmline";
      const ping = () => new Redis({ url: process.env.URL, token: "t", retry: false }).ping();
      console.log(await ping().catch(({ message }) => message));`;
    const env = {
      URL: url.replace("localhost", "redis.invalid"),
      HTTPS_PROXY: proxy.url.replace("s3cret", "no"),
    };
    expect((await runProgram(source, env)).output).toContain("the proxy refused CONNECT with status 407");
    expect((await runProgram(source, { ...env, NO_PROXY: ".invalid" })).output).toContain("ENOTFOUND");
  });
});

test("the fetch entry refuses tls and proxy", () => {
  for (const options of [{ tls: { ca: "x" } }, { proxy: "http://proxy" }]) {
    expect(() => new FetchRedis({ url: "https://redis.example", token: "t", ...options })).toThrow(
      'tls, proxy and circuit need the entry "warmline", which runs on Node',
    );
  }
});
