import { assertConfig } from "../options/assert-config.js";
import { checkCallOptions, checkOptions } from "../options/check-options.js";
import type { CallOptions, Deadline, RedisOptions, ScopeOptions, WriteMode } from "../options/options.js";
import { type Codec, resolveCodec } from "../protocol/codec.js";
import { jitteredBackoff, type RetryPolicy } from "../transport/retry-budget.js";
import { MAX_TIMER } from "../util/timers.js";
import { createScope, type WriteScope } from "./exactly-once/scope.js";

/** Settings that `redis.with({ ... })` can change, checked, with defaults. */
export interface Settings extends RetryPolicy {
  readonly codec: Codec;
  readonly timeout: number;
  readonly signal?: AbortSignal | (() => AbortSignal | undefined) | undefined;
  readonly deadline?: Deadline | undefined;
  readonly writes: WriteMode;
  /** Lifetime of the stored reply of an exactly-once write, in ms. */
  readonly exactlyOnceTtl: number;
  /** Numbers the exactly-once writes of one message or event, if the client has a `scope`. */
  readonly scope?: WriteScope | undefined;
  /** Whether reads use the client's near cache. `verify`: each value is compared with the server's before it is returned. */
  readonly near: boolean | "verify";
  readonly autoPipelining: boolean;
}

/** Time in ms that the last repeat of an exactly-once write may take to arrive. */
const ARRIVAL_MARGIN = 10_000;

/** Checks the options of a client, and fills in defaults. @throws ConfigError naming the option that is wrong. */
export function resolveSettings(options: RedisOptions): Settings {
  checkOptions(options);
  const { exactlyOnceTtl = 120_000, automaticDeserialization, enableAutoPipelining = true } = options;
  const base: Settings = {
    codec: resolveCodec(automaticDeserialization === false ? "text" : "json"),
    timeout: 2_500,
    writes: "at-most-once",
    exactlyOnceTtl: Math.round(Math.min(exactlyOnceTtl, MAX_TIMER)),
    near: true,
    autoPipelining: enableAutoPipelining,
    retries: 5,
    backoff: jitteredBackoff,
  };
  // The client's own option `near` is the cache itself.
  return merge(base, { ...options, near: undefined });
}

/** Returns settings with the given options changed. @throws ConfigError naming the option that is wrong. */
export function withOptions(base: Settings, options: CallOptions & ScopeOptions): Settings {
  checkCallOptions(options);
  return merge(base, options);
}

function merge(base: Settings, options: CallOptions & ScopeOptions): Settings {
  const { codec, timeout = base.timeout, signal = base.signal, deadline = base.deadline } = options;
  const { writes = base.writes, near = base.near, scope, remember, strict, retry = {} } = options;
  const { retries = base.retries, backoff } = retry || { retries: 0 };
  const settings = {
    ...base,
    codec: codec === undefined ? base.codec : resolveCodec(codec),
    timeout: Math.min(timeout, MAX_TIMER),
    signal,
    deadline,
    writes,
    near,
    retries,
    backoff: backoff ? endedByThrow(backoff) : base.backoff,
    ...(scope !== undefined && {
      scope: typeof scope === "string" ? createScope(scope, strict) : (scope as WriteScope),
      exactlyOnceTtl: Math.round((remember ?? 86_400) * 1_000),
    }),
  };
  assertConfig(
    scope === undefined ? (remember ?? strict) === undefined : writes === "exactly-once",
    'scope needs writes: "exactly-once"; remember and strict need scope',
  );
  const { exactlyOnceTtl } = settings;
  // Redis may store the reply as soon as the call begins, and the last repeat is sent when the call ends. Up to
  // ARRIVAL_MARGIN may pass until that repeat arrives.
  assertConfig(
    writes !== "exactly-once" || exactlyOnceTtl >= settings.timeout + ARRIVAL_MARGIN,
    `${settings.scope ? "remember" : "exactlyOnceTtl"} (${exactlyOnceTtl} ms) must exceed timeout (${settings.timeout} ms) by ${ARRIVAL_MARGIN} ms`,
  );
  return settings;
}

/** Returns a backoff that ends the retries if the user's function throws, so that its error is not thrown in a socket's event handler. */
const endedByThrow = (backoff: Settings["backoff"]) => (retry: number) => {
  try {
    return backoff(retry);
  } catch {
    return Infinity;
  }
};
