import * as library from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { type Dispatcher, undici } from "warmline/undici";
import { createGateway, type Gateway } from "warmline-gateway";
import { type Authority, type Certificate, makeAuthority } from "warmline-testbed";
import { httpResponse, RawEndpoint } from "../../support/endpoint.js";
import { type ConnectProxy, startConnectProxy } from "../../support/network/connect-proxy.js";
import { startTlsFront, type TlsFront } from "../../support/network/tls-front.js";

let gateway: Gateway;
let authority: Authority;
let server: Certificate;
beforeAll(async () => {
  gateway = await createGateway({ engine: "embedded", port: 0 });
  authority = makeAuthority();
  server = authority.issue();
});
afterAll(() => gateway.close());

const unsent = { name: "ConnectionError", outcome: "unsent", command: "INCR" };

describe("a dispatcher", () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const client = (dispatcher: Dispatcher & { close(): Promise<void> }, options: RedisOptions = {}) => {
    closing.push(() => dispatcher.close());
    return new Redis({ url: gateway.url, token: gateway.token, transport: undici(dispatcher), ...options });
  };

  describe("through a CONNECT proxy with a password", () => {
    let proxy: ConnectProxy;
    beforeEach(async () => {
      proxy = await startConnectProxy({ credentials: "ada:s3cret" });
      closing.push(() => proxy.close());
    });

    test("commands and batches work", async () => {
      const redis = client(new library.ProxyAgent(proxy.url));
      const value = { name: "Ada", tags: ["a", "b"] };
      expect(await redis.set("user", value)).toBe("OK");
      expect(await Promise.all([redis.get("user"), redis.incr("proxied"), redis.strlen("none")])).toEqual([
        value,
        expect.any(Number),
        0,
      ]);
      expect(proxy.tunnels[0]).toBe(new URL(gateway.url).host);
    });

    test("a subscription works", async () => {
      const redis = client(new library.ProxyAgent(proxy.url));
      const subscriber = redis.subscribe("news");
      await subscriber.ready;
      const received = new Promise((resolve) => subscriber.on("message", resolve));
      await redis.publish("news", { n: 1 });
      expect(await received).toMatchObject({ channel: "news", message: { n: 1 } });
      await subscriber.unsubscribe();
      expect(proxy.tunnels.length).toBeGreaterThan(1);
    });

    test("a wrong password rejects a command as unsent", async () => {
      const redis = client(new library.ProxyAgent(proxy.url.replace("s3cret", "wrong")), { retry: false });
      await expect(redis.incr("n")).rejects.toMatchObject(unsent);
      expect(proxy.refused).toEqual([407]);
      expect(proxy.tunnels).toEqual([]);
    });
  });

  describe("with TLS of a private authority", () => {
    const startFront = async (options = {}): Promise<TlsFront> => {
      const front = await startTlsFront(gateway.url, { cert: server.cert, key: server.key, ...options });
      closing.push(() => front.close());
      return front;
    };

    test("commands work with its certificate, and are unsent without", async () => {
      const { url } = await startFront();
      const trusting = new library.Agent({ connect: { ca: authority.cert } });
      expect(await client(trusting, { url }).ping()).toBe("PONG");
      await expect(client(new library.Agent(), { url, retry: false }).incr("n")).rejects.toMatchObject(
        unsent,
      );
    });

    test("commands work with a certificate of the client, and do not without", async () => {
      const { url } = await startFront({ requestCert: true, ca: authority.cert });
      const { cert, key } = authority.issue();
      const known = new library.Agent({ connect: { ca: authority.cert, cert, key } });
      expect(await client(known, { url }).ping()).toBe("PONG");
      const unknown = new library.Agent({ connect: { ca: authority.cert } });
      await expect(client(unknown, { url, retry: false }).incr("n")).rejects.toMatchObject({
        command: "INCR",
      });
    });
  });

  describe("on an endpoint", () => {
    let endpoint: RawEndpoint;
    const options = () => ({ url: endpoint.url, token: "t", responseFormat: "json" }) as const;
    beforeEach(async () => {
      endpoint = await RawEndpoint.start();
      closing.push(() => endpoint.stop());
    });

    test("an interceptor sees requests, and can add a header", async () => {
      const seen: string[] = [];
      const agent = new library.Agent().compose((dispatch) => (request, handler) => {
        seen.push(`${request.method} ${request.path}`);
        return dispatch({ ...request, headers: { ...request.headers, "x-tenant": "ada" } }, handler);
      });
      await client(agent, options()).ping();
      expect(seen).toEqual(["POST /"]);
      expect(endpoint.requests[0]!.head).toMatch(/^x-tenant: ada$/im);
      expect(endpoint.requests[0]!.head).toMatch(/^authorization: Bearer t$/im);
    });

    test("an idle connection that the server has closed carries no command", async () => {
      const agent = new library.Agent();
      const redis = client(agent, options());
      endpoint.onRequest = ({ socket, number }) => {
        if (number > 1) return void socket.destroy();
        socket.write(httpResponse('{"result":1}', { "content-type": "application/json" }));
        setTimeout(() => socket.end(), 10);
      };
      expect(await redis.incr("n")).toBe(1);
      // The event loop does not poll while the FIN arrives.
      await new Promise((resolve) => setTimeout(resolve, 5));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      expect(await redis.incr("n")).toBe(1);
      expect(endpoint.connections).toBe(2);
    });

    test("clients of one dispatcher count retries together", async () => {
      const transport = undici(new library.Agent());
      endpoint.onRequest = ({ socket }) => {
        if (endpoint.requests.length === 1) socket.destroy();
        else socket.write(httpResponse('{"result":1}', { "content-type": "application/json" }));
      };
      expect(await new Redis({ ...options(), transport }).strlen("k")).toBe(1);
      expect(new Redis({ ...options(), transport, timeout: 500 }).stats()).toMatchObject({
        retries: 1,
        opened: 0,
      });
    });
  });

  describe("MockAgent", () => {
    const url = "https://redis.example";
    let agent: library.MockAgent;
    let redis: Redis;
    beforeEach(() => {
      agent = new library.MockAgent();
      agent.disableNetConnect();
      redis = client(agent, { url, token: "t", responseFormat: "json", retry: false });
    });
    const intercept = () => agent.get(url).intercept({ path: "/", method: "POST", body: '["INCR","n"]' });
    const json = { headers: { "content-type": "application/json" } };

    test("a mocked response is the command's", async () => {
      intercept().reply(200, { result: 5 }, json);
      expect(await redis.incr("n")).toBe(5);
    });

    test("a mocked error comes before the request is written", async () => {
      intercept().replyWithError(new Error("no network"));
      await expect(redis.incr("n")).rejects.toMatchObject({
        ...unsent,
        message: "INCR: not sent: no network",
      });
    });

    test("a command that the mock does not expect is unsent", async () => {
      await expect(redis.incr("n")).rejects.toMatchObject(unsent);
    });
  });
});

describe("options", () => {
  const transport = undici(new library.Agent());

  test.each(["keepAlive", "preconnect"] as const)("%s is refused beside a dispatcher", (name) => {
    expect(() => new Redis({ url: gateway.url, token: "t", transport, [name]: true })).toThrow(
      `${name} has no effect with undici(): set it on the dispatcher, if it has it`,
    );
  });

  test("maxReplySize is kept", async () => {
    const { url, token } = gateway;
    const redis = new Redis({ url, token, transport, maxReplySize: 100 });
    await expect(redis.echo("x".repeat(200))).rejects.toMatchObject({ name: "ProtocolError" });
  });

  test("a value that is no dispatcher is refused", () => {
    expect(() => undici({} as Dispatcher)).toThrow("undici() needs a dispatcher of undici");
    expect(
      () => new Redis({ url: gateway.url, token: "t", transport: new library.Agent() as never }),
    ).toThrow("transport must be undici(dispatcher) of warmline/undici");
    expect(() => new Redis({ url: gateway.url, token: "t", transport: null as never })).toThrow(
      "transport must be",
    );
  });
});
