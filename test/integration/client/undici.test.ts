import { gzipSync } from "node:zlib";
import * as library from "undici";
import { beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { type Dispatcher, undici } from "warmline/undici";
import { createGateway } from "warmline-gateway";
import { jsonResponse, RawEndpoint } from "../../support/endpoint.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";

const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0 }));

const unsent = { name: "ConnectionError", outcome: "unsent", command: "INCR" };

describe("a dispatcher", () => {
  const client = (dispatcher: Dispatcher & { close(): Promise<void> }, options: RedisOptions = {}) => {
    forTest(dispatcher);
    return new Redis({ url: gateway.url, token: gateway.token, transport: undici(dispatcher), ...options });
  };

  describe("on an endpoint", () => {
    const endpoint = RawEndpoint.forEachTest();
    const options = () => ({ url: endpoint.url, token: "t", responseFormat: "json" }) as const;

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
        socket.write(jsonResponse('{"result":1}'));
        setTimeout(() => socket.end(), 10);
      };
      expect(await redis.incr("n")).toBe(1);
      // The event loop does not poll while the FIN arrives.
      await new Promise((resolve) => setTimeout(resolve, 5));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      expect(await redis.incr("n")).toBe(1);
      expect(endpoint.connections).toBe(2);
    });

    test("clients of one dispatcher share the count of retries", async () => {
      const transport = undici(new library.Agent());
      endpoint.onRequest = ({ socket }) => {
        if (endpoint.requests.length === 1) socket.destroy();
        else socket.write(jsonResponse('{"result":1}'));
      };
      expect(await new Redis({ ...options(), transport }).strlen("k")).toBe(1);
      expect(new Redis({ ...options(), transport, timeout: 500 }).stats()).toMatchObject({
        retries: 1,
        opened: 0,
      });
    });

    test("a compressed response is an error that says so, unless an interceptor decompresses it", async () => {
      const body = gzipSync('{"result":"v"}');
      endpoint.onRequest = ({ socket }) => {
        const headers = [
          "content-type: application/json",
          "content-encoding: gzip",
          `content-length: ${body.length}`,
        ];
        socket.write(
          Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers.join("\r\n")}\r\n\r\n`), body]),
        );
      };
      await expect(client(new library.Agent(), { ...options(), retry: false }).get("k")).rejects.toThrow(
        "the response is compressed",
      );
      const agent = new library.Agent().compose(library.interceptors.decompress());
      expect(await client(agent, options()).get("k")).toBe("v");
    });
  });

  test("stays open after close() of a client", async () => {
    const redis = client(new library.Agent());
    await redis.ping();
    redis.close();
    expect(await redis.ping()).toBe("PONG");
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

    test("a command returns the mocked response", async () => {
      intercept().reply(200, { result: 5 }, json);
      expect(await redis.incr("n")).toBe(5);
    });

    test("a mocked error rejects a command as unsent", async () => {
      intercept().replyWithError(new Error("no network"));
      await expect(redis.incr("n")).rejects.toMatchObject({
        ...unsent,
        message: "INCR: not sent: no network",
      });
    });
  });
});

describe("options", () => {
  const transport = undici(new library.Agent());

  test.each([
    ["keepAlive", true],
    ["preconnect", true],
    ["maxConnections", 2],
    ["tls", {}],
    ["proxy", "http://proxy"],
    ["circuit", false],
  ])("%s is refused together with a dispatcher", (name, value) => {
    expect(() => new Redis({ url: gateway.url, token: "t", transport, [name]: value })).toThrow(
      `${name} has no effect with undici(): remove it or set it on the dispatcher`,
    );
  });

  test("a value that is not a dispatcher is refused", () => {
    expect(() => undici({} as Dispatcher)).toThrow("undici() needs a dispatcher of undici");
    expect(
      () => new Redis({ url: gateway.url, token: "t", transport: new library.Agent() as never }),
    ).toThrow("transport must be undici() of warmline/undici");
    expect(() => new Redis({ url: gateway.url, token: "t", transport: null as never })).toThrow(
      "transport must be",
    );
  });
});
