import * as reference from "@upstash/redis";
import { beforeEach, describe, expect, test } from "vitest";
import { createGateway } from "warmline-gateway";
import * as compat from "warmline-upstash";
import * as cloudflare from "warmline-upstash/cloudflare";
import * as fastly from "warmline-upstash/fastly";
import { commands } from "../../support/commands.js";
import { sharedByTests } from "../../support/lifetime.js";

let redis: compat.Redis;
const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0 }));
beforeEach(async () => {
  redis = new compat.Redis({ url: gateway.url, token: gateway.token });
  await redis.flushall();
});

test("the modules export the same names as the reference at run time", () => {
  expect(Object.keys(compat)).toEqual(expect.arrayContaining(Object.keys(reference)));
  expect(Object.keys(compat.errors).sort()).toEqual(Object.keys(reference.errors).sort());
  expect([Object.keys(cloudflare).sort(), Object.keys(fastly).sort()]).toEqual([
    ["Redis", "errors"],
    ["Redis", "errors"],
  ]);
});

describe("errors", () => {
  test("an error reply is an UpstashError", async () => {
    await redis.set("text", "x");
    const error = await redis.incr("text").catch((thrown) => thrown);
    expect(error).toBeInstanceOf(compat.errors.UpstashError);
    expect(error).not.toBeInstanceOf(compat.errors.UpstashJSONParseError);
    expect(error).not.toBeInstanceOf(compat.errors.UrlError);
    expect(String(error)).toContain("not an integer");
  });

  test("an invalid address is a UrlError", () => {
    expect(() => new compat.Redis({ url: "redis://localhost", token: "t" })).toThrow(compat.errors.UrlError);
  });

  test("errors thrown by programs have the reference's names", () => {
    const { UpstashError, UpstashJSONParseError, UrlError } = compat.errors;
    const made = new UpstashJSONParseError("<html>");
    expect([made instanceof UpstashError, made instanceof UpstashJSONParseError]).toEqual([true, true]);
    expect(new UpstashError("x", { cause: made }).cause).toBe(made);
    expect(new UpstashError("x")).not.toBeInstanceOf(UpstashJSONParseError);
    expect([new UrlError("ftp://x").name, new UrlError("x") instanceof UpstashError]).toEqual([
      "UrlError",
      false,
    ]);
    expect(new Error("x")).not.toBeInstanceOf(UpstashError);
  });
});

test("kept errors are text, as in the reference, also after use() and when detached", async () => {
  await redis.set("text", "x");
  const { pipeline } = redis;
  const theirs = await new reference.Redis({ url: gateway.url, token: gateway.token })
    .pipeline()
    .incr("text")
    .get("text")
    .exec({ keepErrors: true });
  const seen: unknown[] = [];
  const before = await pipeline().incr("text").get("text").exec({ keepErrors: true });
  redis.use(async (request, next) => {
    seen.push(request.body);
    return next(request);
  });
  const after = await redis.pipeline().incr("text").get("text").exec({ keepErrors: true });
  for (const kept of [before, after]) {
    expect(kept.map(({ result }) => result)).toEqual([undefined, "x"]);
    expect(theirs[0]!.error).toContain(kept[0]!.error);
    expect(kept[0]!.error).toMatch(/^ERR .*integer or out of range$/);
  }
  expect(seen).toEqual([commands("INCR text", "GET text")]);
  expect(await redis.multi().incr("n").exec()).toEqual([1]);
});

test("Upstash's own indexes are refused with a clear error, and schemas can be declared", async () => {
  const schema = compat.s.object({
    title: compat.s.string().noStem().from("name"),
    price: compat.s.number("U64"),
    nested: compat.s.object({ day: compat.s.date().fast() }),
  });
  const index = redis.search.index({ name: "products", schema });
  expect(index).toBeInstanceOf(compat.SearchIndex);
  const calls = [
    redis.search.createIndex({ name: "products", dataType: "hash", prefix: "p:", schema }),
    index.query({ filter: { title: "x" } }),
    index.count({ filter: {} }),
    redis.search.alias.list(),
    redis.vector.createIndex({ name: "v", dimension: 3, metric: "COSINE" }),
    redis.vector.index("v").query({ vector: [1, 2, 3], topK: 1 }),
  ];
  for (const call of calls) {
    const error = await call.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(compat.errors.UpstashError);
    expect(error.message).toMatch(/indexes exist only on Upstash's own server/);
  }
});

test("the client reads a Worker's environment", async () => {
  const env = { UPSTASH_REDIS_REST_URL: gateway.url, UPSTASH_REDIS_REST_TOKEN: gateway.token };
  expect(await cloudflare.Redis.fromEnv(env).set("k", "v")).toBe("OK");
  expect(await redis.get("k")).toBe("v");
});

test("every request on Fastly names its backend", async () => {
  const { fetch } = globalThis;
  const backends: unknown[] = [];
  globalThis.fetch = (input, init) => {
    backends.push((init as { backend?: string }).backend);
    return fetch(input, init);
  };
  try {
    expect(
      await new fastly.Redis({ url: gateway.url, token: gateway.token, backend: "upstash" }).ping(),
    ).toBe("PONG");
  } finally {
    globalThis.fetch = fetch;
  }
  expect(backends).toEqual(["upstash"]);
});
