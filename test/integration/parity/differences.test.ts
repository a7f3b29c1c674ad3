import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis as Reference } from "@upstash/redis";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  ArgumentError,
  ConfigError,
  RedisError,
  type RedisOptions,
  Redis as Warmline,
  WarmlineError,
} from "warmline";
import type { Gateway } from "../../../gateway/src/index.js";
import { httpResponse, jsonResponse, RawEndpoint } from "../../support/endpoint.js";
import { errorOf } from "../../support/error-of.js";
import { describeEngines } from "../gateway/engines.js";
import { differences } from "./known-differences.js";

// Shows with both clients the differences that code meets when it moves from the reference client to warmline. Each has a
// line of the same name in docs/migrate-from-upstash.md.

const guide = readFileSync(join(import.meta.dirname, "../../../docs/migrate-from-upstash.md"), "utf8");
const shown: string[] = [];

function difference(name: string, run: () => Promise<void>): void {
  shown.push(name);
  test(`the difference in the guide holds: ${name}`, run);
}

/** A method that is called as JavaScript without types might call it. */
type Method = (...args: unknown[]) => Promise<unknown>;

/** The result of a promise, as text. */
async function describeResult(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => `resolves ${JSON.stringify(value)}`,
    (error) => `rejects ${error?.name ?? error}`,
  );
}

describe("when a response does not come", () => {
  const endpoint = RawEndpoint.forEachTest();
  const reference = (options: object = {}) =>
    new Reference({ url: endpoint.url, token: "t", enableTelemetry: false, ...options });
  const warmline = (options: RedisOptions = {}) =>
    new Warmline({ url: endpoint.url, token: "t", responseFormat: "json", ...options });
  const fastRetry = { retries: 2, backoff: () => 1 };

  /** Loses every response after the whole request was read, so that a server would have applied it. */
  const loseResponses = () => {
    endpoint.onRequest = ({ socket }) => void socket.destroy();
  };

  difference("A write whose response was lost", async () => {
    loseResponses();
    await describeResult(reference({ retry: fastRetry }).incr("theirs"));
    expect(endpoint.count("theirs")).toBe(3);
    const error = await errorOf(warmline({ retry: fastRetry }).incr("ours"));
    expect(error).toMatchObject({ name: "UnknownOutcomeError", outcome: "unknown", command: "INCR" });
    expect(endpoint.count("ours")).toBe(1);
    await describeResult(warmline({ retry: fastRetry }).get("a read"));
    expect(endpoint.count("a read")).toBe(3);
    await describeResult(warmline({ retry: fastRetry, writes: "at-least-once" }).incr("as before"));
    expect(endpoint.count("as before")).toBe(3);
  });

  difference("`retry: false`", async () => {
    loseResponses();
    await describeResult(reference({ retry: false }).get("theirs"));
    expect(endpoint.count("theirs")).toBe(2);
    await describeResult(warmline({ retry: false }).get("ours"));
    expect(endpoint.count("ours")).toBe(1);
  });

  difference("A response that never arrives", async () => {
    endpoint.onRequest = () => {};
    const stop = new AbortController();
    const theirs = describeResult(reference({ signal: stop.signal, enableAutoPipelining: false }).get("k"));
    const ours = warmline({ timeout: 100, retry: false }).get("k");
    await expect(ours).rejects.toMatchObject({ name: "TimeoutError", outcome: "unknown" });
    const waiting = new Promise((resolve) => setTimeout(resolve, 200, "still waiting"));
    expect(await Promise.race([theirs, waiting])).toBe("still waiting");
    stop.abort("end");
    await theirs;
  });

  difference("An aborted signal", async () => {
    endpoint.onRequest = () => {};
    const reason = { stopped: true };
    const aborted = (make: (signal: AbortSignal) => Promise<unknown>) => {
      const stop = new AbortController();
      const call = make(stop.signal);
      setTimeout(() => stop.abort(reason), 50);
      return call;
    };
    const theirs = (options: object) =>
      describeResult(aborted((signal) => reference({ signal, ...options }).get("k")));
    expect(await theirs({ enableAutoPipelining: false })).toBe("resolves null");
    expect(await theirs({})).toBe("rejects TypeError");
    await expect(aborted((signal) => warmline({ signal }).get("k"))).rejects.toBe(reason);
  });

  difference("A response that is not from Redis", async () => {
    endpoint.answer(httpResponse("<html>", { "content-type": "text/html" }, "502 Bad Gateway"));
    expect(await describeResult(reference().incr("k"))).toBe("rejects UpstashJSONParseError");
    await expect(warmline().incr("k")).rejects.toMatchObject({
      name: "UnknownOutcomeError",
      outcome: "unknown",
    });
    await expect(warmline({ retry: false }).get("k")).rejects.toMatchObject({ outcome: "unknown" });
  });

  difference("Without url and token", async () => {
    // The reference warns that url and token are missing.
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    try {
      expect(await describeResult(new Reference({ url: "", token: "", retry: fastRetry }).get("k"))).toBe(
        "rejects TypeError",
      );
      expect(warned).toHaveBeenCalled();
      warned.mockClear();
      await expect(new Warmline({ url: "", token: "" }).get("k")).rejects.toBeInstanceOf(ConfigError);
      expect(warned).not.toHaveBeenCalled();
      expect(endpoint.requests).toEqual([]);
    } finally {
      warned.mockRestore();
    }
  });

  difference("Telemetry", async () => {
    endpoint.answer(jsonResponse('[{"result":"OK"}]'));
    await describeResult(new Reference({ url: endpoint.url, token: "t" }).get("theirs"));
    await describeResult(warmline().get("ours"));
    const [theirs, ours] = endpoint.requests;
    expect(theirs!.head).toMatch(/upstash-telemetry/i);
    expect(ours!.head).not.toMatch(/telemetry/i);
  });
});

describeEngines("differences", ({ start }) => {
  let gateway: Gateway;
  let reference: Reference;
  let warmline: Warmline;
  let text: Warmline;
  const theirs = (options: object = {}) =>
    new Reference({ url: gateway.url, token: gateway.token, enableTelemetry: false, ...options });

  beforeAll(async () => {
    gateway = await start();
    reference = theirs();
    warmline = new Warmline({ url: gateway.url, token: gateway.token });
    text = warmline.with({ codec: "text" });
  });
  beforeEach(() => warmline.flushall());

  describe("values", () => {
    difference("Integers that a number would round", async () => {
      await text.set("object", '{"id":9007199254740993}');
      expect(await reference.get("object")).toEqual({ id: Number("9007199254740992") });
      expect(await warmline.get("object")).toBe('{"id":9007199254740993}');
      await text.set("n", "9007199254740992");
      expect(await reference.incr("n")).toBe(Number("9007199254740992"));
      expect(await warmline.incr("n")).toBe("9007199254740994");
    });

    difference("Numbers in hgetall", async () => {
      await text.hset("h", { exponent: "1e5", zeros: "1.50", fraction: "1.25" });
      expect(await reference.hgetall("h")).toEqual({ exponent: 100_000, zeros: "1.50", fraction: "1.25" });
      expect(await warmline.hgetall("h")).toEqual({ exponent: "1e5", zeros: "1.50", fraction: 1.25 });
      const fields = ["exponent", "zeros", "fraction"];
      expect(await Promise.all(fields.map((field) => warmline.hget("h", field)))).toEqual([
        "1e5",
        "1.50",
        1.25,
      ]);
    });

    difference("Names that look like something else", async () => {
      await warmline.set("1", "x");
      expect(await reference.keys("*")).toEqual([1]);
      expect(await warmline.keys("*")).toEqual(["1"]);
      expect((await reference.scan(0))[1]).toEqual([1]);
      expect((await warmline.scan(0))[1]).toEqual(["1"]);
      expect(await reference.randomkey()).toBe(1);
      expect(await warmline.randomkey()).toBe("1");
      await warmline.hset("h", { true: "x" });
      expect(await reference.hkeys("h")).toEqual([true]);
      expect(await warmline.hkeys("h")).toEqual(["true"]);
    });

    difference("Parts of text", async () => {
      await warmline.set("k", "12345");
      expect(await reference.getrange("k", 0, 1)).toBe(12);
      expect(await warmline.getrange("k", 0, 1)).toBe("12");
    });

    difference("Text in quotes", async () => {
      await warmline.set("k", '"quoted"');
      expect(await reference.get("k")).toBe("quoted");
      expect(await warmline.get("k")).toBe('"quoted"');
    });

    difference("Dates, and other objects whose JSON is text", async () => {
      const date = new Date(0);
      await reference.set("theirs", date);
      await warmline.set("ours", date);
      expect(await text.get("theirs")).toBe('"1970-01-01T00:00:00.000Z"');
      expect(await text.get("ours")).toBe("1970-01-01T00:00:00.000Z");
      expect(await reference.get("ours")).toBe(await warmline.get("ours"));
    });

    difference("Bytes", async () => {
      const bytes = Uint8Array.of(0, 255);
      await reference.set("theirs", bytes);
      await warmline.set("ours", bytes);
      expect(await text.get("theirs")).toBe('{"0":0,"1":255}');
      expect(await warmline.with({ codec: "bytes" }).get("ours")).toEqual(bytes);
    });

    difference("Arguments that can't be sent", async () => {
      for (const argument of [undefined, Number.NaN, () => 1, "\ud800"] as unknown[]) {
        expect(await describeResult(reference.set("k", argument))).toBe("rejects UpstashError");
        await expect(warmline.set("k", argument)).rejects.toBeInstanceOf(ArgumentError);
      }
      expect(() => warmline.pipeline().hset("h", { field: undefined })).toThrow(ArgumentError);
      expect(await warmline.dbsize()).toBe(0);
    });

    difference("Unknown options", async () => {
      const options = { ttl: 60 } as object;
      await reference.set("theirs", 1, options);
      expect(await text.ttl("theirs")).toBe(-1);
      await expect(warmline.set("ours", 1, options)).rejects.toThrow(
        "SET: argument 3 has an unknown option ttl",
      );
      const given = { url: gateway.url, token: gateway.token, retries: 0 } as never;
      expect(() => new Reference(given)).not.toThrow();
      expect(() => new Warmline(given)).toThrow(ConfigError);
    });

    difference("Options in another case", async () => {
      const options = { EX: 60 } as object;
      await reference.set("theirs", 1, options);
      await warmline.set("ours", 1, options);
      expect(await text.ttl("theirs")).toBe(-1);
      expect(await text.ttl("ours")).toBeGreaterThan(0);
    });

    difference("An option with `undefined`, or `null`", async () => {
      const undefinedOption = { nx: undefined, ifEq: undefined } as object;
      expect(await reference.set("theirs", 1, undefinedOption)).toBe("OK");
      await expect(warmline.set("ours", 1, undefinedOption)).rejects.toThrow("argument 3.ifEq is undefined");
      expect(await warmline.set("ours", 1, { nx: undefined } as object)).toBe("OK");
      const nullOption = { nx: null } as object;
      expect(await reference.set("theirs", 2, nullOption)).toBe("OK");
      await expect(warmline.set("ours", 2, nullOption)).rejects.toThrow("the option nx with null");
    });

    difference("An extra argument, or one of another shape", async () => {
      await text.mset({ a: "1", b: "2" });
      expect(await (reference.hset as Method)("h", { a: 1 }, { b: 2 })).toBe(1);
      await expect((warmline.hset as Method)("h", { a: 1 }, { b: 2 })).rejects.toBeInstanceOf(ArgumentError);
      await expect((warmline.get as Method)("a", "b")).rejects.toThrow("GET: argument 2 is one too many");
      await (reference.set as Method)("theirs", 1, ["EX", 60]);
      expect(await text.ttl("theirs")).toBe(-1);
      await expect((warmline.set as Method)("ours", 1, ["EX", 60])).rejects.toBeInstanceOf(ArgumentError);
    });

    difference("Alternating fields and values", async () => {
      await (reference.hset as Method)("theirs", "a", 1);
      await warmline.hset("ours", "a", 1, "b", 2);
      expect(await text.hgetall("theirs")).toEqual({ 0: "a" });
      expect(await text.hgetall("ours")).toEqual({ a: "1", b: "2" });
      await warmline.mset("c", 1, "d", 2);
      expect(await warmline.msetnx("e", 3)).toBe(1);
      expect(await text.mget("c", "d", "e")).toEqual(["1", "2", "3"]);
    });

    difference("Objects without JSON", async () => {
      for (const value of [
        new Map([[1, 2]]),
        new Set([1]),
        Promise.resolve(1),
        new Error("e"),
        new ArrayBuffer(1),
      ] as unknown[]) {
        await reference.set("theirs", value);
        expect(await text.get("theirs")).toBe("{}");
        await expect(warmline.set("ours", value)).rejects.toBeInstanceOf(ArgumentError);
      }
    });

    difference("An array in place of a key, field, id or member", async () => {
      await text.mset({ a: "1", b: "2" });
      expect(await (reference.del as Method)(["a", "b"])).toBe(0);
      expect(await (warmline.del as Method)(["a", "b"])).toBe(2);
      await text.hset("h", { a: 1, b: 2 });
      expect(await (reference.hdel as Method)("h", ["a", "b"])).toBe(0);
      expect(await (warmline.hdel as Method)("h", ["a", "b"])).toBe(2);
    });

    difference("`null` among the keys of `del` and `unlink`", async () => {
      await text.mset({ null: "1", a: "2" });
      expect(await (warmline.del as Method)("a", null)).toBe(1);
      expect(await (reference.del as Method)("a", null)).toBe(1);
      expect(await text.exists("null")).toBe(0);
    });

    difference("`automaticDeserialization: false`", async () => {
      const off = { automaticDeserialization: false };
      await warmline.hset("h", { a: 1, b: { v: 2 } });
      expect(await theirs(off).hgetall("h")).toEqual(["a", "1", "b", '{"v":2}']);
      const ours = new Warmline({ url: gateway.url, token: gateway.token, ...off });
      expect(await ours.hgetall("h")).toEqual({ a: "1", b: '{"v":2}' });
    });

    difference("Objects given to exec", async () => {
      await reference.exec(["SET", "theirs", { v: 1 } as never]);
      await warmline.exec(["SET", "ours", { v: 1 }]);
      expect(await text.mget("theirs", "ours")).toEqual(["[object Object]", '{"v":1}']);
    });
  });

  describe("batches", () => {
    const counted = async () => {
      const metrics = await fetch(`${gateway.url}/metrics`, {
        headers: { authorization: `Bearer ${gateway.token}` },
      });
      return Number(/^warmline_gateway_requests_total (\d+)$/m.exec(await metrics.text())![1]);
    };

    /** Number of requests of a call; reading the counter takes one itself. */
    const requestsOf = async (run: () => Promise<unknown>) => {
      const before = await counted();
      await run();
      return (await counted()) - before - 1;
    };

    difference("Reads and writes of the same tick", async () => {
      const theirs = () => Promise.all([reference.set("k", "old"), reference.get("k")]);
      expect(await requestsOf(theirs)).toBe(2);
      const ours = () => Promise.all([warmline.set("k", "new"), warmline.get("k")]);
      expect(await requestsOf(async () => expect(await ours()).toEqual(["OK", "new"]))).toBe(1);
    });

    difference("bitfield with automatic pipelining", async () => {
      // The reference sends the rest of its batch, which is empty, and no caller can catch that rejection.
      const listeners = process.listeners("unhandledRejection");
      process.removeAllListeners("unhandledRejection");
      try {
        const uncaught = new Promise<string>((resolve) => {
          process.once("unhandledRejection", (error) => resolve(String(error)));
        });
        expect(() => reference.bitfield("b").get("u8", 0)).toThrow(TypeError);
        await expect.poll(() => Promise.race([uncaught, "none yet"])).toMatch(/Pipeline is empty/);
      } finally {
        process.removeAllListeners("unhandledRejection");
        for (const listener of listeners) process.on("unhandledRejection", listener);
      }
      expect(await warmline.bitfield("b").set("u8", 0, 7).get("u8", 0).exec()).toEqual([0, 7]);
    });

    difference("Kept errors", async () => {
      const kept = (redis: Reference | Warmline) =>
        (redis as Reference).pipeline().set("k", "x").incr("k").exec({ keepErrors: true });
      expect((await kept(reference))[1]!.error).toMatch(/^ERR value is not an integer/);
      expect((await kept(warmline))[1]!.error).toBeInstanceOf(RedisError);
    });

    difference("Errors of a pipeline", async () => {
      const failing = (redis: Reference | Warmline) =>
        (redis as Reference)
          .pipeline()
          .set("k", "x")
          .incr("k")
          .exec()
          .catch((error) => error);
      expect((await failing(reference)).message).toBe(
        "Command 2 [ incr ] failed: ERR value is not an integer or out of range",
      );
      expect(await failing(warmline)).toMatchObject({ name: "RedisError", index: 1, command: "INCR" });
    });
  });

  describe("errors", () => {
    difference("Class and text of errors", async () => {
      await warmline.set("k", "text");
      const push = (redis: Reference | Warmline) =>
        (redis as Reference).lpush("k", "a secret").catch((error) => error);
      const theirs = await push(new Reference({ ...gatewayOf(), enableAutoPipelining: false }));
      expect(theirs.name).toBe("UpstashError");
      expect(theirs.message).toContain("a secret");
      const ours = await push(warmline);
      expect(ours).toBeInstanceOf(WarmlineError);
      expect(ours).toMatchObject({ name: "RedisError", code: "WRONGTYPE", outcome: "answered" });
      expect(ours.message).not.toContain("a secret");
    });

    difference("Commands that change a connection", async () => {
      expect(await describeResult(reference.exec(["SELECT", 1]))).toBe("rejects UpstashError");
      await expect(warmline.exec(["SELECT", 1])).rejects.toMatchObject({
        name: "ArgumentError",
        outcome: "unsent",
      });
    });

    const gatewayOf = () => ({ url: gateway.url, token: gateway.token, enableTelemetry: false });
  });
});

describe("what only the reference has", () => {
  difference("Upstash's own search and vector indexes", async () => {
    const reference = new Reference({ url: "https://localhost", token: "t" });
    expect(typeof reference.search.index).toBe("function");
    expect(typeof reference.vector.index).toBe("function");
    const warmline = new Warmline({ url: "https://localhost", token: "t" });
    expect("search" in warmline || "vector" in warmline).toBe(false);
  });
});

test("the guide lists every difference, and no other", () => {
  const named = [...guide.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, name]) => name);
  expect([...new Set(shown)].sort()).toEqual(named.sort());
});

test("the guide names the method of every sample that differs", () => {
  const section = guide.split("## Small differences")[1]!;
  const methods = [...differences.keys()].map((sample) => sample.split(" ")[0]!.toLowerCase());
  for (const method of new Set(methods)) expect(section).toMatch(new RegExp(`\`${method}[\`(]`));
});
