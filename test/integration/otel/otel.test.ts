import { channel } from "node:diagnostics_channel";
import {
  context,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import * as stable from "@opentelemetry/semantic-conventions";
import * as incubating from "@opentelemetry/semantic-conventions/incubating";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { createTracing, startTelemetry } from "warmline/otel";
import {
  carries,
  delayReply,
  loseReply,
  type NetworkProxy,
  onRequest,
  startNetworkProxy,
} from "warmline-testbed";
import { beforeTests } from "../../support/lifetime.js";
import { CliProcess } from "../cli/cli-process.js";

// Spans and metrics as OpenTelemetry's own SDK collects them, with names from its package of conventions, against a gateway whose log
// says which trace a request belongs to.

let gateway: CliProcess;
let url: string;
let path: NetworkProxy;
let stop: (() => void) | undefined;

const spans = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 600_000 });
const metering = new MeterProvider({ readers: [reader] });

beforeTests(async (shared) => {
  const args = ["--port=0", "--token=t", "--engine=embedded", "--log-level=info", "--log-requests"];
  gateway = shared(new CliProcess(args));
  url = (await gateway.printed(/^warmline-gateway ready (\S+)\n/))[1]!;
  path = shared(await startNetworkProxy({ to: { port: Number(new URL(url).port) } }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracing);
  metrics.setGlobalMeterProvider(metering);
});
afterAll(async () => {
  for (const api of [context, propagation, trace, metrics]) api.disable();
  await metering.shutdown();
});
beforeEach(async () => {
  gateway.stderr = "";
  await metering.forceFlush();
  spans.reset();
  measured.reset();
});
afterEach(() => {
  stop?.();
  stop = undefined;
  path.onConnection(() => undefined);
  for (const each of path.connections) each.close();
});

const create = (options: RedisOptions = {}) => new Redis({ url: path.url, token: "t", ...options });
const port = () => Number(new URL(path.url).port);
const finished = (): ReadableSpan[] => spans.getFinishedSpans();
const server = () => ({
  [stable.ATTR_DB_SYSTEM_NAME]: incubating.DB_SYSTEM_NAME_VALUE_REDIS,
  [stable.ATTR_SERVER_ADDRESS]: "127.0.0.1",
  [stable.ATTR_SERVER_PORT]: port(),
});
/** Returns the span of an operation according to the conventions. */
const spanOf = (operation: string, more: object = {}) => ({
  name: `${operation} 127.0.0.1:${port()}`,
  kind: SpanKind.CLIENT,
  attributes: { ...server(), [stable.ATTR_DB_OPERATION_NAME]: operation, ...more },
});
/** The spans that have ended. A span ends in the turn of the event loop in which its call settles. */
async function shown() {
  await new Promise(setImmediate);
  return finished().map(({ name, kind, attributes }) => ({ name, kind, attributes }));
}

const lines = (): Record<string, unknown>[] =>
  gateway.stderr
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));

/** The ids of the spans that finished, by the gateway's log, once it has that many. Requests without a trace, such as checks, are left out. */
async function loggedSpans(count: number): Promise<unknown[]> {
  const traces = new Set<unknown>(finished().map((span) => span.spanContext().traceId));
  const found = () => lines().filter((line) => traces.has(line.trace_id));
  await expect.poll(() => found().length, { timeout: 5_000 }).toBe(count);
  return found().map((line) => line.span_id);
}

/** The data points of a metric since the test began. */
async function pointsOf(name: string) {
  await metering.forceFlush();
  const found = measured
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
    .filter(({ descriptor }) => descriptor.name === name);
  const points = found.flatMap(({ dataPoints }) => dataPoints as { attributes: object; value: any }[]);
  return { descriptor: found[0]?.descriptor, points };
}

describe("spans of requests", () => {
  beforeEach(() => {
    stop = startTelemetry();
  });

  test("a command is one span, a child of the active one, and the gateway logs its ids", async () => {
    const redis = create();
    const parent = tracing.getTracer("test").startSpan("parent");
    await context.with(trace.setSpan(context.active(), parent), () =>
      redis.set("secret-key", "secret-value"),
    );
    expect(await shown()).toEqual([spanOf("SET")]);
    const [span] = finished();
    expect(span!.parentSpanContext).toMatchObject({ spanId: parent.spanContext().spanId });
    expect(span!.status.code).toBe(SpanStatusCode.UNSET);
    expect(await loggedSpans(1)).toEqual([span!.spanContext().spanId]);
    expect(JSON.stringify(await shown())).not.toContain("secret");
  });

  test("commands of one tick are one span with their number, and their name if all have the same", async () => {
    const redis = create();
    await Promise.all([redis.get("a"), redis.get("b"), redis.get("c")]);
    await Promise.all([redis.get("a"), redis.strlen("b")]);
    await redis.pipeline().get("a").exec();
    await redis.multi().incr("n").incr("n").exec();
    const size = (count: number) => ({ [stable.ATTR_DB_OPERATION_BATCH_SIZE]: count });
    expect(await shown()).toEqual([
      spanOf("PIPELINE GET", size(3)),
      spanOf("PIPELINE", size(2)),
      spanOf("GET"),
      spanOf("MULTI INCR", size(2)),
    ]);
  });

  test("an error reply of Redis is the status code of the span, and its text is not in the span", async () => {
    const redis = create();
    await redis.set("secret-text", "secret-value");
    await shown();
    spans.reset();
    await expect(redis.incr("secret-text")).rejects.toThrow("not an integer");
    await expect(redis.lpush("secret-text", "secret-value")).rejects.toThrow("WRONGTYPE");
    const failed = (code: string) => ({
      [stable.ATTR_DB_RESPONSE_STATUS_CODE]: code,
      [stable.ATTR_ERROR_TYPE]: code,
      "warmline.outcome": "answered",
    });
    expect(await shown()).toEqual([spanOf("INCR", failed("ERR")), spanOf("LPUSH", failed("WRONGTYPE"))]);
    expect(finished().map(({ status }) => status)).toEqual([
      { code: SpanStatusCode.ERROR },
      { code: SpanStatusCode.ERROR },
    ]);
    expect(finished().flatMap(({ events }) => events)).toEqual([]);
  });

  test("a timeout and a lost reply have the name of the client's error, and the outcome", async () => {
    path.onConnection(() => onRequest(carries("GET"), delayReply(60_000)));
    await expect(create({ timeout: 1_000, circuit: false }).get("a")).rejects.toThrow("no response");
    path.onConnection(() => onRequest(carries("HSET"), loseReply({ leave: "close" })));
    const once = create({ retry: false });
    await expect(once.hset("h", { a: 1 })).rejects.toThrow("may have been applied");
    const failed = (name: string) => ({ [stable.ATTR_ERROR_TYPE]: name, "warmline.outcome": "unknown" });
    expect(await shown()).toEqual([
      spanOf("GET", failed("TimeoutError")),
      spanOf("HSET", failed("UnknownOutcomeError")),
    ]);
  });

  test("a request that is sent again is one span, with the same ids each time, and counts as a retry", async () => {
    let lost = 0;
    path.onConnection(() =>
      onRequest((exchange) => carries("STRLEN")(exchange) && lost++ === 0, loseReply({ leave: "close" })),
    );
    expect(await create().strlen("none")).toBe(0);
    expect(await shown()).toEqual([spanOf("STRLEN")]);
    const { spanId } = finished()[0]!.spanContext();
    expect(await loggedSpans(2)).toEqual([spanId, spanId]);
    const retries = await pointsOf("warmline.retries");
    expect(retries.points).toMatchObject([
      { value: 1, attributes: { ...server(), [stable.ATTR_DB_OPERATION_NAME]: "STRLEN" } },
    ]);
  });

  test("the duration of each operation is recorded in seconds, in the advised buckets", async () => {
    const redis = create();
    await redis.set("text", "x");
    await redis.incr("text").catch(() => undefined);
    await shown();
    const { descriptor, points } = await pointsOf(stable.METRIC_DB_CLIENT_OPERATION_DURATION);
    expect(descriptor).toMatchObject({ unit: "s", type: "HISTOGRAM" });
    const operation = (name: string) => ({ ...server(), [stable.ATTR_DB_OPERATION_NAME]: name });
    const failed = { [stable.ATTR_DB_RESPONSE_STATUS_CODE]: "ERR", [stable.ATTR_ERROR_TYPE]: "ERR" };
    expect(points.map(({ attributes }) => attributes)).toEqual([
      operation("SET"),
      { ...operation("INCR"), ...failed },
    ]);
    const { value } = points[0]!;
    expect(value.count).toBe(1);
    expect(value.sum).toBeGreaterThan(0);
    expect(value.sum).toBeLessThan(30);
    expect(value.buckets.boundaries).toEqual([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]);
  });

  test("the time to open a connection is recorded for its pool, and its end is counted", async () => {
    const redis = create({ keepAlive: false });
    await redis.ping();
    const created = await pointsOf(incubating.METRIC_DB_CLIENT_CONNECTION_CREATE_TIME);
    expect(created.descriptor).toMatchObject({ unit: "s", type: "HISTOGRAM" });
    expect(created.points).toMatchObject([
      {
        attributes: { [incubating.ATTR_DB_CLIENT_CONNECTION_POOL_NAME]: `127.0.0.1:${port()}` },
        value: { count: 1 },
      },
    ]);
    const closed = await pointsOf("warmline.connection.closes");
    expect(closed.points.map(({ attributes }) => attributes)).toContainEqual({
      ...server(),
      "warmline.reason": "connection-close",
    });
  });

  test.each([
    ["connection.open", "connection:opened", { open: 3, ms: 1 }, 3],
    ["connection.open", "connection:closed", { open: 2, reason: "aborted" }, 2],
    ["connection.idle_time", "connection:reused", { idleMs: 1_500 }, { count: 1, sum: 1.5 }],
    ["circuit_opens", "circuit", { state: "open" }, 1],
    ["frozen_time", "thaw", { frozenMs: 2_500 }, { count: 1, sum: 2.5 }],
  ])("the metric warmline.%s has the value of the event %s", async (name, event, message, value) => {
    channel(`warmline:${event}`).publish({ origin: "http://metrics.example:81", ...message });
    const attributes = { "server.address": "metrics.example", "server.port": 81 };
    const { points } = await pointsOf(`warmline.${name}`);
    expect(points).toContainEqual(
      expect.objectContaining({ attributes: expect.objectContaining(attributes) }),
    );
    expect(points.at(-1)).toMatchObject({ attributes, value });
  });

  test("the duration is recorded where spans are not sampled, and subscriptions have no spans", async () => {
    const redis = create();
    const ids = { traceId: "1".repeat(32), spanId: "1".repeat(16), traceFlags: TraceFlags.NONE };
    await context.with(trace.setSpanContext(context.active(), ids), () => redis.ping());
    const subscription = redis.subscribe("channel");
    await subscription.ready;
    await subscription.unsubscribe();
    expect(await shown()).toEqual([]);
    const { points } = await pointsOf(stable.METRIC_DB_CLIENT_OPERATION_DURATION);
    expect(points.map(({ value }) => value.count)).toEqual([1]);
  });

  test("a second call replaces the first, and nothing is observed after the end", async () => {
    const redis = create();
    const first = stop!;
    stop = startTelemetry();
    first();
    await redis.ping();
    expect(await shown()).toEqual([spanOf("PING")]);
    stop();
    await redis.ping();
    expect(await shown()).toHaveLength(1);
  });
});

describe("spans of commands", () => {
  beforeEach(() => {
    stop = startTelemetry({ spans: "command" });
  });

  test("each command, pipeline and transaction is a span, and a request is none", async () => {
    const redis = create();
    await Promise.all([redis.get("a"), redis.strlen("b")]);
    await redis.pipeline().get("a").get("b").exec();
    const size = { [stable.ATTR_DB_OPERATION_BATCH_SIZE]: 2 };
    expect(await shown()).toEqual([spanOf("GET"), spanOf("STRLEN"), spanOf("PIPELINE GET", size)]);
    const [get, , pipeline] = finished();
    const ids = await loggedSpans(2);
    expect(ids).toEqual([get, pipeline].map((span) => span!.spanContext().spanId));
  });

  test("of several commands in a request, the one that failed has the error", async () => {
    const redis = create();
    await redis.set("text", "x");
    await shown();
    spans.reset();
    await Promise.allSettled([redis.incr("text"), redis.strlen("text")]);
    const failed = {
      [stable.ATTR_DB_RESPONSE_STATUS_CODE]: "ERR",
      [stable.ATTR_ERROR_TYPE]: "ERR",
      "warmline.outcome": "answered",
    };
    expect(await shown()).toEqual(expect.arrayContaining([spanOf("INCR", failed), spanOf("STRLEN")]));
  });
});

test("the trace context is sent only if that is wanted", async () => {
  stop = startTelemetry({ propagate: false });
  await create().ping();
  expect(await shown()).toHaveLength(1);
  // The line of a command of the test before may come late.
  const pings = () => lines().filter(({ what }) => what === "PING");
  await expect.poll(() => pings().length).toBeGreaterThan(0);
  expect(pings().filter((line) => "trace_id" in line)).toEqual([]);
});

describe.each([
  ["Node", Redis],
  ["fetch", FetchRedis],
] as const)("createTracing() on the entry for %s", (_entry, Client) => {
  test("a failure that is not an error has the type _OTHER", async () => {
    path.onConnection(() => onRequest(carries("GET"), delayReply(60_000)));
    const controller = new AbortController();
    const { signal } = controller;
    const redis = new Client({ url: path.url, token: "t", signal, tracing: createTracing() });
    setTimeout(() => controller.abort("no error"), 50);
    await expect(redis.get("k")).rejects.toBe("no error");
    expect(await shown()).toMatchObject([{ attributes: { [stable.ATTR_ERROR_TYPE]: "_OTHER" } }]);
  });

  test("observes a client, and sends the trace context", async () => {
    const redis = new Client({ url: path.url, token: "t", tracing: createTracing() });
    await redis.set("text", "x");
    await redis.incr("text").catch(() => undefined);
    const failed = {
      [stable.ATTR_DB_RESPONSE_STATUS_CODE]: "ERR",
      [stable.ATTR_ERROR_TYPE]: "ERR",
      "warmline.outcome": "answered",
    };
    expect(await shown()).toEqual([spanOf("SET"), spanOf("INCR", failed)]);
    const ids = await loggedSpans(2);
    expect(ids).toEqual(finished().map((span) => span.spanContext().spanId));
  });
});

test("the names of attributes are stable ones", async () => {
  stop = startTelemetry();
  await create().ping();
  const names = new Set<unknown>(Object.values(stable));
  const used = (await shown()).flatMap(({ attributes }) => Object.keys(attributes));
  expect(used).not.toEqual([]);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});

test.each([
  [{ spans: "all" }, 'startTelemetry: spans must be "request" or "command"'],
  [{ propagate: 1 }, "startTelemetry: propagate must be true or false"],
  [{ span: "request" }, "startTelemetry: unknown option span; did you mean spans?"],
])("a wrong option is refused by name: %j", (options, message) => {
  expect(() => startTelemetry(options as never)).toThrow(message);
});
