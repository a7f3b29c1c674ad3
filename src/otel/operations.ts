import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { TraceContext } from "../options/options.js";

/** Name of the instrumentation scope. */
export const SCOPE = "warmline";

/** A running operation. */
export interface Operation {
  readonly context: Context;
  /** @param failure the error, if it failed: a promise may be rejected with anything. */
  end(failure?: { readonly error: unknown }): void;
}

/** Buckets in seconds, as the conventions advise. */
const DURATION_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

let durations: Histogram | undefined;

/** Creates the histogram with the first operation, so that the SDK may start after the client. */
function getDurations(): Histogram {
  durations ??= metrics.getMeter(SCOPE).createHistogram("db.client.operation.duration", {
    description: "Duration of database client operations.",
    unit: "s",
    advice: { explicitBucketBoundaries: DURATION_BUCKETS },
  });
  return durations;
}

/**
 * Starts the span of an operation. The end of the operation records its duration too.
 * @see https://opentelemetry.io/docs/specs/semconv/db/redis/
 */
export function beginOperation(message: TraceContext, parent: Context): Operation {
  const { command, batchSize, serverAddress, serverPort } = message;
  // A batch of one counts as its command.
  const name = batchSize === 1 ? command.replace(/^(PIPELINE|MULTI) /, "") : command;
  const attributes: Attributes = {
    "db.system.name": "redis",
    "db.operation.name": name,
    "server.address": serverAddress,
    "server.port": serverPort,
  };
  const span = trace.getTracer(SCOPE).startSpan(
    `${name} ${serverAddress}:${serverPort}`,
    {
      kind: SpanKind.CLIENT,
      attributes: {
        ...attributes,
        ...(batchSize !== undefined && batchSize > 1 && { "db.operation.batch.size": batchSize }),
      },
    },
    parent,
  );
  const operationContext = trace.setSpan(parent, span);
  const startedAt = performance.now();
  return {
    context: operationContext,
    end(failure) {
      const seconds = (performance.now() - startedAt) / 1_000;
      const failed = failure ? errorAttributes(failure.error) : {};
      getDurations().record(seconds, { ...attributes, ...failed }, operationContext);
      if (failure) {
        span.setAttributes({ ...failed, ...outcomeAttributes(failure.error) });
        // Without a message: Redis may quote arguments in its errors.
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** Puts the trace context into the headers of a request. */
export function propagate(message: TraceContext, parent: Context = context.active()): void {
  const headers: Record<string, string> = { ...message.headers };
  propagation.inject(parent, headers);
  message.headers = headers;
}

/** The code of Redis's error reply, or the name of the error's class. */
function errorAttributes(error: unknown): Attributes {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  if (name === "RedisError") return { "error.type": String(code), "db.response.status_code": String(code) };
  return { "error.type": error instanceof Error ? error.name : "_OTHER" };
}

function outcomeAttributes(error: unknown): Attributes {
  const { outcome } = Object(error) as { outcome?: string };
  return outcome === undefined ? {} : { "warmline.outcome": outcome };
}
