import type { Redis } from "../client/redis.js";
import { ArgumentError, WarmlineError } from "../errors.js";
import { checkClient, executorOf } from "../execution/executor-key.js";
import { getSignal } from "../execution/limits.js";
import { type Assert, checkCall, checkNames } from "../options/check-call.js";
import type { Signal } from "../options/options.js";
import { isSignal, throwIfAborted } from "../util/abort.js";
import { ABORT_FIELD, END_FIELD, type FollowedEntry } from "./entry.js";
import { pollEntries } from "./poll.js";
import { START } from "./position.js";
import { streamEntries, Unsupported } from "./stream-entries.js";

/** Settings of follow. */
export interface FollowOptions {
  /**
   * The id of the entry after which to begin, such as that of the last entry received. Default `"0-0"`: the beginning of the
   * stream, with GapError if that was trimmed. `"-"`: the first entry that has not been trimmed. `"$"`: entries added from now on.
   */
  from?: string | undefined;
  /** Ends the loop with its reason. Default: the client's signal. */
  signal?: Signal | undefined;
}

/**
 * Returns the entries of a stream as they are added: `for await (const { id, fields } of follow(redis, "log"))`. It continues by
 * id after freezes, lost connections and restarts, so that no entry is missing or comes twice. The loop ends at the entry by
 * which `produce` closes a stream, without returning it.
 *
 * warmline-gateway sends entries as they are added. Other endpoints are read every 100 ms, and less often, down to every 2 s,
 * while there are no new entries.
 * @throws ArgumentError if an argument is wrong. The loop throws GapError if entries after the position were trimmed or
 * deleted, WarmlineError if the producer aborted the stream, and any error that prevents the first read.
 */
export function follow<V = unknown, T = V>(
  redis: Redis<V>,
  key: string,
  options: FollowOptions = {},
  ...surplus: []
): AsyncGenerator<FollowedEntry<T>, void, undefined> {
  const assert = checkCall(ArgumentError, "follow", 3, surplus);
  checkClient(assert, redis);
  checkKey(assert, key);
  checkNames(assert, options, ["from", "signal"]);
  const { from = START, signal } = options;
  assert(
    typeof from === "string" && /^(-|\$|\d{1,20}(-\d{1,20})?)$/.test(from),
    'from must be the id of an entry, such as "1526919030474-0", or "-" or "$"',
  );
  assert(signal === undefined || isSignal(signal), "signal must be an AbortSignal");
  const id = /^\d+$/.test(from) ? `${from}-0` : from;
  return readEntries(redis, key, id, signal as AbortSignal | undefined) as AsyncGenerator<
    FollowedEntry<T>,
    void
  >;
}

/** Checks that a key can be part of a URL's path, from which parsers remove the segments "." and "..", even percent-encoded. */
export function checkKey(assert: Assert, key: unknown): void {
  assert(
    typeof key === "string" && key.isWellFormed() && !/^\.{0,2}$/.test(key),
    'the key must be non-empty, well-formed text other than "." and ".."',
  );
}

async function* readEntries<V>(
  redis: Redis<V>,
  key: string,
  from: string,
  ownSignal: AbortSignal | undefined,
): AsyncGenerator<FollowedEntry<V>, void> {
  const signal = ownSignal ?? getSignal(executorOf(redis).settings);
  throwIfAborted(signal);
  for await (const entries of readPages(redis, key, from, signal)) {
    for (const entry of entries) {
      if (END_FIELD in entry.fields) return;
      if (ABORT_FIELD in entry.fields) {
        throw new WarmlineError("FOLLOW: the producer aborted the stream", { outcome: "answered" });
      }
      yield entry;
      throwIfAborted(signal);
    }
  }
}

async function* readPages<V>(
  redis: Redis<V>,
  key: string,
  from: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<FollowedEntry<V>[], never> {
  const executor = executorOf(redis);
  const { endpoint, protocol, prefix = "" } = executor.context;
  if (endpoint && !protocol.isThirdParty) {
    try {
      yield* streamEntries<V>(executor, prefix + key, from, signal);
    } catch (error) {
      // If the endpoint refused for another reason, it refuses the reads too.
      if (!(error instanceof Unsupported)) throw error;
    }
  }
  return yield* pollEntries(redis, key, from, signal);
}
