import { subscribe } from "node:diagnostics_channel";
import { metrics, SpanKind, trace } from "@opentelemetry/api";

/**
 * Makes metrics and spans of what warmline publishes about its connections. Call it once, when the OpenTelemetry SDK
 * has been started: instruments made before have nowhere to go.
 */
export function observeWarmline() {
  const meter = metrics.getMeter("warmline");
  const tracer = trace.getTracer("warmline");

  const open = meter.createGauge("warmline.connection.open", {
    description: "Connections that are established",
    unit: "{connection}",
  });
  const createTime = meter.createHistogram("warmline.connection.create_time", {
    description: "What opening a connection took",
    unit: "s",
  });
  const idleTime = meter.createHistogram("warmline.connection.idle_time", {
    description: "How long a connection had been idle when it was used again",
    unit: "s",
  });
  const closes = meter.createCounter("warmline.connection.closes", {
    description: "Connections closed, or not opened",
    unit: "{connection}",
  });
  const retries = meter.createCounter("warmline.retries", {
    description: "Requests sent again",
    unit: "{request}",
  });
  const frozenTime = meter.createHistogram("warmline.frozen_time", {
    description: "How long the function was frozen while connections were idle",
    unit: "s",
  });

  subscribe("warmline:connection:opened", (event) => {
    const server = serverOf(event.origin);
    open.record(event.open, server);
    createTime.record(event.ms / 1000, server);
    // A child of whatever span was active when the connection was asked for.
    const now = Date.now();
    const options = { kind: SpanKind.CLIENT, startTime: now - event.ms, attributes: server };
    tracer.startSpan("warmline connect", options).end(now);
  });
  subscribe("warmline:connection:reused", (event) => {
    idleTime.record(event.idleMs / 1000, serverOf(event.origin));
  });
  subscribe("warmline:connection:closed", (event) => {
    const server = serverOf(event.origin);
    open.record(event.open, server);
    closes.add(1, { ...server, "warmline.reason": event.reason });
  });
  subscribe("warmline:retry", (event) => {
    retries.add(1, {
      ...serverOf(event.origin),
      "db.operation.name": event.command,
      "warmline.outcome": event.outcome,
    });
  });
  subscribe("warmline:thaw", (event) => {
    frozenTime.record(event.frozenMs / 1000, serverOf(event.origin));
  });
}

/** An origin as OpenTelemetry names it. */
function serverOf(origin) {
  const { hostname, port, protocol } = new URL(origin);
  return {
    "db.system.name": "redis",
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
  };
}
