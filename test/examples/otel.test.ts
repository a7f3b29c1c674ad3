import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpResponse, RawEndpoint, resp2Response } from "../support/endpoint.js";
import { run } from "../support/packages/run.js";
import { useExample } from "./support/example.js";

// The OpenTelemetry example as it stands, with the packed client and OpenTelemetry's own SDK.

const example = useExample(
  "otel",
  "@opentelemetry/sdk-metrics@2.12.1",
  "@opentelemetry/sdk-trace-base@2.12.1",
);
let endpoint: RawEndpoint;
beforeAll(async () => {
  endpoint = await RawEndpoint.start();
});
afterAll(() => endpoint?.stop());

/** Returns a program that prints the metrics and spans of these lines. */
const programOf = (lines: string) => `
import { metrics, trace } from "@opentelemetry/api";
import {
  AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Redis } from "warmline";
import { observeWarmline } from "./telemetry.mjs";

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
metrics.setGlobalMeterProvider(provider);
const spans = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
observeWarmline();

const redis = Redis.fromEnv();
${lines}
redis.close();
await provider.forceFlush();
const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics).flatMap((scope) => scope.metrics);
const finished = spans.getFinishedSpans();
const nameOf = (id) => finished.find((span) => span.spanContext().spanId === id)?.name;
console.log(JSON.stringify({
  metrics: found.map(({ descriptor, dataPoints }) => [
    descriptor.name, dataPoints.map(({ value, attributes }) => ({ value: value.count ?? value, attributes })),
  ]),
  spans: finished.map(({ name, attributes, duration: [s, ns], parentSpanContext: parent }) => ({
    name, attributes, ms: s * 1e3 + ns / 1e6, parent: nameOf(parent?.spanId),
  })),
}));
await provider.shutdown();
`;

/** Runs the program of these lines. Returns its output. */
async function observe(lines: string): Promise<string> {
  writeFileSync(join(example.folder, "program.mjs"), programOf(lines));
  const env = { WARMLINE_URL: endpoint.url, WARMLINE_TOKEN: "secret-token" };
  return run("node", ["program.mjs"], example.folder, env);
}

/** The attributes of the endpoint. */
const serverAttributes = () => ({
  "db.system.name": "redis",
  "server.address": "127.0.0.1",
  "server.port": Number(new URL(endpoint.url).port),
});

test("metrics and spans are recorded without values", async () => {
  // The second request loses its response, and so does the write.
  endpoint.onRequest = ({ socket, body }) => {
    if (endpoint.requests.length === 2 || body.includes("SET")) socket.destroy();
    else socket.write(resp2Response("$12\r\nsecret-value\r\n"));
  };
  const printed = await observe(`
    await redis.get("secret-key");
    await redis.get("secret-key");
    await redis.set("secret-key", "secret-value").catch(() => {});
  `);
  expect(printed).not.toContain("secret");
  const result = JSON.parse(printed);
  const server = serverAttributes();
  const metrics = Object.fromEntries(result.metrics);
  expect(metrics["warmline.connection.create_time"]).toEqual([{ value: 2, attributes: server }]);
  expect(metrics["warmline.connection.idle_time"]).toEqual([{ value: 2, attributes: server }]);
  expect(metrics["warmline.connection.open"]).toEqual([{ value: 0, attributes: server }]);
  expect(metrics["warmline.connection.closes"]).toEqual([
    { value: 2, attributes: { ...server, "warmline.reason": "closed-by-peer" } },
  ]);
  expect(metrics["warmline.retries"]).toEqual([
    { value: 1, attributes: { ...server, "db.operation.name": "GET", "warmline.outcome": "unknown" } },
  ]);
  const operation = (name: string) => ({ ...server, "db.operation.name": name });
  const lost = { "error.type": "UnknownOutcomeError", "warmline.outcome": "unknown" };
  const span = (name: string, attributes: object, parent?: string) => ({
    ...{ name, attributes, ms: expect.any(Number) },
    ...(parent && { parent }),
  });
  const ofGet = [span("warmline request", operation("GET"), "GET"), span("GET", operation("GET"))];
  expect(result.spans).toEqual([
    span("warmline connect", server),
    ...ofGet,
    span("warmline connect", server),
    ...ofGet,
    span("warmline request", { ...operation("SET"), ...lost }, "SET"),
    span("SET", { ...operation("SET"), ...lost }),
  ]);
  for (const { ms } of result.spans) expect(ms).toBeGreaterThan(0);
}, 60_000);

test("a pipeline has its size, arguments are recorded if that is asked for, and an outage is counted", async () => {
  endpoint.onRequest = ({ socket, body }) => {
    const json = { "content-type": "application/json" };
    if (body.includes("INCR")) socket.write(httpResponse('[{"result":1},{"result":2}]', json));
  };
  const printed = await observe(`
    await redis.pipeline().incr("n").incr("n").exec();
    const hasty = Redis.fromEnv({ timeout: 200, tracing: { args: true } });
    await hasty.get("key").catch(() => {});
    while (redis.stats().circuit !== "open") await new Promise((resolve) => setTimeout(resolve, 20));
  `);
  const { metrics, spans } = JSON.parse(printed);
  const server = serverAttributes();
  const opens = Object.fromEntries(metrics)["warmline.circuit_opens"];
  expect(opens).toEqual([{ value: 1, attributes: server }]);
  const attributesOf = (name: string) =>
    spans.find((span: { name: string }) => span.name === name).attributes;
  expect(attributesOf("PIPELINE")).toEqual({
    ...server,
    "db.operation.name": "PIPELINE",
    "db.operation.batch.size": 2,
  });
  expect(attributesOf("GET")).toMatchObject({
    "db.operation.name": "GET",
    "db.query.text": "GET key",
    "error.type": "TimeoutError",
  });
}, 60_000);
