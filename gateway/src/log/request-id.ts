import { randomUUID } from "node:crypto";

/** The form of an accepted id: no space, quote or control character, so that it stays one token in any log. */
const WELL_FORMED = /^[\w.~+/=:@-]{1,128}$/;

/** Returns the id that a request brings in `X-Request-Id` if it is well-formed, else a new one. */
export function resolveRequestId(given: string | undefined): string {
  return given !== undefined && WELL_FORMED.test(given) ? given : randomUUID();
}

/** The trace that a request belongs to, by the names that OpenTelemetry gives these fields in logs. */
export type TraceContext = NonNullable<ReturnType<typeof traceContextOf>>;

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;

/** Returns the content of a `traceparent` header (https://www.w3.org/TR/trace-context/); null when it is malformed. */
export function traceContextOf(traceparent: string | undefined) {
  const [, trace_id, span_id, trace_flags] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  return trace_id ? { trace_id, span_id: span_id!, trace_flags: trace_flags! } : null;
}
