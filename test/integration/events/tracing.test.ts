import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { Redis, type RedisOptions, type TraceContext } from "warmline";
import { jsonResponse, RawEndpoint, resp2Response } from "../../support/endpoint.js";
import { describeEntries } from "../../support/entries.js";
import { errorOf } from "../../support/error-of.js";
import { collectTraces, type TraceEvent } from "../../support/traces.js";

// Traces of commands and requests: on channels of `node:diagnostics_channel`, and by the hook of either entry.

const endpoint = RawEndpoint.forEachTest();
let heard: TraceEvent[];
let unsubscribe: () => void;
beforeEach(() => {
  ({ events: heard, stop: unsubscribe } = collectTraces());
});
afterEach(() => {
  unsubscribe();
  client().close();
});

const client = (options: RedisOptions = {}) =>
  new Redis({ url: endpoint.url, token: "secret-token", codec: "text", retry: false, ...options });
const server = () => ({ serverAddress: "127.0.0.1", serverPort: Number(new URL(endpoint.url).port) });
const names = () => heard.map(([event]) => event);

const reply = (text: string) => endpoint.answer(resp2Response(text));

/** Replies to a batch of two, in the form that every endpoint has. */
const replyTwice = () =>
  endpoint.answer(jsonResponse('[{"result":1},{"result":2}]', { "warmline-gateway": "0" }));

test("a command publishes its own start and end, and the start and end of its request", async () => {
  reply("$12\r\nsecret-value\r\n");
  expect(await client().get("secret-key")).toBe("secret-value");
  expect(names()).toEqual([
    "command start",
    "command end",
    "request start",
    "request end",
    "request asyncStart",
    "request asyncEnd",
    "command asyncStart",
    "command asyncEnd",
  ]);
  expect(heard[0]![1]).toEqual({ operation: "command", command: "GET", ...server() });
  expect(heard[2]![1]).toEqual({ operation: "request", command: "GET", ...server() });
  expect(JSON.stringify(heard)).not.toContain("secret");
});

test("a failed command publishes its error, without keys and values", async () => {
  reply("-WRONGTYPE not a hash\r\n");
  await expect(client().hset("secret-key", { field: "secret-value" })).rejects.toThrow("WRONGTYPE");
  const errors = heard.filter(([event]) => event.endsWith("error"));
  expect(errors.map(([event, { error }]) => [event, (error as Error).name])).toEqual([
    ["request error", "RedisError"],
    ["command error", "RedisError"],
  ]);
  expect(JSON.stringify(heard)).not.toContain("secret");
});

test("a pipeline and a transaction are one command each, with their size", async () => {
  replyTwice();
  const redis = client({ responseFormat: "json" });
  await redis.pipeline().incr("a").incr("a").exec();
  await redis.multi().incr("a").incr("a").exec();
  const started = heard.filter(([event]) => event.endsWith(" start")).map(([, context]) => context);
  const batch = (operation: string, command: string) => ({ operation, command, batchSize: 2, ...server() });
  expect(started).toEqual([
    batch("command", "PIPELINE INCR"),
    batch("request", "PIPELINE INCR"),
    batch("command", "MULTI INCR"),
    batch("request", "MULTI INCR"),
  ]);
});

test("a batch of different commands is named without them, and commands of one tick are commands of their own", async () => {
  replyTwice();
  const redis = client({ responseFormat: "json" });
  const started = () =>
    heard
      .splice(0)
      .flatMap(([event, { command }]) => (event.endsWith(" start") ? [`${event}: ${command}`] : []));
  await redis.pipeline().incr("a").strlen("a").exec();
  expect(started()).toEqual(["command start: PIPELINE", "request start: PIPELINE"]);
  await Promise.all([redis.incr("a"), redis.strlen("a")]);
  expect(started()).toEqual(["command start: INCR", "command start: STRLEN", "request start: PIPELINE"]);
});

test("headers that a subscriber sets are sent with each copy of a request, and replace none of the client's", async () => {
  endpoint.onRequest = ({ socket, number, connection }) =>
    connection + number === 2 ? void socket.destroy() : void socket.write(resp2Response(":1\r\n"));
  const { start } = tracingChannel<unknown, TraceContext>("warmline:request");
  const set = (message: unknown) => {
    (message as TraceContext).headers = { traceparent: "00-1-2-01", authorization: "Bearer other" };
  };
  start.subscribe(set);
  onTestFinished(() => void start.unsubscribe(set));
  await client({ retry: { retries: 1 } }).strlen("a");
  expect(endpoint.requests).toHaveLength(2);
  for (const { head } of endpoint.requests) {
    expect(head).toContain("\r\ntraceparent: 00-1-2-01\r\n");
    expect(head).toContain("\r\nauthorization: Bearer secret-token\r\n");
  }
});

test("a retried request is one trace", async () => {
  endpoint.onRequest = ({ socket, number, connection }) =>
    connection + number === 2 ? void socket.destroy() : void socket.write(resp2Response(":1\r\n"));
  await client({ retry: { retries: 1 } }).strlen("a");
  expect(endpoint.requests).toHaveLength(2);
  expect(names().filter((name) => name === "request start")).toHaveLength(1);
  expect(names()).not.toContain("request error");
});

test("arguments are published only if that is asked for", async () => {
  reply("+OK\r\n");
  await client({ tracing: { args: true } }).set("key", "value", { ex: 60 });
  expect(heard[0]![1]).toMatchObject({ command: "SET", args: ["key", "value", "EX", "60"] });
  expect(heard[2]![1]).not.toHaveProperty("args");
  heard.length = 0;
  await client({ tracing: { args: true } }).exec(["CONFIG", "GET", "maxmemory"]);
  expect(heard[0]![1]).toMatchObject({ command: "CONFIG", args: ["GET", "maxmemory"] });
});

test("a request is sent in the store that is bound to the start of its command", async () => {
  reply(":1\r\n");
  const storage = new AsyncLocalStorage<string>();
  const { start: command } = tracingChannel("warmline:command");
  command.bindStore(storage, () => "span");
  onTestFinished(() => void command.unbindStore(storage));
  const seen: unknown[] = [];
  const see = () => void seen.push(storage.getStore());
  const { start: request } = tracingChannel("warmline:request");
  request.subscribe(see);
  onTestFinished(() => void request.unsubscribe(see));
  await client().strlen("a");
  expect(seen).toEqual(["span"]);
});

describeEntries((Client) => {
  const ok = jsonResponse('{"result":1}');
  const traces: [event: string, TraceContext, error?: unknown][] = [];
  const hook = (context: TraceContext) => {
    traces.push(["start", context]);
    return (error?: unknown) => void traces.push(["end", context, error]);
  };
  const hooked = (options: RedisOptions = {}) =>
    new Client({ url: endpoint.url, token: "t", responseFormat: "json", tracing: { hook }, ...options });
  beforeEach(() => {
    traces.length = 0;
    endpoint.answer(ok);
  });

  test("the hook gets the start and the end of commands and requests", async () => {
    expect(await hooked().strlen("a")).toBe(1);
    const context = { command: "STRLEN", ...server() };
    expect(traces).toEqual([
      ["start", { operation: "command", ...context }],
      ["start", { operation: "request", ...context }],
      ["end", { operation: "request", ...context }, undefined],
      ["end", { operation: "command", ...context }, undefined],
    ]);
  });

  test("the hook gets the error of a failed command", async () => {
    endpoint.onRequest = ({ socket }) => void socket.destroy();
    const error = await errorOf(hooked({ retry: false }).incr("a"));
    expect(error.name).toBe("UnknownOutcomeError");
    expect(
      traces
        .filter(([event]) => event === "end")
        .map(([, { operation }, { name }]: any) => [operation, name]),
    ).toEqual([
      ["request", "UnknownOutcomeError"],
      ["command", "UnknownOutcomeError"],
    ]);
  });

  test("the hook gets the end of a command that is refused before it is sent", async () => {
    const redis = hooked();
    await expect(redis.with({ signal: AbortSignal.abort("enough") }).get("a")).rejects.toBe("enough");
    await expect(redis.with({ writes: "exactly-once" }).flushall()).rejects.toThrow(
      "can't be run exactly once",
    );
    expect(traces.map(([event, { command }]) => [event, command])).toEqual([
      ["start", "GET"],
      ["end", "GET"],
      ["start", "FLUSHALL"],
      ["end", "FLUSHALL"],
    ]);
    expect(traces[1]![2]).toBe("enough");
  });

  test("the hook may return nothing, and its error does not fail the command", async () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (error) => void uncaught.push(error));
    const redis = hooked({
      tracing: {
        hook: ({ operation }) => {
          if (operation === "command") throw new Error("a mistake in the hook");
          return undefined;
        },
      },
    });
    try {
      expect(await redis.strlen("a")).toBe(1);
      await new Promise(setImmediate);
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const listener of listeners) process.on("uncaughtException", listener);
    }
    expect(uncaught).toEqual([new Error("a mistake in the hook")]);
  });
});

test.each([
  [true, "tracing must be an object with args and hook"],
  [{ hook: 1 }, "tracing.hook must be a function"],
  [{ args: 1 }, "tracing.args must be true or false"],
  [{ hok: () => undefined }, "unknown option hok; did you mean hook?"],
])("a wrong tracing option is refused by name: %j", (tracing, message) => {
  expect(() => client({ tracing: tracing as never })).toThrow(message);
});
