import { beforeEach, describe, expect, test } from "vitest";
import { version } from "../../../gateway/package.json";
import { commands } from "../../support/commands.js";
import { sharedByTests } from "../../support/lifetime.js";
import { describeEngines } from "./engines.js";
import { call, run } from "./http.js";

const BASE64 = { "upstash-encoding": "base64" };
const RESP2 = { "upstash-response-format": "resp2" };
const RESP2_BODY = { "content-type": "application/vnd.redis.resp2" };
const NESTED = "return {1, redis.status_reply('OK'), {'x', false, {}}, 'é'}";
const b64 = (text: string) => Buffer.from(text).toString("base64");

describeEngines("the protocol", (setup) => {
  const gateway = sharedByTests(() => setup.start({ maxBodySize: 1_000_000, maxCommands: 100 }));
  beforeEach(() => run(gateway, "FLUSHALL"));

  const set = (key: string, value: string) => run(gateway, "SET", key, value);

  describe("POST /", () => {
    test.each([
      [["SET", "k", "v"], 200, { result: "OK" }],
      [["set", "k", "v"], 200, { result: "OK" }],
      [["GET", "missing"], 200, { result: null }],
      [["RPUSH", "l", "a", 1, true], 200, { result: 3 }],
      [["EVAL", NESTED, 0], 200, { result: [1, "OK", ["x", null, []], "é"] }],
      [["NOSUCHCOMMAND"], 400, { error: expect.stringMatching(/^ERR unknown command/) }],
      [["GET"], 400, { error: expect.stringMatching(/^ERR wrong number of arguments/) }],
    ])("POST / with %j gets its response", async (body, status, expected) => {
      const response = await call(gateway, "/", { body });
      expect(response.json).toEqual(expected);
      expect(response.status).toBe(status);
      expect(response.headers["content-type"]).toBe("application/json");
      expect(response.headers["content-length"]).toBe(String(response.bytes.length));
      expect(response.headers["warmline-gateway"]).toBe(version);
      expect(response.headers["upstash-sync-token"]).toBe("0");
      expect(response.headers["keep-alive"]).toBe("timeout=310");
    });

    test.each(["", "{}", "[]", '["GET",null]', '[["GET","k"]]', "not json"])(
      "a body %j is refused with one line",
      async (body) => {
        const response = await call(gateway, "/", { body });
        expect(response.status).toBe(400);
        expect(response.json).toEqual({ error: expect.stringMatching(/^ERR [^\n]+$/) });
        expect(await run(gateway, "PING")).toBe("PONG");
      },
    );
  });

  describe("base64", () => {
    test.each([
      [["SET", "k", "v"], { result: "OK" }],
      [["EVAL", NESTED, 0], { result: [1, b64("OK"), [b64("x"), null, []], b64("é")] }],
      [["GET"], { error: expect.stringMatching(/^ERR wrong number/) }],
    ])("the base64 response to %j is encoded", async (body, expected) => {
      expect((await call(gateway, "/", { body, headers: BASE64 })).json).toEqual(expected);
    });

    test("another encoding than base64 is refused", async () => {
      const response = await call(gateway, "/get/k", { headers: { "upstash-encoding": "hex" } });
      expect(response.status).toBe(400);
    });
  });

  describe("resp2 replies", () => {
    test.each([
      [["SET", "k", "v"], 200, "+OK\r\n"],
      [["GET", "missing"], 200, "$-1\r\n"],
      [["LPOP", "nothing", 2], 200, "*-1\r\n"],
      [["EVAL", NESTED, 0], 200, "*4\r\n:1\r\n+OK\r\n*3\r\n$1\r\nx\r\n$-1\r\n*0\r\n$2\r\né\r\n"],
      [["GET"], 400, "-ERR wrong number of arguments for 'get' command\r\n"],
    ])("the RESP2 reply to %j is Redis's own bytes", async (body, status, expected) => {
      const response = await call(gateway, "/", { body, headers: RESP2 });
      expect(response.text).toBe(expected);
      expect(response.status).toBe(status);
      expect(response.headers["content-type"]).toBe("application/vnd.redis.resp2");
    });

    test("a pipeline's RESP2 reply is an array", async () => {
      const body = [["SET", "k", "v"], ["GET"], ["SELECT", 1], ["GET", "k"]];
      const response = await call(gateway, "/pipeline", { body, headers: RESP2 });
      expect(response.status).toBe(200);
      expect(response.text).toBe(
        "*4\r\n+OK\r\n-ERR wrong number of arguments for 'get' command\r\n" +
          "-NOPERM this user has no permissions to run the 'select' command\r\n$1\r\nv\r\n",
      );
    });

    test("a transaction's RESP2 reply is Redis's array: bytes, errors, nulls and nested arrays", async () => {
      const bytes = Buffer.from([0, 13, 10, 0xff, 0xfe]);
      const body = Buffer.concat([
        Buffer.from("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\n"),
        bytes,
        Buffer.from("\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n"),
        Buffer.from("*3\r\n$4\r\nLPOP\r\n$4\r\nnone\r\n$1\r\n2\r\n"),
        Buffer.from("*3\r\n$5\r\nHMGET\r\n$1\r\nh\r\n$1\r\nf\r\n"),
      ]);
      const response = await call(gateway, "/multi-exec", {
        body,
        headers: { ...RESP2, "content-type": "application/vnd.redis.resp2" },
      });
      expect(response.status).toBe(200);
      expect(response.headers["content-type"]).toBe("application/vnd.redis.resp2");
      expect(response.bytes).toEqual(
        Buffer.concat([
          Buffer.from("*5\r\n+OK\r\n$5\r\n"),
          bytes,
          Buffer.from("\r\n-ERR value is not an integer or out of range\r\n*-1\r\n*1\r\n$-1\r\n"),
        ]),
      );
    });

    test("a transaction that Redis discards is one RESP2 error", async () => {
      const { status, text } = await call(gateway, "/multi-exec", { body: [["GET"]], headers: RESP2 });
      expect([status, text]).toEqual([400, expect.stringMatching(/^-EXECABORT [^\r]*'get'[^\r]*\r\n$/)]);
    });

    test.each([
      ["/", { ...RESP2, ...BASE64 }],
      ["/", { "upstash-response-format": "resp3" }],
    ])("RESP2 is refused on %s with %j", async (path, headers) => {
      const response = await call(gateway, path, { body: ["INCR", "n"], headers });
      expect(response.status).toBe(400);
      expect(response.json.error).toMatch(/^ERR /);
      expect(await run(gateway, "GET", "n")).toBeNull();
    });

    test("the gateway's own errors are not RESP2", async () => {
      const response = await call(gateway, "/", { body: ["SELECT", 1], headers: RESP2 });
      expect(response.headers["content-type"]).toBe("application/json");
      expect(response.json.error).toMatch(/^NOPERM/);
    });
  });

  describe("RESP2 requests", () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const setBytes = Buffer.concat([
      Buffer.from("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$256\r\n"),
      bytes,
      Buffer.from("\r\n"),
    ]);
    const get = Buffer.from("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");

    test("a RESP2 request carries bytes both ways", async () => {
      expect((await call(gateway, "/", { body: setBytes, headers: RESP2_BODY })).json).toEqual({
        result: "OK",
      });
      const response = await call(gateway, "/", { body: get, headers: { ...RESP2_BODY, ...RESP2 } });
      expect(response.bytes).toEqual(Buffer.concat([Buffer.from("$256\r\n"), bytes, Buffer.from("\r\n")]));
    });

    test.each(["/pipeline", "/multi-exec"])("a RESP2 request may have many commands on %s", async (path) => {
      const headers = { ...RESP2_BODY, ...BASE64 };
      const response = await call(gateway, path, { body: Buffer.concat([setBytes, get]), headers });
      expect(response.json).toEqual([{ result: "OK" }, { result: bytes.toString("base64") }]);
    });

    test("a malformed RESP2 request is refused", async () => {
      for (const body of ["", "*0\r\n", '["PING"]', `${get}x`]) {
        const response = await call(gateway, "/", { body, headers: RESP2_BODY });
        expect(response.status).toBe(400);
        expect(response.json.error).toMatch(/^ERR /);
      }
      expect(await run(gateway, "PING")).toBe("PONG");
    });
  });

  describe("POST /pipeline", () => {
    test("/pipeline returns every reply in its place", async () => {
      const body = commands("SET k v", "GET k", "INCR k", "NOSUCH", "CONFIG GET *", "INCR n");
      const response = await call(gateway, "/pipeline", { body });
      expect(response.status).toBe(200);
      expect(response.json).toEqual([
        { result: "OK" },
        { result: "v" },
        { error: "ERR value is not an integer or out of range" },
        { error: expect.stringMatching(/^ERR unknown command/) },
        { error: expect.stringMatching(/^NOPERM .*'config' command/) },
        { result: 1 },
      ]);
    });

    test("/pipeline encodes each result in base64", async () => {
      const body = [["SET", "k", "OK"], ["GET", "k"], ["GET"]];
      const { json } = await call(gateway, "/pipeline", { body, headers: BASE64 });
      expect(json).toEqual([
        { result: "OK" },
        { result: b64("OK") },
        { error: expect.stringMatching(/^ERR/) },
      ]);
    });

    test("/pipeline accepts a body of only refused commands", async () => {
      const { json, status } = await call(gateway, "/pipeline", { body: [["QUIT"], ["MULTI"]] });
      expect(status).toBe(200);
      expect(json).toEqual([
        { error: expect.stringMatching(/^NOPERM/) },
        { error: expect.stringMatching(/^NOPERM/) },
      ]);
    });

    const tooMany = JSON.stringify(Array(101).fill(["INCR", "n"]));
    test.each(["[]", '[["INCR","n"],["GET",null]]', '["INCR","n"]', '[["INCR","n"]', tooMany])(
      "a /pipeline body %s runs nothing",
      async (body) => {
        const response = await call(gateway, "/pipeline", { body });
        expect(response.status).toBe(400);
        expect(response.json.error).toMatch(/^ERR /);
        expect(await run(gateway, "GET", "n")).toBeNull();
      },
    );
  });

  describe("POST /multi-exec", () => {
    test("/multi-exec runs all commands, with an error in the place of the failed one", async () => {
      const body = commands("SET k v", "INCR k", "GET k");
      const response = await call(gateway, "/multi-exec", { body });
      expect(response.status).toBe(200);
      expect(response.json).toEqual([
        { result: "OK" },
        { error: "ERR value is not an integer or out of range" },
        { result: "v" },
      ]);
    });

    test.each([
      ["a command that Redis does not know", "NOSUCH", "'nosuch'"],
      ["a command with too few words", "GET", "'get'"],
      ["a refused command", "SELECT 1", "'select'"],
      ["an EXEC inside", "EXEC", "'exec'"],
    ])("/multi-exec is discarded whole for %s", async (_, second, named) => {
      await set("k", "old");
      const response = await call(gateway, "/multi-exec", { body: commands("SET k new", second) });
      expect(response.status).toBe(400);
      expect(response.json).toEqual({ error: expect.stringMatching(/^EXECABORT [^\n]+$/) });
      expect(response.json.error).toContain(named);
      expect(await run(gateway, "GET", "k")).toBe("old");
      const next = await call(gateway, "/multi-exec", { body: [["GET", "k"]] });
      expect(next.json).toEqual([{ result: "old" }]);
    });

    test("/multi-exec never interleaves with others", async () => {
      const rounds = Array.from({ length: 30 }, (_, i) =>
        call(gateway, "/multi-exec", {
          body: [
            ["SET", "k", i],
            ["INCR", "k"],
            ["GET", "k"],
          ],
        }),
      );
      const responses = await Promise.all(rounds);
      responses.forEach((response, i) => {
        expect(response.json).toEqual([{ result: "OK" }, { result: i + 1 }, { result: String(i + 1) }]);
      });
    });
  });

  describe("commands in the path", () => {
    test.each([
      ["GET", "/set/k/v", undefined, { result: "OK" }, "v"],
      ["POST", "/set/k", "raw \0 body", { result: "OK" }, "raw \0 body"],
      ["PUT", "/set/k?EX=100", '["as is"]', { result: "OK" }, '["as is"]'],
      ["GET", "/set/k/a%2Fb%20%E2%82%AC", undefined, { result: "OK" }, "a/b €"],
      ["GET", "/SET/k/a+b", undefined, { result: "OK" }, "a+b"],
      ["POST", "/set/k/v?XX", "", { result: null }, null],
    ])("the path of %s %s is a command", async (method, path, body, expected, stored) => {
      const response = await call(gateway, path, { method, body });
      expect(response.status).toBe(200);
      expect(response.json).toEqual(expected);
      expect(await run(gateway, "GET", "k")).toBe(stored);
    });

    test("a command in the path takes options from the query", async () => {
      await call(gateway, "/set/k?EX=100&NX", { body: "first" });
      expect((await call(gateway, "/set/k?NX", { body: "second" })).json).toEqual({ result: null });
      expect(await run(gateway, "GET", "k")).toBe("first");
      expect(await run(gateway, "TTL", "k")).toBeGreaterThan(90);
    });

    test("a HEAD of a command in the path has no body", async () => {
      await set("k", "value");
      const response = await call(gateway, "/get/k", { method: "HEAD" });
      expect(response.status).toBe(200);
      expect(response.headers["content-length"]).toBe(String('{"result":"value"}'.length));
      expect(response.text).toBe("");
    });
  });

  test.each(["DELETE", "PATCH", "OPTIONS", "TRACE"])("%s is not allowed", async (method) => {
    const response = await call(gateway, "/set/k/v", { method });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("HEAD, GET, POST, PUT");
    expect(await run(gateway, "GET", "k")).toBeNull();
  });

  test("/health responds without a token on this machine", async () => {
    const response = await call(gateway, "/health", { token: null });
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ status: "ok", engine: gateway.engine });
  });

  test("/metrics counts requests", async () => {
    const { text, headers } = await call(gateway, "/metrics");
    expect(headers["content-type"]).toMatch(/^text\/plain/);
    const opened = Number(/^warmline_gateway_connections_opened_total (\d+)$/m.exec(text)?.[1]);
    const open = Number(/^warmline_gateway_connections_open (\d+)$/m.exec(text)?.[1]);
    const requests = Number(/^warmline_gateway_requests_total (\d+)$/m.exec(text)?.[1]);
    expect(opened).toBeGreaterThanOrEqual(open);
    expect(open).toBeGreaterThan(0);
    await run(gateway, "PING");
    const later = (await call(gateway, "/metrics")).text;
    expect(Number(/^warmline_gateway_requests_total (\d+)$/m.exec(later)?.[1])).toBe(requests + 2);
    expect(Number(/^warmline_gateway_connections_opened_total (\d+)$/m.exec(later)?.[1])).toBe(opened);
  });

  test("a body of exactly the limit is accepted", async () => {
    expect((await call(gateway, "/set/k", { body: Buffer.alloc(1_000_000, "x") })).status).toBe(200);
    expect(await run(gateway, "STRLEN", "k")).toBe(1_000_000);
  });
});
