import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, tracingChannel } from "node:diagnostics_channel";
import { context, metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";

/**
 * Makes metrics and spans of what warmline publishes about its connections. Call it once, when the OpenTelemetry SDK
 * has been started: instruments made before have nowhere to go.
 */
export function observeWarmline() {
  const meter = metrics.getMeter("warmline");
  const tracer = trace.getTracer("warmline");

  traceCommands(tracer);

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
  const circuits = meter.createCounter("warmline.circuit_opens", {
    description: "Times that calls began to fail at once, since the endpoint did not respond",
    unit: "{circuit}",
  });
  subscribe("warmline:circuit", ({ origin, state }) => {
    if (state === "open") circuits.add(1, serverOf(origin));
  });
  subscribe("warmline:thaw", (event) => {
    frozenTime.record(event.frozenMs / 1000, serverOf(event.origin));
  });
}

/**
 * Makes a span of each command, and below it one of each HTTP request.
 * @see https://opentelemetry.io/docs/specs/semconv/database/redis/
 */
function traceCommands(tracer) {
  /** Spans by the message of the channel, which is the same object from the start to the end. */
  const spans = new WeakMap();
  const commands = new AsyncLocalStorage();
  const begin = (message, name, parent) => {
    const { command, batchSize, args, serverAddress, serverPort } = message;
    const attributes = {
      "db.system.name": "redis",
      "db.operation.name": command,
      "server.address": serverAddress,
      "server.port": serverPort,
      ...(batchSize && { "db.operation.batch.size": batchSize }),
      // With the option `tracing: { args: true }`.
      ...(args && { "db.query.text": [command, ...args].join(" ") }),
    };
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
    spans.set(message, span);
    return trace.setSpan(parent, span);
  };
  const channels = {
    command: tracingChannel("warmline:command"),
    request: tracingChannel("warmline:request"),
  };
  channels.command.start.bindStore(commands, (message) => begin(message, message.command, context.active()));
  channels.request.start.subscribe((message) => {
    begin(message, "warmline request", commands.getStore() ?? context.active());
  });
  for (const { asyncEnd, error } of Object.values(channels)) {
    error.subscribe((message) => {
      const { name, code, outcome } = message.error;
      const attributes = { "error.type": name, ...(code && { "db.response.status_code": code }) };
      spans.get(message)?.setAttributes({ ...attributes, ...(outcome && { "warmline.outcome": outcome }) });
      spans.get(message)?.setStatus({ code: SpanStatusCode.ERROR });
    });
    asyncEnd.subscribe((message) => spans.get(message)?.end());
  }
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
