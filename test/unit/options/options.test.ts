import { inspect } from "node:util";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { SETTINGS } from "../../../gateway/src/settings/table.js";
import { ConfigError, RedisError } from "../../../src/errors.js";
import { resolveSettings, withOptions } from "../../../src/execution/settings.js";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { Redis } from "../../../src/index.js";
import { readEndpointFromEnv } from "../../../src/options/endpoint.js";

test("the environment's first complete pair is used", () => {
  const upstash = { UPSTASH_REDIS_REST_URL: "https://u", UPSTASH_REDIS_REST_TOKEN: "ut" };
  const kv = { KV_REST_API_URL: "https://k", KV_REST_API_TOKEN: "kt" };
  expect(readEndpointFromEnv({ WARMLINE_URL: "https://w", ...upstash, ...kv })).toEqual({
    url: "https://u",
    token: "ut",
  });
  expect(readEndpointFromEnv({ WARMLINE_URL: "https://w", WARMLINE_TOKEN: "wt", ...upstash })).toEqual({
    url: "https://w",
    token: "wt",
  });
  expect(readEndpointFromEnv(kv)).toEqual({ url: "https://k", token: "kt" });
  expect(readEndpointFromEnv({})).toEqual({});
});

test("by default, the gateway answers before a call ends, and a call ends before a Lambda function", () => {
  const { timeout } = resolveSettings({});
  expect(timeout).toBeLessThan(3_000);
  expect(SETTINGS.commandTimeout.default).toBeLessThan(timeout);
});

test("by default, there are five retries, after 50 ms and twice as long each time, up to 2 s, half of it random", () => {
  const { retries, backoff } = resolveSettings({});
  expect(retries).toBe(5);
  for (const random of [0, 1]) {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const pauses = [50, 100, 200, 400, 800, 1_600, 2_000, 2_000];
    expect(pauses.map((_, retry) => backoff(retry))).toEqual(pauses.map((ms) => (ms * (1 + random)) / 2));
  }
});

test("replies are remembered for two minutes by default, those of a scope for a day", () => {
  const settings = resolveSettings({ writes: "exactly-once" });
  expect(settings.exactlyOnceTtl).toBe(120_000);
  expect(withOptions(settings, { scope: "event" }).exactlyOnceTtl).toBe(86_400_000);
});

test("a response may have 512 MiB by default, as at the gateway", () => {
  const transport = vi.fn(() => ({}));
  new Redis({ ...endpoint, transport: transport as never });
  expect(transport).toHaveBeenCalledWith(endpoint.url, expect.anything(), 536_870_912);
  expect(SETTINGS.maxReplySize.default).toBe(536_870_912);
});

test.each([
  ["a byte order mark", "\ufeff", ""],
  ["a line end", "", "\r\n"],
  ["spaces", "  ", " \t"],
])("%s around a variable is ignored", async (_, before, after) => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (url: string, { headers }: { headers: Record<string, string> }) => {
    sent.push(url, headers.authorization);
    return Response.json({ result: "v" });
  });
  const env = { WARMLINE_URL: `${before}https://trim.example${after}`, WARMLINE_TOKEN: `${before}t${after}` };
  expect(await FetchRedis.fromEnv(env).get("k")).toBe("v");
  expect(sent).toEqual(["https://trim.example/", "Bearer t"]);
  expect(() => FetchRedis.fromEnv({ WARMLINE_URL: `${before}${after}`, WARMLINE_TOKEN: "t" })).not.toThrow();
});

test.each([
  ["WARMLINE_URL", { WARMLINE_URL: '"https://host"', WARMLINE_TOKEN: "t" }, "without quotes"],
  [
    "UPSTASH_REDIS_REST_URL",
    { UPSTASH_REDIS_REST_URL: "redis://host", UPSTASH_REDIS_REST_TOKEN: "t" },
    "--redis",
  ],
  ["KV_REST_API_URL", { KV_REST_API_URL: "https://host:0", KV_REST_API_TOKEN: "t" }, "must not have port 0"],
  ["WARMLINE_TOKEN", { WARMLINE_URL: "https://host", WARMLINE_TOKEN: "'secret'" }, "a quote"],
  ["WARMLINE_TOKEN", { WARMLINE_URL: "https://host", WARMLINE_TOKEN: "secret token" }, "remove it"],
])("an error of a variable names it: %s", (name, env, text) => {
  for (const Client of [Redis, FetchRedis]) {
    expect(() => Client.fromEnv(env)).toThrow(new RegExp(`^${name} .*${text}`));
    expect(() => Client.fromEnv(env)).not.toThrow(/secret/);
  }
});

test("a missing url or token rejects the first command", async () => {
  const redis = new Redis({ url: "https://only.example" });
  await expect(redis.get("k")).rejects.toBeInstanceOf(ConfigError);
  await expect(redis.pipeline().get("k").exec()).rejects.toBeInstanceOf(ConfigError);
  await expect(new Redis().get("k")).rejects.toMatchObject({ outcome: "unsent" });
  await expect(Redis.fromEnv({ WARMLINE_URL: " ", WARMLINE_TOKEN: "t" }).get("k")).rejects.toThrow(
    /^WARMLINE_URL is not set, but WARMLINE_TOKEN is$/,
  );
});

describe("a client from an incomplete environment", () => {
  const env: Record<string, string | undefined> = {};
  const requests: string[] = [];
  beforeEach(() => {
    for (const name of Object.keys(env)) delete env[name];
    requests.length = 0;
    vi.stubGlobal("fetch", async (url: string, { headers }: { headers: Record<string, string> }) => {
      requests.push(`${url} ${new Headers(headers).get("authorization")}`);
      const reply = { result: "OK" };
      return Response.json(url.endsWith("pipeline") ? [reply] : reply);
    });
  });
  const set = () => Object.assign(env, { WARMLINE_URL: "https://late.example", WARMLINE_TOKEN: "late" });
  const SENT = "https://late.example/ Bearer late";

  test("a client reads the environment again at each command until it is complete", async () => {
    const redis = FetchRedis.fromEnv(env, { responseFormat: "json" });
    await expect(redis.get("k")).rejects.toThrow(/^url and token missing: /);
    env.WARMLINE_URL = "https://late.example";
    await expect(redis.get("k")).rejects.toThrow(/^WARMLINE_TOKEN is not set, but WARMLINE_URL is$/);
    env.WARMLINE_TOKEN = "late";
    expect(await redis.get("k")).toBe("OK");
    env.WARMLINE_TOKEN = "later";
    expect(await redis.get("k")).toBe("OK");
    expect(requests).toEqual([SENT, SENT]);
  });

  test("clients by with(), middleware and pipelines use the environment that was set later", async () => {
    const redis = FetchRedis.fromEnv(env, { responseFormat: "json" });
    const derived = redis.with({ codec: "text" });
    const wrapped = FetchRedis.fromEnv(env, { responseFormat: "json" });
    wrapped.use((request, next) => next(request));
    set();
    expect(await derived.get("k")).toBe("OK");
    expect(await wrapped.get("k")).toBe("OK");
    expect(await redis.pipeline().get("k").exec()).toEqual(["OK"]);
    expect(requests).toEqual([SENT, SENT, SENT.replace(" ", "pipeline ")]);
  });

  test("a malformed url that is set later rejects the command", async () => {
    const redis = FetchRedis.fromEnv(env, {});
    Object.assign(env, { WARMLINE_URL: "redis://127.0.0.1:6379", WARMLINE_TOKEN: "t" });
    await expect(redis.get("k")).rejects.toThrow(/redis:\/\/ address/);
    await expect(redis.pipeline().get("k").exec()).rejects.toThrow(/redis:\/\/ address/);
    await expect(redis.subscribe("c").ready).rejects.toThrow(/redis:\/\/ address/);
  });

  test("options without url and token do not read the environment", async () => {
    set();
    vi.stubEnv("WARMLINE_URL", env.WARMLINE_URL);
    vi.stubEnv("WARMLINE_TOKEN", env.WARMLINE_TOKEN);
    await expect(new FetchRedis({ url: undefined, token: undefined }).get("k")).rejects.toThrow(
      /^url and token missing: .*, and use Redis\.fromEnv\(\)$/,
    );
  });
});

test("Infinity is a timeout; NaN and -Infinity, which JSON writes alike, are not", () => {
  new Redis({ ...endpoint, timeout: Number.POSITIVE_INFINITY });
  for (const timeout of [Number.NaN, Number.NEGATIVE_INFINITY])
    expect(() => new Redis({ ...endpoint, timeout })).toThrow(/timeout/);
});

test.each([
  [{ url: "redis://localhost:6379", token: "t" }, /warmline-gateway/],
  [{ url: "rediss://localhost:6379", token: "t" }, /warmline-gateway/],
  [{ url: "localhost:8079", token: "t" }, /https:\/\/ or http:\/\//],
  [{ url: "not a url", token: "t" }, /must be a URL/],
  [{ url: "https://user:secret@host", token: "t" }, /pass the token as/],
  [{ url: "https://host/path?_token=secret", token: "t" }, /must not contain/],
  [{ url: "https://host/#secret", token: "t" }, /must not contain/],
  [{ url: "https://host", token: "secret\ntoken" }, /line break/],
  [
    { url: "https://host", token: "t", writes: "exactly-once" as const, exactlyOnceTtl: 12_499 },
    /exactlyOnceTtl .*timeout/,
  ],
  [
    { url: "https://host", token: "t", writes: "exactly-once" as const, timeout: 110_001 },
    /exactlyOnceTtl .*timeout/,
  ],
])("%j is refused at once, without repeating a secret", (options, message) => {
  expect(() => new Redis(options)).toThrow(ConfigError);
  expect(() => new Redis(options)).toThrow(message);
  expect(() => new Redis(options)).not.toThrow(/secret/);
});

test("exactlyOnceTtl must exceed timeout by 10 s for exactly-once writes", () => {
  const endpoint = { url: "https://lifetimes.example", token: "t", exactlyOnceTtl: 30_000 };
  const once = new Redis({ ...endpoint, writes: "exactly-once", timeout: 20_000 });
  expect(() => once.with({ timeout: 20_001 })).toThrow(
    new ConfigError("exactlyOnceTtl (30000 ms) must exceed timeout (20001 ms) by 10000 ms"),
  );
  expect(() => once.with({ timeout: 20_001, writes: "at-most-once" })).not.toThrow();
  const safe = new Redis({ ...endpoint, timeout: 20_001 });
  expect(() => safe.with({ writes: "exactly-once" })).toThrow(ConfigError);
  expect(() => safe.with({ writes: "exactly-once", timeout: 1_000 })).not.toThrow();
});

const endpoint = { url: "https://host", token: "t" };

test.each([
  [{ write: "exactly-once" }, "unknown option write; did you mean writes?"],
  [{ retries: 0 }, "unknown option retries; it takes url, token, "],
  [{ timeOut: 5 }, "unknown option timeOut; did you mean timeout?"],
  [{ keepalive: false }, "unknown option keepalive; did you mean keepAlive?"],
  [{ base: undefined }, "unknown option base; it takes url, "],
  [{ keepAlive: "false" }, "keepAlive must be true or false"],
  [{ responseFormat: "resp3" }, "responseFormat must be one of resp2, json"],
  [{ retry: 3 }, "retry must be an object with retries and backoff, or false"],
  [{ retry: { retires: 3 } }, "unknown option retires; did you mean retries?"],
  [{ circuit: true }, "circuit must be an object with resetTimeout and probeTimeout, or false"],
  [{ circuit: { probeTimeout: "1" } }, "circuit.probeTimeout must be a number of ms above 0"],
  [{ maxConnections: 0 }, "maxConnections must be a whole number, 1 or more"],
  [{ maxReplySize: 1.5 }, "maxReplySize must be a whole number, 1 or more"],
  [{ timeout: -1 }, "timeout must be a number of ms above 0"],
  [{ writes: "twice" }, "writes must be one of at-most-once, exactly-once, at-least-once"],
  [{ codec: "yaml" }, 'codec must be "json", "text", "bytes" or { encode, decode }'],
  [{ preconnect: null }, "preconnect must be true or false"],
  [{ signal: null }, "signal must be an AbortSignal"],
  [{ signal: new AbortController() }, "signal must be an AbortSignal"],
  [{ deadline: null }, "deadline must be a Lambda context, or have remaining(), in ms"],
  [{ exactlyOnceTtl: null }, "exactlyOnceTtl must be a number of ms above 0"],
  [{ retry: { retries: null } }, "retry.retries must be a whole number, 0 or more"],
  [{ cache: "sometimes" }, "cache must be one of default, force-cache, "],
  [{ token: 5 }, "token must be text"],
  [{ responseEncoding: "hex" }, "responseEncoding must be one of false, base64"],
])("the client option %j is refused: %s", (options, message) => {
  expect(() => new Redis({ ...endpoint, ...options } as never)).toThrow(ConfigError);
  expect(() => new Redis({ ...endpoint, ...options } as never)).toThrow(message);
});

test("an option with undefined counts as left out", () => {
  const options = { keepAlive: undefined, retry: undefined, responseFormat: undefined, writes: undefined };
  expect(() => new Redis({ ...endpoint, ...options } as never)).not.toThrow();
});

test.each([
  [{ exactlyOnceTtl: 5 }, "with() can't change exactlyOnceTtl: pass it to new Redis()"],
  [{ write: "at-most-once" }, "unknown option write; did you mean writes?"],
  [{ signal: 5 }, "signal must be an AbortSignal"],
  [{ signal: {} }, "signal must be an AbortSignal"],
  [{ signal: { aborted: false } }, "signal must be an AbortSignal"],
  [{ signal: new AbortController() }, "signal must be an AbortSignal"],
  [undefined, "with() needs an object of options"],
  ["exactly-once", "with() needs an object of options"],
])("with(%j) is refused: %s", (options, message) => {
  const redis = new Redis(endpoint);
  expect(() => redis.with(options as never)).toThrow(ConfigError);
  expect(() => redis.with(options as never)).toThrow(message);
});

test.each([[["https://host"]], [[endpoint, { timeout: 5 }]], [[null]], [[5]]])("%j is refused", (args) => {
  expect(() => Reflect.construct(Redis, args)).toThrow(
    new ConfigError("new Redis() needs options, such as { url, token }"),
  );
});

test("options of fromEnv are never ignored", () => {
  expect(() => Redis.fromEnv(endpoint as never)).toThrow(/reads url and token from the environment/);
  const env = { WARMLINE_URL: "https://host", WARMLINE_TOKEN: "t" };
  expect(() => Redis.fromEnv(env, { timeOut: 5 } as never)).toThrow(/unknown option timeOut/);
  expect(() => Redis.fromEnv({}, { timeOut: 5 } as never)).toThrow(/unknown option timeOut/);
});

test("fromEnv reads process.env if it is given options in the second place alone", async () => {
  vi.stubEnv("WARMLINE_URL", "https://only.example");
  await expect(Redis.fromEnv(undefined, { timeout: 5 }).get("k")).rejects.toThrow(
    "WARMLINE_TOKEN is not set",
  );
});

test("options and arguments of the client's own methods are never ignored", async () => {
  const redis = new Redis(endpoint);
  await expect(redis.update("k", 1 as never)).rejects.toThrow("update: pass a function");
  await expect(redis.hscanIterator(undefined as never).next()).rejects.toThrow(
    "HSCAN: argument 1 is undefined",
  );
  expect(() => redis.createScript("return 1", { readOnly: true } as never)).toThrow(
    "createScript: unknown option readOnly; did you mean readonly?",
  );
  await expect(redis.update("k", () => 1, { attempt: 1 } as never)).rejects.toThrow("did you mean attempts?");
  await expect(
    redis
      .pipeline()
      .get("k")
      .exec({ keepError: true } as never),
  ).rejects.toThrow("did you mean keepErrors?");
  expect(() => Reflect.apply(redis.subscribe, redis, ["c", () => {}])).toThrow(
    'subscribe() takes one argument: add a listener with .on("message", listener)',
  );
});

test("a subclass of an error matches only its own instances", () => {
  class Missing extends RedisError {}
  class Named extends RedisError {}
  Object.defineProperty(Named.prototype, "name", { value: "Named" });
  const details = { command: "GET" };
  expect(new RedisError("ERR no", details)).not.toBeInstanceOf(Missing);
  expect(new Missing("ERR no", details)).toBeInstanceOf(Missing);
  expect(new Missing("ERR no", details)).toBeInstanceOf(RedisError);
  expect(new Named("ERR no", details)).toBeInstanceOf(Named);
  expect(new Named("ERR no", details)).not.toBeInstanceOf(Missing);
  expect(undefined).not.toBeInstanceOf(Missing);
});

test.each([
  ["WRONGTYPE Operation against a key", "WRONGTYPE"],
  ["SEARCH_INDEX_NOT_FOUND no such index", "SEARCH_INDEX_NOT_FOUND"],
  ["TSDB: the key does not exist", "TSDB"],
  ["Unknown Index name", "ERR"],
  ["max requests limit exceeded", "ERR"],
])("%s has the code %s", (reply, code) => {
  expect(new RedisError(reply, { command: "FOO" }).code).toBe(code);
});

test.each([
  ["no object", 5],
  ["an empty one", {}],
  ["the function alone", () => 5_000],
  ["NaN", { remaining: () => Number.NaN }],
  ["text", { getRemainingTimeInMillis: () => "5" }],
  ["nothing", { remaining: () => undefined }],
])("a deadline that is, or returns, %s is a ConfigError of the call", async (_what, deadline) => {
  const redis = new Redis({ url: "http://127.0.0.1:1", token: "t" }).with({ deadline: deadline as never });
  const failure = {
    name: "ConfigError",
    message: expect.stringMatching(/^deadline must be/),
    outcome: "unsent",
  };
  await expect(redis.get("k")).rejects.toMatchObject(failure);
  await expect(redis.multi().get("k").exec()).rejects.toMatchObject(failure);
  const batch = await Promise.allSettled([redis.get("k"), redis.incr("n"), redis.blpop("l", 1)]);
  expect(batch).toMatchObject([{ reason: failure }, { reason: failure }, { reason: failure }]);
});

test("an unknown command's arguments are not in its error", () => {
  const reply = "ERR unknown command 'FOO', with args beginning with: 'secret' 'data'";
  const error = new RedisError(reply, { command: "FOO" });
  expect(error.message).toBe("ERR unknown command 'FOO' (command: FOO)");
  expect(error.code).toBe("ERR");
});

test("a client inspected to any depth does not show its token", async () => {
  const redis = new Redis({ url: "https://inspected.example", token: "a-secret-token" });
  redis.use((request, next) => next(request));
  const plain = new Redis({ url: "https://inspected.example", token: "a-secret-token" });
  const subjects = [redis, plain, plain.with({ timeout: 5 }), plain.pipeline(), plain.multi(), plain.json];
  for (const subject of [...subjects, plain.createScript("return 1"), plain.bitfield("k")]) {
    for (const depth of [2, 10, null]) {
      for (const customInspect of [false, true]) {
        const options = { depth, customInspect, showHidden: true, getters: true, showProxy: true } as const;
        expect(inspect(subject, options)).not.toContain("secret");
      }
    }
  }
});

test("with() takes retries, and keeps those of its client", () => {
  const base = resolveSettings({ retry: { retries: 2, backoff: () => 7 } });
  expect(withOptions(base, {})).toMatchObject({ retries: 2, backoff: base.backoff });
  expect(withOptions(base, { retry: false }).retries).toBe(0);
  const changed = withOptions(base, { retry: { backoff: () => 9 } });
  expect([changed.retries, changed.backoff(0), base.backoff(0)]).toEqual([2, 9, 7]);
  expect(withOptions(withOptions(base, { retry: { retries: 1 } }), {}).retries).toBe(1);
  const backoff = () => {
    throw new Error("no pause");
  };
  const failing = withOptions(base, { retry: { backoff } });
  expect(failing.backoff(0)).toBe(Infinity);
  for (const retry of [true, 3, null, { retries: -1 }, { pause: 1 }])
    expect(() => withOptions(base, { retry } as object)).toThrow(ConfigError);
});
