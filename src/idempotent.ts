/**
 * A function that runs once per key.
 *
 * @module warmline/idempotent
 */

import { encodeResult } from "./cache/results.js";
import type { Redis } from "./client/redis.js";
import { ArgumentError, WarmlineError } from "./errors.js";
import { createScope, toScopeOption, type WriteScope } from "./execution/exactly-once/scope.js";
import { CHECK_LEASE } from "./execution/exactly-once/script.js";
import { checkClient, executorOf } from "./execution/executor-key.js";
import { getRemainingTime, getSignal } from "./execution/limits.js";
import { checkCall, checkNames, checkNumber, MAX_SECONDS } from "./options/check-call.js";
import { throwIfAborted } from "./util/abort.js";
import { randomId } from "./util/random-id.js";
import { sleep } from "./util/timers.js";

/** Another run of the same key holds the lease. */
export class InProgressError extends WarmlineError {
  /** `InProgressError`. */
  override readonly name: string = "InProgressError";
  /** Time at which the lease of the other run ends, in ms since 1970 by the clock of this process. */
  readonly retryAt: number;

  constructor(retryAt: number) {
    super("idempotent: another run of this key is in progress; try again at retryAt");
    this.retryAt = retryAt;
  }
}

/** Settings of idempotent. */
export interface IdempotentOptions {
  /** Maximum duration of a run in seconds. After it another run may begin, and writes of this run are refused. Default 60. */
  lease?: number | undefined;
  /** Lifetime in seconds of the result, and of the replies of the run's writes. Default 86,400, a day. */
  remember?: number | undefined;
  /** Time in seconds to wait for the result of another run. Default 0: rejects with InProgressError. */
  wait?: number | undefined;
}

/** Pauses in ms between checks for the result of another run. */
const MIN_PAUSE = 50;
const MAX_PAUSE = 1_000;

/** Timeout in ms of the release of a lease. */
const RELEASE_TIMEOUT = 1_000;

/** Prefixes of the key's value while a run holds the lease, and once the result is stored. */
const LEASE = "lease:";
const RESULT = "result:";

/**
 * Runs a function once per key, and returns its result. Later calls return the stored result. If the function throws, or its
 * process ends, the next call runs it again, and the writes that were applied return their first replies.
 * The client's `signal` and `deadline` end the wait for another run, and apply to the function's commands. Neither stops the
 * last write, which stores the result or releases the lease.
 * @param key stores the lease and the result. On a cluster the keys that the function writes need its hash tag.
 * @param fn gets a client with exactly-once writes. Once the lease has ended, they are refused with a RedisError of code
 * `LEASELOST`. Its result must be JSON, or undefined.
 * @throws ArgumentError if the result does not survive JSON; InProgressError while another run holds the lease; RedisError of code
 * `LEASELOST` if the lease ended before the result was stored; errors of the function.
 */
export async function idempotent<T, V = unknown>(
  redis: Redis<V>,
  key: string,
  fn: (guarded: Redis<V>) => T | Promise<T>,
  options: IdempotentOptions = {},
  ...surplus: []
): Promise<T> {
  const assert = checkCall(ArgumentError, "idempotent", 4, surplus);
  checkClient(assert, redis);
  assert(
    typeof key === "string" && key !== "" && key.isWellFormed(),
    "the key must be non-empty, well-formed text",
  );
  assert(typeof fn === "function", "the third argument must be a function");
  checkNames(assert, options, ["lease", "remember", "wait"]);
  const { lease: leaseSeconds = 60, remember = 86_400, wait = 0 } = options;
  for (const [name, value] of Object.entries({ lease: leaseSeconds, remember, wait }))
    checkNumber(assert, name, value, "a number of seconds", MAX_SECONDS, name === "wait");
  const lease = LEASE + randomId();
  const check = { lua: CHECK_LEASE, key, args: [lease] };
  const writes = "exactly-once";
  const guard = (scope: WriteScope): WriteScope => ({
    next: (argv) => ({ ...scope.next(argv)!, check }),
    fork: () => guard(scope.fork()),
  });
  const guarded = redis.with({ writes, scope: toScopeOption(guard(createScope(key))), remember });
  // The last write has a random id. With an id of the scope, a later run that fails in the same place would get the stored reply of
  // this run's DEL, and its lease would stay.
  const unnamed: WriteScope = { next: () => ({ id: randomId(), check }), fork: () => unnamed };
  // The last write is sent even after signal and deadline: without it the lease blocks other runs, or the result is lost.
  const finisher = redis.with({
    writes,
    scope: toScopeOption(unnamed),
    remember,
    codec: "text",
    signal: () => undefined,
    deadline: { remaining: () => Infinity },
  });
  const timeout = Math.min(executorOf(redis).settings.timeout, RELEASE_TIMEOUT);
  // If this fails, the lease ends by itself.
  const release = () =>
    finisher
      .with({ timeout })
      .del(key)
      .catch(() => {});

  let stored: string | undefined;
  try {
    stored = await acquire(redis, key, lease, leaseSeconds, wait);
  } catch (error) {
    // The lease may have been taken.
    if (!(error instanceof WarmlineError) || error.outcome === "unknown") void release();
    throw error;
  }
  if (stored !== undefined) return readResult(stored);
  let result: string;
  try {
    result = encodeResult("idempotent", await fn(guarded), false);
    await finisher.set(key, RESULT + result, { px: Math.round(remember * 1_000) });
  } catch (error) {
    await release();
    throw error;
  }
  return readResult(result);
}

/**
 * Takes the lease. Returns undefined, or the result of an earlier run.
 * @throws InProgressError after `wait` seconds, or at the deadline; the reason of an aborted signal.
 */
async function acquire(
  redis: Redis<any>,
  key: string,
  lease: string,
  leaseSeconds: number,
  wait: number,
): Promise<string | undefined> {
  // A repeat does no harm: the value shows which run holds the lease.
  const client = redis.with({ writes: "at-least-once", codec: "text" });
  const { settings } = executorOf(redis);
  const signal = getSignal(settings);
  const until = Date.now() + wait * 1_000;
  for (let pause = MIN_PAUSE; ; pause = Math.min(pause * 2, MAX_PAUSE)) {
    const [, value, left] = await client
      .multi()
      .set(key, lease, { nx: true, px: Math.ceil(leaseSeconds * 1_000) })
      .get(key)
      .pttl(key)
      .exec();
    if (value === lease) return undefined;
    if (value?.startsWith(RESULT)) return value.slice(RESULT.length);
    if (!value?.startsWith(LEASE))
      throw new WarmlineError("idempotent: the key has a value that was not stored by idempotent()", {
        outcome: "answered",
      });
    const now = Date.now();
    const inProgress = new InProgressError(now + Math.max(left, 0));
    if (now >= until) throw inProgress;
    await sleep(Math.min(pause, until - now, getRemainingTime(settings)), signal);
    throwIfAborted(signal);
    if (getRemainingTime(settings) <= 0) throw inProgress;
  }
}

function readResult<T>(text: string): T {
  return (text === "" ? undefined : JSON.parse(text)) as T;
}
