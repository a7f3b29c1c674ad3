import { beforeEach, describe, expect, test } from "vitest";
import { freePorts, startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { describeEngines } from "../gateway/engines.js";
import { call, metric, run } from "../gateway/http.js";
import { dataOf, type ListenOptions, listen, listenForTest, numsub } from "./listen.js";

const BASE64 = { "upstash-encoding": "base64" };

describeEngines("event streams", (setup) => {
  let gateway: Gateway;
  const begin = async (options?: object) => {
    gateway = await setup.start(options);
  };
  beforeEach(() => begin());
  const hear = (path: string, options?: ListenOptions) => listenForTest(gateway, path, options);

  test("a subscription is confirmed, then messages arrive as from Upstash", async () => {
    const stream = await hear("/subscribe/news", { headers: BASE64 });
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    expect(stream.headers["warmline-gateway"]).toBeTruthy();
    expect(stream.headers["cache-control"]).toBe("no-cache");
    expect(await run(gateway, "PUBLISH", "news", "hello, world")).toBe(1);
    expect(await dataOf(stream, 2)).toEqual(["subscribe,news,1", "message,news,hello, world"]);
  });

  test("sharded channels are separate from others of the same name", async () => {
    const sharded = await hear("/ssubscribe/news/a%2Fb");
    const plain = await hear("/subscribe/news");
    expect(await run(gateway, "SPUBLISH", "news", "to shards")).toBe(1);
    expect(await run(gateway, "PUBLISH", "news", "to all")).toBe(1);
    expect(await run(gateway, "SPUBLISH", "a/b", "two\nlines")).toBe(1);
    expect(await dataOf(sharded, 4)).toEqual([
      "ssubscribe,news,1",
      "ssubscribe,a/b,2",
      "smessage,news,to shards",
      'smessage,a/b,"two\\nlines"',
    ]);
    expect(await dataOf(plain, 2)).toEqual(["subscribe,news,1", "message,news,to all"]);
    expect(await metric(gateway, 'upstream_connections{use="stream"}')).toBe(2);
    sharded.close();
    await expect
      .poll(() => run(gateway, "PUBSUB", "SHARDNUMSUB", "news", "a/b"))
      .toEqual(["news", 0, "a/b", 0]);
    expect(await numsub(gateway, "news")).toBe(1);
  });

  test("one stream carries several channels, each named once", async () => {
    const stream = await hear("/subscribe/a/b%2Fc/a/");
    for (const channel of ["a", "b/c", "b"]) await run(gateway, "PUBLISH", channel, `to ${channel}`);
    expect(await dataOf(stream, 4)).toEqual([
      "subscribe,a,1",
      "subscribe,b/c,2",
      "message,a,to a",
      "message,b/c,to b/c",
    ]);
  });

  test("a line break does not split a message", async () => {
    const stream = await hear("/subscribe/c");
    const text = 'one\r\ntwo "three"\n';
    const json = '{\n  "a": [1,\r\n 2]\n}';
    await run(gateway, "PUBLISH", "c", text);
    await run(gateway, "PUBLISH", "c", json);
    const [, first, second] = await dataOf(stream, 3);
    expect(JSON.parse(first!.slice("message,c,".length))).toBe(text);
    expect(JSON.parse(second!.slice("message,c,".length))).toEqual({ a: [1, 2] });
    const exact = [...stream.text.matchAll(/^exact: (.*)\ndata: /gm)].map(([, fields]) =>
      fields!.split(",").map((field) => Buffer.from(field, "base64").toString()),
    );
    expect(exact).toEqual([
      ["c", text],
      ["c", json],
    ]);
  });

  test("listeners of a channel share one subscription, which ends with the last", async () => {
    const streams = [await hear("/subscribe/s"), await hear("/subscribe/s/t")];
    expect(await numsub(gateway, "s")).toBe(1);
    await run(gateway, "PUBLISH", "s", "both");
    for (const stream of streams) await expect.poll(() => stream.data).toContain("message,s,both");
    expect(await metric(gateway, "streams_open")).toBe(2);
    expect(await metric(gateway, 'upstream_connections{use="stream"}')).toBe(1);
    streams[0]!.close();
    await expect.poll(() => metric(gateway, "streams_open")).toBe(1);
    expect(await numsub(gateway, "s")).toBe(1);
    streams[1]!.close();
    await expect.poll(() => numsub(gateway, "s")).toBe(0);
    expect(await numsub(gateway, "t")).toBe(0);
    expect(await metric(gateway, "streams_open")).toBe(0);
  });

  test.each([
    ["subscribe", "PUBLISH", "message", "NUMSUB"],
    ["ssubscribe", "SPUBLISH", "smessage", "SHARDNUMSUB"],
  ])("unsubscribing and subscribing again at once works by %s", async (route, publish, kind, counting) => {
    for (let round = 0; round < 20; round++) {
      const stream = await listen(gateway, `/${route}/again`);
      await run(gateway, publish, "again", `${round}`);
      expect((await dataOf(stream, 2)).slice(0, 2)).toEqual([`${route},again,1`, `${kind},again,${round}`]);
      expect(stream.text).not.toContain("event: gap");
      stream.close();
    }
    await expect.poll(() => run(gateway, "PUBSUB", counting, "again")).toEqual(["again", 0]);
  });

  test("a reader that stops is disconnected, others are not", async () => {
    await begin({ streamBuffer: 64 * 1024 });
    const slow = await hear("/subscribe/flood");
    const quick = await hear("/subscribe/flood");
    slow.pause();
    const payload = "x".repeat(64 * 1024);
    let sent = 0;
    while ((await metric(gateway, "streams_dropped_total")) === 0 && sent < 1_000) {
      await run(gateway, "PUBLISH", "flood", payload);
      sent++;
    }
    expect(sent).toBeLessThan(1_000);
    expect(await metric(gateway, "streams_dropped_total")).toBe(1);
    await expect.poll(() => metric(gateway, "streams_open")).toBe(1);
    await run(gateway, "PUBLISH", "flood", "last");
    await expect.poll(() => quick.data.at(-1), { timeout: 10_000 }).toBe("message,flood,last");
    expect(quick.data.length).toBe(sent + 2);
    expect(quick.over).toBeUndefined();
  });

  test("one large message does not disconnect its reader", async () => {
    await begin({ streamBuffer: 1_024 });
    const stream = await hear("/subscribe/large");
    const payload = "y".repeat(5_000_000);
    await run(gateway, "PUBLISH", "large", payload);
    const [, message] = await dataOf(stream, 2);
    // Not by toBe: on failure it would print both.
    expect(message === `message,large,${payload}`).toBe(true);
  });

  test("a stream sends a comment from time to time", async () => {
    await begin({ streamHeartbeat: 20 });
    const stream = await hear("/subscribe/quiet");
    await expect.poll(() => stream.text.split("\n").filter((line) => line === ":").length).toBeGreaterThan(2);
  });

  test("streams above the limit are refused", async () => {
    await begin({ maxStreams: 1 });
    const first = await hear("/follow/a");
    const second = await call(gateway, "/subscribe/a");
    expect(second.status).toBe(503);
    expect(second.headers["warmline-outcome"]).toBe("unsent");
    expect(second.headers["retry-after"]).toBe("1");
    first.close();
    await expect.poll(() => metric(gateway, "streams_open")).toBe(0);
    expect((await hear("/subscribe/a")).status).toBe(200);
  });

  test.each(["/subscribe/a", "/psubscribe/a", "/monitor"])("%s without a token is refused", async (path) => {
    for (const token of [null, "wrong"]) {
      const response = await call(gateway, path, { token, body: "[]" });
      expect(response.status).toBe(401);
      expect(response.json).toEqual({ error: "WRONGPASS invalid or missing auth token" });
    }
    expect(await numsub(gateway, "a")).toBe(0);
    expect((await hear(`${path}?_token=${gateway.token}`, { token: null })).status).toBe(200);
  });

  test("invalid channels are refused", async () => {
    expect((await call(gateway, "/subscribe/")).json.error).toMatch(/has no channel/);
    expect((await call(gateway, "/psubscribe//")).status).toBe(400);
    expect((await call(gateway, "/subscribe/%zz")).status).toBe(400);
    const response = await call(gateway, "/subscribe/a", { method: "PUT" });
    expect([response.status, response.headers.allow]).toEqual([405, "GET, POST"]);
    expect((await call(gateway, "/subscribe/a", { method: "HEAD" })).status).toBe(405);
    expect((await call(gateway, "/subscribe")).json.error).toMatch(/^NOPERM/);
  });

  test("streams do not delay shutdown, and end in order", async () => {
    const streams = [await hear("/subscribe/a"), await hear("/monitor"), await hear("/psubscribe/a")];
    const start = performance.now();
    await gateway.close();
    expect(performance.now() - start).toBeLessThan(2_000);
    for (const stream of streams) await expect.poll(() => stream.over).toBe("end");
  });

  test("MONITOR uses one connection for all streams", async () => {
    const streams = [await hear("/monitor"), await hear("/MONITOR", { method: "GET" })];
    expect(await metric(gateway, 'upstream_connections{use="stream"}')).toBe(1);
    await run(gateway, "SET", "k", 'v "\r\n"');
    for (const stream of streams) {
      await expect
        .poll(() => stream.data.map((line) => line.replace(/^[\d.]+ \[[^\]]*\] /, "")), { timeout: 5_000 })
        .toEqual(expect.arrayContaining(['"OK"', expect.stringMatching(/^"SET" "k" "v \\"\\r\\n\\""$/i)]));
      expect(stream.data[0]).toBe('"OK"');
    }
    for (const stream of streams) stream.close();
    await expect.poll(() => metric(gateway, 'upstream_connections{use="stream"}')).toBe(0);
  });
});

describe("event streams when Redis refuses or is not there", () => {
  test("a refused subscription reports the reason", async () => {
    const fake = forTest(await startFakeRedis());
    const gateway = forTest(await createGateway({ redis: fake.url, port: 0 }));
    for (const path of ["/subscribe/a", "/monitor"]) {
      const response = await call(gateway, path);
      expect(response.status).toBe(400);
      expect(response.json.error).toMatch(/^ERR unknown command/);
    }
  });

  test("passwords are removed from MONITOR's lines", async () => {
    const lines = [
      '1.5 [0 127.0.0.1:5] "auth" "secret"',
      '1.5 [0 127.0.0.1:5] "AUTH" "user" "secret"',
      '1.5 [0 [::1]:5] "HELLO" "3" "AUTH" "user" "secret"',
      '1.5 [0 unix:/x] "CONFIG" "SET" "requirepass" "secret"',
      '1.5 [0 lua] "ACL" "SETUSER" "x" ">secret"',
      '1.5 [0 lua] "migrate" "host" "6379" "" "0" "10" "AUTH" "secret" "KEYS" "k"',
      '1.5 [0 127.0.0.1:5] "HELLO"',
      '1.5 [0 127.0.0.1:5] "SET" "AUTH" "shown"',
    ];
    const bytes = ["OK", ...lines].map((line) => `+${line}\r\n`).join("");
    const fake = forTest(await startFakeRedis(({ name }) => (name === "MONITOR" ? { bytes } : undefined)));
    const gateway = forTest(await createGateway({ redis: fake.url, port: 0 }));
    const stream = forTest(await listen(gateway, "/monitor"));
    const shown = await dataOf(stream, lines.length + 1);
    expect(shown.slice(1).map((line) => line.replace(/^.*\] (?=")/, ""))).toEqual([
      '"auth" "(redacted)"',
      '"AUTH" "(redacted)"',
      '"HELLO" "(redacted)"',
      '"CONFIG" "(redacted)"',
      '"ACL" "(redacted)"',
      '"migrate" "(redacted)"',
      '"HELLO"',
      '"SET" "AUTH" "shown"',
    ]);
  });

  test("large lines of MONITOR arrive whole, and one that is too large is a gap", async () => {
    const line = (size: number) => `1.5 [0 lua] "SET" "k" "${"x".repeat(size)}"`;
    const lines = [line(3e5), line(2e6), line(10)];
    const bytes = ["OK", ...lines].map((each) => `+${each}\r\n`).join("");
    const fake = forTest(await startFakeRedis(({ name }) => (name === "MONITOR" ? { bytes } : undefined)));
    const gateway = forTest(await createGateway({ redis: fake.url, port: 0, maxReplySize: 1e6 }));
    const stream = forTest(await listen(gateway, "/monitor"));
    await expect.poll(() => stream.text).toContain(lines[2]);
    const [whole, , last] = lines;
    expect(stream.text).toBe(`data: "OK"\n\ndata: ${whole}\n\nevent: gap\ndata:\n\ndata: ${last}\n\n`);
  });

  test("a subscription without Redis is an unsent error", async () => {
    const [port] = await freePorts(1);
    const redis = `redis://127.0.0.1:${port}`;
    const gateway = forTest(await createGateway({ redis, port: 0, commandTimeout: 300 }));
    for (const path of ["/subscribe/a", "/monitor"]) {
      const response = await call(gateway, path);
      expect([response.status, response.headers["warmline-outcome"]]).toEqual([503, "unsent"]);
      expect(response.json.error).toMatch(/could not be reached: ECONNREFUSED/);
    }
  });

  test("a Redis that never replies times out", async () => {
    const fake = forTest(
      await startFakeRedis(({ name }) => (name === "SUBSCRIBE" || name === "MONITOR" ? "lose" : undefined)),
    );
    const gateway = forTest(await createGateway({ redis: fake.url, port: 0, commandTimeout: 300 }));
    for (const path of ["/subscribe/a", "/monitor"]) {
      const response = await call(gateway, path);
      expect([response.status, response.headers["warmline-outcome"]]).toEqual([503, "unsent"]);
    }
  });
});
