import type { Redis } from "../client/redis.js";
import { ArgumentError, ConfigError, RedisError } from "../errors.js";
import { checkClient, executorOf } from "../execution/executor-key.js";
import { getSignal } from "../execution/limits.js";
import { assertConfig } from "../options/assert-config.js";
import { checkCall } from "../options/check-call.js";
import { describe } from "../protocol/args.js";
import { throwIfAborted } from "../util/abort.js";
import { elapsed, moment } from "../util/clock.js";
import { randomId } from "../util/random-id.js";
import { MAX_TIMER, sleep, within } from "../util/timers.js";
import { Flight, type SharedResult } from "./flight.js";
import { type CachedOptions, type CachedSettings, resolveCachedOptions } from "./options.js";
import { isOutage } from "./outage.js";
import { decodeResult, encodeResult } from "./results.js";
import { type Lease, ResultStore, type TimeLeft } from "./store.js";

/** A function that {@link cached} returns. */
export interface CachedFunction<Args extends readonly unknown[], T> {
  /** Returns the result for these arguments: a stored one, or a new one. */
  (...args: Args): Promise<T>;
  /**
   * Deletes the result for these arguments. A result that is being computed is not stored. Once it has resolved, no call of any
   * process returns a result whose computation began before.
   */
  delete(...args: Args): Promise<void>;
  /**
   * Deletes all results of this function with a tag, as `delete` does.
   * @throws ConfigError without the option `tags`.
   */
  deleteTag(tag: string): Promise<void>;
}

/** The call that begins a flight. */
interface FlightCall {
  readonly key: string;
  readonly args: readonly unknown[];
  /** The id of an entry that could not be decoded. */
  readonly ignored: string | undefined;
  /** Whether the call has waited for a computation until its lease ended. It does not wait for another. */
  readonly waited: boolean;
  /** Time in ms for its further requests. */
  timeout: number;
}

/** Pauses in ms between lookups while another process computes. */
const MIN_PAUSE = 25;
const MAX_PAUSE = 500;

const ignore = () => {};

/**
 * Returns a function that stores the results of `fn` in Redis. Of all processes, one at a time computes the result of a key. The
 * others wait for it, or get a stale result. Create the function outside the handler, like the client.
 * @param name begins the function's keys in Redis, `<name>:cached:<key>` and `<name>:cached`. With a hash tag, such as
 * `{user}`, all its keys are in one slot of a cluster.
 * @param fn is called without `this`. Its results must be JSON, or undefined. Errors are not stored, and reach all calls that share the computation.
 * @throws ConfigError if an argument or an option is malformed.
 */
export function cached<Fn extends (this: void, ...args: any[]) => unknown>(
  redis: Redis<any>,
  name: string,
  fn: Fn,
  options: CachedOptions<Parameters<Fn>, Awaited<ReturnType<Fn>>>,
  ...surplus: []
): CachedFunction<Parameters<Fn>, Awaited<ReturnType<Fn>>> {
  const assert = checkCall(ConfigError, "cached", 4, surplus);
  checkClient(assert, redis);
  assert(
    typeof name === "string" && name !== "" && name.isWellFormed() && !name.includes(":cached"),
    'the name must be non-empty, well-formed text without ":cached"',
  );
  assert(typeof fn === "function", "the third argument must be a function");
  const calls = new CachedCalls(redis, name, fn, resolveCachedOptions(assert, options));
  return Object.assign((...args: Parameters<Fn>) => calls.call(args) as Promise<Awaited<ReturnType<Fn>>>, {
    delete: (...args: Parameters<Fn>) => calls.delete(args),
    deleteTag: (tag: string) => calls.deleteTag(tag),
  });
}

/** The calls of one cached function in this process. */
class CachedCalls {
  readonly #redis: Redis;
  readonly #fn: (...args: any[]) => unknown;
  readonly #settings: CachedSettings;
  readonly #store: ResultStore;
  readonly #flights = new Map<string, Flight>();
  /** Counts calls and requests, in their order. */
  #time = 0;

  constructor(redis: Redis, name: string, fn: (...args: any[]) => unknown, settings: CachedSettings) {
    this.#redis = redis;
    this.#fn = fn;
    this.#settings = settings;
    // Every script may be delivered twice. A signal ends the wait of its call, but not the requests, which other calls share.
    const signal = executorOf(redis).settings.signal && (() => undefined);
    const client = redis.with({ codec: "text", writes: "at-least-once", ...(signal && { signal }) });
    this.#store = new ResultStore(client as unknown as Redis, name, settings);
  }

  call(args: readonly unknown[]): Promise<unknown> {
    return this.#untilAbort(() => this.#read(this.#keyOf(args), args));
  }

  delete(args: readonly unknown[]): Promise<void> {
    return this.#untilAbort(() => this.#store.delete(this.#keyOf(args)));
  }

  async deleteTag(tag: string): Promise<void> {
    assertConfig(this.#settings.tags !== undefined, "cached: deleteTag needs the option tags");
    return this.#untilAbort(() => this.#store.deleteTag(encodeTag(tag)));
  }

  /** Runs a function. Stops waiting for it when the client's signal aborts. */
  async #untilAbort<T>(run: () => Promise<T>): Promise<T> {
    const signal = getSignal(executorOf(this.#redis).settings);
    throwIfAborted(signal);
    return signal ? within(MAX_TIMER, run(), undefined, signal) : run();
  }

  /** Returns the result of a flight that began, or was computed, after this call. */
  async #read(key: string, args: readonly unknown[]): Promise<unknown> {
    const began = moment();
    const time = ++this.#time;
    let ignored: string | undefined;
    let timeout = this.#store.timeout;
    for (let waited = false; ; ) {
      const joined: Flight | undefined = waited ? undefined : this.#flights.get(key);
      const flight: Flight = joined ?? this.#begin({ key, args, ignored, waited, timeout });
      const result: SharedResult | undefined = await (joined ? flight.shared : flight.result);
      // The lease of the computation ended while this call waited.
      waited ||= !result;
      timeout = this.#store.timeout;
      if (result && result.time > time) {
        try {
          return await decodeResult(result.text, this.#settings.schema);
        } catch (error) {
          if (result.id === undefined) throw error;
          ignored = result.id;
        }
      } else if (result?.took !== undefined) {
        // The wait for a request of the other flight counts.
        timeout -= Math.min(result.took, elapsed(began));
      }
    }
  }

  #begin(call: FlightCall): Flight {
    const flight = new Flight((self) => this.#run(call, self).finally(() => this.#leave(call.key, self)));
    this.#flights.set(call.key, flight);
    return flight;
  }

  /** Lets later calls begin another flight. */
  #leave(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  async #run(call: FlightCall, flight: Flight): Promise<SharedResult> {
    const { key, args, ignored, waited } = call;
    const { lease: leaseTime, onOutage, waitUntil } = this.#settings;
    const leave = () => this.#leave(key, flight);
    // Calls of the same tick share the first request.
    await undefined;
    // On runtimes where code that serves one request must not wait for that of another, only calls of one tick share a flight.
    if (!executorOf(this.#redis).context.contextNow) leave();
    const token = randomId();
    const began = moment();
    for (let pause = MIN_PAUSE; ; pause = Math.min(pause * 2, MAX_PAUSE)) {
      const time = ++this.#time;
      const left = startTimer(call.timeout);
      const lookup = await this.#store.lookUp(key, token, left, ignored).catch((error: unknown) => {
        if (onOutage === "throw" || !isOutage(error)) throw error;
      });
      const took = call.timeout - left();
      // Without Redis, or after it has waited for one lease, the call computes the result itself. Otherwise calls would queue for a slow
      // function.
      const isWaiting = lookup?.state === "wait";
      if (!lookup || (isWaiting && (waited || elapsed(began) >= leaseTime))) {
        flight.startLease(leaseTime, leave);
        const { text, time } = await this.#compute(args);
        return { text, time };
      }
      if (lookup.state === "found") return { ...lookup.result, time, took };
      if (lookup.state === "wait") {
        call.timeout = this.#store.timeout;
        await sleep(Math.min(pause, lookup.ms));
        continue;
      }
      flight.startLease(leaseTime, leave);
      call.timeout = left();
      // Later calls begin a flight of their own, and get the stale result.
      if (lookup.stale) leave();
      const refresh = this.#refresh(call, lookup.lease, lookup.stale !== undefined);
      if (!lookup.stale) {
        return refresh.catch(async (error) => {
          await this.#release(call, lookup.lease);
          throw error;
        });
      }
      if (!waitUntil) return refresh;
      refresh.catch(ignore);
      // An error of waitUntil reaches the call; the refresh goes on.
      waitUntil(refresh);
      return { ...lookup.stale, time, took };
    }
  }

  /** Ends a lease without a result, so that another call may compute. With `waitUntil` this call does not wait for that. */
  async #release({ key, timeout }: FlightCall, lease: Lease): Promise<void> {
    const { waitUntil } = this.#settings;
    const released = this.#store.release(key, lease, startTimer(timeout)).catch(ignore);
    try {
      if (waitUntil) waitUntil(released);
      else await released;
    } catch {}
  }

  /** Computes and stores a result. If that fails, calls get the stale result, if there is one, until the lease has ended. */
  async #refresh(call: FlightCall, lease: Lease, hasStale: boolean): Promise<SharedResult> {
    const { key, args, timeout } = call;
    const { text, tags, time } = await this.#compute(args);
    const stored = ++this.#time;
    const left = startTimer(timeout);
    const isStored = await this.#store.store(key, lease, text, tags, left).catch(async (error: unknown) => {
      call.timeout = left();
      if (!isOutage(error)) throw error;
      // Redis can be reached, but refuses the result: other calls need not wait for the end of the lease.
      if (!hasStale && error instanceof RedisError) await this.#release(call, lease);
    });
    const isNew = isStored && !this.#store.isSplit;
    // The result is stored only if it was not deleted meanwhile, so it was true when it was stored.
    return { text, time: isNew ? stored : time, took: timeout - left() };
  }

  /** Runs the function. Returns its result and tags, and the time before. */
  async #compute(args: readonly unknown[]): Promise<{ text: string; tags: string; time: number }> {
    const time = ++this.#time;
    const { schema, tags } = this.#settings;
    const fn = this.#fn;
    const text = encodeResult("cached", await fn(...args), schema !== undefined);
    const result = await decodeResult(text, schema);
    if (!tags) return { text, tags: "", time };
    const tagList = tags(result, ...args);
    if (!Array.isArray(tagList)) throw new ArgumentError("cached: tags must return an array");
    return { text, tags: Array.from(tagList, encodeTag).join(" "), time };
  }

  #keyOf(args: readonly unknown[]): string {
    const key = this.#settings.key(...args);
    assertText(key, "key must return");
    return key;
  }
}

/** Returns a function that returns the rest of a time in ms, at least 1. */
function startTimer(ms: number): TimeLeft {
  const began = moment();
  return () => Math.max(1, ms - elapsed(began));
}

/** Returns a tag without spaces, which separate tags in an entry. */
function encodeTag(tag: unknown): string {
  assertText(tag, "a tag must be");
  return encodeURIComponent(tag);
}

/** @param subject begins the message: its subject and verb. */
function assertText(value: unknown, subject: string): asserts value is string {
  if (typeof value === "string" && value !== "" && value.isWellFormed()) return;
  const type = value === "" ? "empty text" : describe(value);
  throw new ArgumentError(`cached: ${subject} non-empty, well-formed text, not ${type}`);
}
