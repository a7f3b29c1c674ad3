import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RawEndpoint, resp2Response } from "../support/endpoint.js";
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

const PROGRAM = `
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
await redis.get("secret-key");
await redis.get("secret-key");
await redis.set("secret-key", "secret-value").catch(() => {});
redis.close();
await provider.forceFlush();
const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics).flatMap((scope) => scope.metrics);
console.log(JSON.stringify({
  metrics: found.map(({ descriptor, dataPoints }) => [
    descriptor.name, dataPoints.map(({ value, attributes }) => ({ value: value.count ?? value, attributes })),
  ]),
  spans: spans.getFinishedSpans().map(({ name, attributes, duration: [s, ns] }) => ({ name, attributes, ms: s * 1e3 + ns / 1e6 })),
}));
await provider.shutdown();
`;

test("metrics and spans are recorded without values", async () => {
  // The second request loses its response, and so does the write.
  endpoint.onRequest = ({ socket, body }) => {
    if (endpoint.requests.length === 2 || body.includes("SET")) socket.destroy();
    else socket.write(resp2Response("$12\r\nsecret-value\r\n"));
  };
  writeFileSync(join(example.folder, "program.mjs"), PROGRAM);
  const env = { WARMLINE_URL: endpoint.url, WARMLINE_TOKEN: "secret-token" };
  const printed = await run("node", ["program.mjs"], example.folder, env);
  expect(printed).not.toContain("secret");
  const result = JSON.parse(printed);
  const server = {
    "db.system.name": "redis",
    "server.address": "127.0.0.1",
    "server.port": Number(new URL(endpoint.url).port),
  };
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
  const span = (name: string, attributes: object) => ({ name, attributes, ms: expect.any(Number) });
  const ofGet = [span("warmline request", operation("GET")), span("GET", operation("GET"))];
  expect(result.spans).toEqual([
    span("warmline connect", server),
    ...ofGet,
    span("warmline connect", server),
    ...ofGet,
    span("warmline request", { ...operation("SET"), ...lost }),
    span("SET", { ...operation("SET"), ...lost }),
  ]);
  for (const { ms } of result.spans) expect(ms).toBeGreaterThan(0);
}, 60_000);
