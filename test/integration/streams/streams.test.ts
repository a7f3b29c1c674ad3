import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ArgumentError, Redis, WarmlineError } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { idempotent } from "warmline/idempotent";
import { follow, GapError, produce } from "warmline/streams";
import type { Gateway, TracedCommand } from "../../../gateway/src/index.js";
import { RawEndpoint } from "../../support/endpoint.js";
import { errorOf } from "../../support/error-of.js";
import { beforeTests } from "../../support/lifetime.js";
import { startPlainEndpoint } from "../../support/plain-endpoint.js";
import { describeEngines } from "../gateway/engines.js";

describeEngines("streams", (setup) => {
  let gateway: Gateway;
  let plain: { readonly url: string };
  /** How often the state of a stream was read. */
  let looks = 0;
  beforeTests(async (shared) => {
    const onCommand = ({ name }: TracedCommand) => {
      if (name.startsWith("XINFO")) looks++;
    };
    gateway = await setup.start({ onCommand });
    plain = shared(await startPlainEndpoint(gateway));
  });

  const ways: [string, (token?: string) => Redis][] = [
    [
      "over the gateway's event stream",
      (token = gateway.token) => new Redis({ url: gateway.url, token, timeout: 10_000 }),
    ],
    [
      "on the fetch entry",
      (token = gateway.token) => new FetchRedis({ url: gateway.url, token, timeout: 10_000 }),
    ],
    [
      "against an endpoint that is polled",
      (token = gateway.token) => new Redis({ url: plain.url, token, timeout: 10_000 }),
    ],
  ];
  describe.each(ways)("%s", (_name, make) => {
    let redis: Redis;
    let controller: AbortController;
    beforeEach(async () => {
      redis = make();
      controller = new AbortController();
      await redis.flushall();
    });
    afterEach(() => controller.abort());

    test("a follower gets what a producer writes, until it closes the stream", async () => {
      const seen: unknown[] = [];
      const done = (async () => {
        for await (const { id, fields } of follow(redis, "log")) {
          expect(id).toMatch(/^\d+-\d+$/);
          seen.push(fields);
        }
      })();
      const writer = produce(redis, "log", { ttl: 60 }).getWriter();
      const chunks = [{ n: 1, user: { name: "Ada" } }, "text, with\nlines", new Uint8Array([0x68, 0x69])];
      for (const chunk of chunks) await writer.write(chunk);
      await expect.poll(() => seen.length).toBe(3);
      await writer.close();
      await done;
      expect(seen).toEqual([{ n: 1, user: { name: "Ada" } }, { data: "text, with\nlines" }, { data: "hi" }]);
      expect(await redis.ttl("log")).toBeGreaterThan(50);
      // A follower that comes later gets the same.
      const later: unknown[] = [];
      for await (const { fields } of follow(redis, "log")) later.push(fields);
      expect(later).toEqual(seen);
    });

    test("a wrong token, and a key of another type, fail the first read", async () => {
      await redis.set("log", "text");
      await expect(follow(redis, "log").next()).rejects.toMatchObject({ code: "WRONGTYPE" });
      await expect(follow(make("wrong"), "log").next()).rejects.toMatchObject({ code: "WRONGPASS" });
    });

    test("a producer batches chunks in their order, and keeps about as many as maxLen", async () => {
      const stream = produce(redis, "log", { maxLen: 100 });
      const writer = stream.getWriter();
      await Promise.all(Array.from({ length: 700 }, (_, n) => writer.write({ n })));
      await writer.close();
      const length = await redis.xlen("log");
      expect(length).toBeGreaterThanOrEqual(100);
      expect(length).toBeLessThan(400);
      const seen: unknown[] = [];
      for await (const { fields } of follow(redis, "log", { from: "-" })) seen.push(fields.n);
      expect(seen).toEqual(Array.from({ length: length - 1 }, (_, n) => 700 - (length - 1) + n));
    });

    test("a character whose halves come in two chunks is stored whole", async () => {
      const writer = produce(redis.with({ codec: "text" }), "log").getWriter();
      for (const chunk of ["a\ud83d", "\ude00b", "\ud83d", "\ude00", "", "c"]) await writer.write(chunk);
      await writer.close();
      let text = "";
      for await (const { fields } of follow(redis.with({ codec: "text" }), "log")) text += fields.data;
      expect(text).toBe("a😀b😀c");
      const alone = produce(redis, "alone").getWriter();
      await alone.write("\ud83d");
      await expect(alone.close()).rejects.toThrow(/half of a character, a lone surrogate/);
      const mixed = produce(redis, "alone").getWriter();
      await mixed.write("\ud83d");
      await expect(mixed.write({ n: 1 })).rejects.toThrow(/half of a character/);
    });

    test("a follower of an aborted stream throws after the last entry", async () => {
      const writer = produce(redis, "log").getWriter();
      await writer.write("a");
      await writer.abort(new Error("secret"));
      const seen: unknown[] = [];
      const error = await (async () => {
        for await (const { fields } of follow(redis, "log")) seen.push(fields.data);
      })().catch((error) => error);
      expect(seen).toEqual(["a"]);
      expect(error).toBeInstanceOf(WarmlineError);
      expect(error.message).toBe("FOLLOW: the producer aborted the stream");
    });

    test("a follower goes on after an id, and from the end", async () => {
      for (const n of [1, 2, 3]) await redis.xadd("log", `${n}-1`, { n });
      const seen: unknown[] = [];
      for await (const { id, fields } of follow(redis, "log", { from: "1-1" })) {
        seen.push(id, fields);
        if (id === "3-1") break;
      }
      expect(seen).toEqual(["2-1", { n: 2 }, "3-1", { n: 3 }]);
      const entries = follow(redis, "log", { from: "$", signal: controller.signal });
      let entry: unknown;
      const next = entries.next().then(({ value }) => {
        entry = value;
      });
      // The follower may begin after some of these, and never at an earlier one.
      let n = 3;
      while (entry === undefined) {
        n++;
        await redis.xadd("log", `${n}-1`, { n });
        await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 150))]);
      }
      const { fields } = entry as { fields: { n: number } };
      expect(fields.n).toBeGreaterThan(3);
      expect(entry).toEqual({ id: `${fields.n}-1`, fields });
    });

    test("a trimmed gap throws GapError with the position", async () => {
      for (const n of [1, 2, 3, 4]) await redis.xadd("log", `${n}-1`, { n });
      await redis.xtrim("log", { strategy: "MAXLEN", threshold: 2, exactness: "=" });
      const error = await errorOf(follow(redis, "log", { from: "1-1" }).next());
      expect(error).toBeInstanceOf(GapError);
      expect(error).toBeInstanceOf(WarmlineError);
      expect(error).toMatchObject({ name: "GapError", position: "1-1", outcome: "answered" });
      expect(error.message).toBe(
        "FOLLOW: entries after 1-1 were trimmed or deleted; the stream begins at 3-1",
      );
      expect((await follow(redis, "log", { from: "-" }).next()).value).toMatchObject({ id: "3-1" });
      expect((await follow(redis, "log", { from: "3-1" }).next()).value).toMatchObject({ id: "4-1" });
    });

    test("a stream that was deleted and begun again with lower ids is a gap", async () => {
      for (const n of [1, 2, 3]) await redis.xadd("log", `${n}-1`, { n });
      for (const from of ["3-2", "9-1"]) {
        const error = await errorOf(follow(redis, "log", { from }).next());
        expect(error).toBeInstanceOf(GapError);
        expect(error).toMatchObject({ position: from, message: expect.stringContaining("begins at 1-1") });
      }
      await redis.xtrim("log", { strategy: "MAXLEN", threshold: 0, exactness: "=" });
      await expect(follow(redis, "log", { from: "9-1" }).next()).rejects.toThrow("has no entries");
      const before = looks;
      const next = follow(redis, "log", { from: "3-1", signal: controller.signal }).next();
      await expect.poll(() => looks).toBeGreaterThan(before);
      await redis.xadd("log", "4-1", { n: 4 });
      expect((await next).value).toMatchObject({ id: "4-1" });
    });

    test("a producer in a scope that is aborted leaves the stream to the redelivery", async () => {
      const run = (fail: boolean) =>
        idempotent(redis, "event", async (guarded) => {
          const writer = produce(guarded, "log").getWriter();
          await writer.write("a");
          if (fail) {
            await writer.abort(new Error("failed"));
            throw new Error("failed");
          }
          await writer.write("b");
          await writer.close();
        });
      await expect(run(true)).rejects.toThrow("failed");
      await run(false);
      const seen: unknown[] = [];
      for await (const { fields } of follow(redis, "log")) seen.push(fields.data);
      expect(seen).toEqual(["a", "b"]);
    });

    test("a signal ends the loop with its reason", async () => {
      const next = follow(redis, "log", { signal: controller.signal }).next();
      setTimeout(() => controller.abort(new Error("enough")), 50);
      await expect(next).rejects.toThrow("enough");
      await expect(redis.with({ timeout: 60_000 }).ping()).resolves.toBe("PONG");
    });

    test("values are decoded by the client's codec", async () => {
      const value = new Uint8Array([0, 255, 10]);
      await redis.xadd("log", "1-1", { value });
      const bytes = follow(redis.with({ codec: "bytes" }), "log");
      expect((await bytes.next()).value).toEqual({ id: "1-1", fields: { value } });
      await redis.xadd("numbers", "1-1", { n: "042", text: "42" });
      const texts = follow(redis.with({ codec: "text" }), "numbers");
      expect((await texts.next()).value).toEqual({ id: "1-1", fields: { n: "042", text: "42" } });
    });
  });
});

describe("the arguments of follow and produce", () => {
  const redis = new Redis({ url: "http://127.0.0.1:1", token: "t", retry: false });

  test("a key, an id and options are checked", () => {
    for (const key of ["", "..", "\ud800"]) {
      expect(() => follow(redis, key as string)).toThrow(ArgumentError);
      expect(() => produce(redis, key as string)).toThrow(ArgumentError);
    }
    for (const from of ["x", "+"])
      expect(() => follow(redis, "log", { from: from as string })).toThrow(/from must be the id of an entry/);
    expect(() => follow(redis, "log", { form: "0" } as object)).toThrow("did you mean from?");
    expect(() => produce(redis, "log", { maxlen: 1 } as object)).toThrow("did you mean maxLen?");
  });

  test("a signal of a polyfill ends the loop with its reason", async () => {
    const listeners = { addEventListener() {}, removeEventListener() {} };
    const signal = { aborted: true, reason: new Error("enough"), ...listeners } as unknown as AbortSignal;
    await expect(follow(redis, "log", { signal }).next()).rejects.toBe(signal.reason);
    await expect(follow(redis.with({ signal }), "log").next()).rejects.toBe(signal.reason);
  });

  test.each([[[]], [{}], [{ "wl:end": 1 }]])("the chunk %j fails the stream", async (chunk) => {
    const writer = produce(redis, "log").getWriter();
    writer.closed.catch(() => {});
    await expect(writer.write(chunk as never)).rejects.toThrow(ArgumentError);
  });
});

test("a stream that is lost within an entry continues after the last whole one", async () => {
  const endpoint = await RawEndpoint.startForTest();
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nwarmline-gateway: 0\r\n\r\n";
  const begin = (id: string) => `${head}event: follow\nid: ${id}\ndata: ${id}\n\n`;
  endpoint.onRequest = ({ socket, connection }) => {
    if (connection === 1) socket.end(`${begin("0-0")}id: 1-0\ndata: ["n","1"]\n\nid: 2-0\n`);
    else socket.write(`${begin("1-0")}id: 2-0\ndata: ["n","2"]\n\n`);
  };
  const redis = new Redis({ url: endpoint.url, token: "t" });
  const seen: unknown[] = [];
  for await (const { id, fields } of follow(redis, "log")) {
    seen.push(id, fields);
    if (id === "2-0") break;
  }
  expect(seen).toEqual(["1-0", { n: 1 }, "2-0", { n: 2 }]);
  expect(endpoint.requests.map(({ head }) => head.split(" ")[1])).toEqual([
    "/follow/log?from=0-0",
    "/follow/log?from=1-0",
  ]);
});

test("a follower opens a new connection after a freeze of 2 s", async () => {
  const endpoint = await RawEndpoint.startForTest();
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nwarmline-gateway: 0\r\n\r\n";
  endpoint.onRequest = ({ socket }) =>
    void socket.write(
      `${head}event: follow\nid: 0-0\ndata: 0-0\n\nid: ${endpoint.requests.length}-0\ndata: ["n","1"]\n\n`,
    );
  const entries = follow(new Redis({ url: endpoint.url, token: "t" }), "log");
  expect(await entries.next()).toMatchObject({ value: { id: "1-0" } });
  const next = entries.next();
  // The next check comes 2.1 s after the last one.
  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() + 1_100);
  expect(await next).toMatchObject({ value: { id: "2-0" } });
  await entries.return(undefined);
});

test("an endpoint that does not respond fails a follower within the timeout of one read", async () => {
  const endpoint = await RawEndpoint.startForTest();
  endpoint.onRequest = () => {};
  const redis = new Redis({ url: endpoint.url, token: "t", timeout: 1_500 });
  await expect(follow(redis, "log").next()).rejects.toMatchObject({ name: "TimeoutError" });
  expect(endpoint.requests.map(({ head }) => head.split(" ")[1])).toEqual(["/follow/log?from=0-0"]);
});
