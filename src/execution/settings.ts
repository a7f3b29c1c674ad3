import { assertConfig, checkCallOptions, checkOptions } from "../options/check-options.js";
import type { CallOptions, Deadline, RedisOptions, WriteMode } from "../options/options.js";
import { type Codec, resolveCodec } from "../protocol/codec.js";
import { DEFAULT_MAX_REPLY_SIZE } from "../transport/response-too-large.js";
import { jitteredBackoff } from "../transport/retry-budget.js";
import { MAX_TIMER } from "../util/timers.js";

/** Settings that `redis.with({ ... })` can change, resolved: every value is present and checked. */
export interface Settings {
  readonly codec: Codec;
  readonly timeout: number;
  readonly signal: AbortSignal | (() => AbortSignal | undefined) | undefined;
  readonly deadline: Deadline | undefined;
  readonly writes: WriteMode;
  /** Lifetime of the stored reply of an exactly-once write, in ms. */
  readonly exactlyOnceTtl: number;
  readonly autoPipelining: boolean;
  readonly retries: number;
  backoff(retry: number): number;
}

/** The least time that a repeat of an exactly-once write may take to arrive, in ms. */
const DELIVERY_MARGIN = 10_000;

/** @throws ConfigError naming the option that is wrong. */
export function resolveSettings(options: RedisOptions): Settings {
  checkOptions(options);
  const { retry } = options;
  const base: Settings = {
    codec: resolveCodec(options.automaticDeserialization === false ? "text" : "json"),
    timeout: 10_000,
    signal: undefined,
    deadline: undefined,
    writes: "at-most-once",
    exactlyOnceTtl: Math.round(checkMilliseconds("exactlyOnceTtl", options.exactlyOnceTtl ?? 120_000)),
    autoPipelining: options.enableAutoPipelining ?? true,
    retries: retry === false ? 0 : checkCount("retry.retries", retry?.retries ?? 5),
    backoff: guardBackoff((retry ? retry.backoff : undefined) ?? jitteredBackoff),
  };
  return merge(base, options);
}

/** @throws ConfigError naming the option that is wrong. */
export function withOptions(base: Settings, options: CallOptions): Settings {
  checkCallOptions(options);
  return merge(base, options);
}

function merge(
  base: Settings,
  { codec, timeout, signal, deadline, writes = base.writes }: CallOptions,
): Settings {
  assertConfig(
    !signal || typeof signal === "function" || "aborted" in Object(signal),
    "signal must be an AbortSignal",
  );
  const settings = {
    ...base,
    codec: codec === undefined ? base.codec : resolveCodec(codec),
    timeout: timeout === undefined ? base.timeout : checkMilliseconds("timeout", timeout),
    signal: signal ?? base.signal,
    deadline: deadline ?? base.deadline,
    writes,
  };
  if (writes === "exactly-once") checkExactlyOnceTtl(settings);
  return settings;
}

/**
 * Redis may hold a token from the moment that the call began, and the last repeat is sent when the call ends. Up to
 * `DELIVERY_MARGIN` may pass until that repeat arrives.
 */
function checkExactlyOnceTtl({ exactlyOnceTtl, timeout }: Settings): void {
  assertConfig(
    exactlyOnceTtl >= timeout + DELIVERY_MARGIN,
    `exactlyOnceTtl (${exactlyOnceTtl} ms) must be at least ${DELIVERY_MARGIN} ms longer than timeout (${timeout} ms), or a repeated write could be applied twice`,
  );
}

function checkMilliseconds(name: string, value: number): number {
  assertConfig(typeof value === "number" && value > 0, `${name} must be a number of ms above 0`);
  return Math.min(value, MAX_TIMER);
}

/** Wraps the user's backoff function. An error it throws ends the retries, so that it never reaches a socket's event. */
function guardBackoff(given: (retry: number) => number): Settings["backoff"] {
  assertConfig(typeof given === "function", "retry.backoff must be a function that returns ms");
  return (retry) => {
    try {
      return given(retry);
    } catch {
      return Infinity;
    }
  };
}

/** The most bytes of a response. @throws ConfigError */
export function resolveMaxReplySize({ maxReplySize = DEFAULT_MAX_REPLY_SIZE }: RedisOptions): number {
  assertConfig(
    Number.isInteger(maxReplySize) && maxReplySize > 0,
    "maxReplySize must be a whole number of bytes above 0",
  );
  return maxReplySize;
}

export function checkCount(name: string, value: number): number {
  assertConfig(Number.isInteger(value) && value >= 0, `${name} must be a whole number, 0 or more`);
  return value;
}
