import { beforeEach, describe, expect, test } from "vitest";
import { createGateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { sharedEngine } from "./engines.js";
import { call, run } from "./http.js";

const engine = sharedEngine();
const start = async (options: Partial<GatewayOptions> = {}) =>
  forTest(await createGateway({ engine, port: 0, ...options }));
const gateway = sharedByTests(() => createGateway({ engine, port: 0 }));
beforeEach(() => run(gateway, "FLUSHALL"));

describe("without the token", () => {
  const wrong = { error: "WRONGPASS invalid or missing auth token" };

  test.each([
    ["none", null, {}],
    ["a wrong one", "wrong", {}],
    ["another scheme", null, { authorization: "Basic dDp0" }],
  ])("no request without the token runs or reveals anything (%s)", async (_, token, headers) => {
    const requests = [
      call(gateway, "/", { body: ["INCR", "n"], token, headers }),
      call(gateway, "/pipeline", { body: [["INCR", "n"]], token, headers }),
      call(gateway, "/multi-exec", { body: [["INCR", "n"]], token, headers }),
      call(gateway, "/incr/n", { token, headers }),
      call(gateway, "/incr/n?_token=wrong", { token, headers }),
      call(gateway, "/incr/n", { method: "HEAD", token, headers }),
      call(gateway, "/metrics", { token, headers }),
      call(gateway, "/nonsense", { body: "not json", token, headers }),
    ];
    for (const response of await Promise.all(requests)) {
      expect(response.status).toBe(401);
      if (response.text) expect(response.json).toEqual(wrong);
    }
    expect(await run(gateway, "GET", "n")).toBeNull();
  });

  test("a large body without the token gets its response at once", async () => {
    const response = await call(gateway, "/set/k", { body: Buffer.alloc(5_000_000), token: null });
    expect(response.status).toBe(401);
    expect(response.headers.connection).toBe("close");
  });
});

describe("the token", () => {
  test("a token in the query is not an argument of the command", async () => {
    const response = await call(gateway, `/set/k/v?EX=100&_token=${gateway.token}`, { token: null });
    expect(response.json).toEqual({ result: "OK" });
    expect(
      (await call(gateway, `/?_token=${gateway.token}`, { body: ["GET", "k"], token: null })).json,
    ).toEqual({ result: "v" });
  });

  test("a token in the header wins over the query", async () => {
    expect((await call(gateway, `/get/k?_token=${gateway.token}`, { token: "wrong" })).status).toBe(401);
  });

  test("the token is random for each gateway unless given", async () => {
    const other = await start();
    const given = await start({ token: "given" });
    expect(other.token).not.toBe(gateway.token);
    expect(given.token).toBe("given");
    expect((await call(gateway, "/get/k", { token: other.token })).status).toBe(401);
  });
});

describe("requests of web pages", () => {
  test.each([
    [{ origin: "https://evil.example" }],
    [{ "sec-fetch-site": "same-site" }],
    [{ host: "localhost.evil.example:80" }],
  ])("requests of web pages from %j are refused, with and without the token", async (headers) => {
    for (const token of [gateway.token, null]) {
      for (const path of ["/incr/n", `/incr/n?_token=${gateway.token}`, "/health"]) {
        const response = await call(gateway, path, { headers, token });
        expect(response.status).toBe(403);
        expect(response.headers["access-control-allow-origin"]).toBeUndefined();
      }
      expect((await call(gateway, "/", { body: ["INCR", "n"], headers, token })).status).toBe(403);
    }
    expect(await run(gateway, "GET", "n")).toBeNull();
  });

  test("requests of allowed origins are accepted", async () => {
    const open = await start({ cors: ["https://app.example"] });
    const origin = "https://app.example";
    const headers = { origin, "sec-fetch-site": "cross-site" };
    const preflight = await call(open, "/", {
      method: "OPTIONS",
      headers: { ...headers, "access-control-request-headers": "authorization,upstash-encoding" },
      token: null,
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers["access-control-allow-origin"]).toBe(origin);
    expect(preflight.headers["access-control-allow-headers"]).toBe("authorization,upstash-encoding");
    const response = await call(open, "/", { body: ["INCR", "n"], headers });
    expect(response.json).toEqual({ result: 1 });
    expect(response.headers["access-control-allow-origin"]).toBe(origin);
    expect((await call(open, "/incr/n", { headers, token: null })).status).toBe(401);
    expect((await call(open, "/incr/n", { headers: { origin: "https://evil.example" } })).status).toBe(403);
  });

  test("allowed names of this machine are accepted in the Host header", async () => {
    const named = await start({ allowedHosts: ["box.test"] });
    expect((await call(named, "/incr/n", { headers: { host: "box.test:8079" } })).status).toBe(200);
  });
});

test("GET can be forbidden to run writes", async () => {
  const careful = await start({ allowGetWrites: false });
  await run(careful, "SET", "k", "v");
  expect((await call(careful, "/get/k")).json).toEqual({ result: "v" });
  for (const path of ["/set/k/w", "/flushall", "/eval/return 1/0", "/nosuch"]) {
    const response = await call(careful, encodeURI(path));
    expect(response.status).toBe(400);
    expect(response.json.error).toMatch(/^NOPERM .*with POST/);
    expect((await call(careful, encodeURI(path), { method: "HEAD" })).status).toBe(400);
  }
  expect((await call(careful, "/set/k", { body: "w" })).json).toEqual({ result: "OK" });
});

describe("starting", () => {
  test("the gateway starts the chosen engine, and stops it", async () => {
    const own = await createGateway({ engine: "embedded", port: 0 });
    expect(own.engine).toMatch(/embedded/);
    expect(await run(own, "SET", "k", "v")).toBe("OK");
    await own.close();
    await expect(call(own, "/health")).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up/);
  });

  test("an invalid host fails with the reason", async () => {
    await expect(start({ host: "192.0.2.1", token: "t" })).rejects.toThrow(
      /^host: 192\.0\.2\.1 is not an address/,
    );
  });

  test("beyond loopback any host is accepted, and the engine is told to clients with a token alone", async () => {
    const open = await start({ host: "0.0.0.0", token: "given" });
    const local = { ...open, url: open.url.replace("0.0.0.0", "127.0.0.1") };
    expect((await call(local, "/health", { token: null })).json).toEqual({ status: "ok" });
    expect((await call(local, "/health")).json).toEqual({ status: "ok", engine: gateway.engine });
    // Under its public name, requests carry that name in `Host`.
    expect((await call(local, "/incr/n", { headers: { host: "redis.example" } })).status).toBe(200);
  });
});
