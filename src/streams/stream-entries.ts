import { ConnectionError, RedisError, TimeoutError } from "../errors.js";
import type { ConfiguredClient } from "../execution/client-context.js";
import { dataIn, getStreamEndpoint, streamLines } from "../features/subscribe/event-stream.js";
import { bulkOf } from "../protocol/json.js";
import { RetryBudget } from "../transport/retry-budget.js";
import { onAbort, throwIfAborted } from "../util/abort.js";
import { clearInterval, setInterval, sleep } from "../util/timers.js";
import type { FollowedEntry } from "./entry.js";
import { GapError } from "./position.js";

/** The name in error messages. */
const COMMAND = "FOLLOW";
/** Interval of the check for a freeze, and the time between two checks above which the process was frozen, in ms. */
const FREEZE_CHECK = 1_000;
const FROZEN_FOR = 2_000;

/**
 * Yields the entries after a position from the event streams of warmline-gateway. A lost stream is opened again after the last
 * entry.
 * @throws Unsupported if the endpoint has no such stream; GapError; the error that prevents the first stream.
 */
export async function* streamEntries<V>(
  client: ConfiguredClient,
  key: string,
  from: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<FollowedEntry<V>[], never> {
  const { timeout, backoff, codec } = client.settings;
  const endpoint = getStreamEndpoint(client, COMMAND);
  let position = from;
  let budget = new RetryBudget(client.settings, timeout);
  for (let confirmed = false; ; ) {
    const thaw = watchThaw(signal);
    const path = `/follow/${encodeURIComponent(key)}?from=${encodeURIComponent(position)}`;
    const request = { ...endpoint, path, command: COMMAND, signal: thaw.signal };
    try {
      let id = position;
      let exact: string | undefined;
      for await (const lines of streamLines(request, confirmed ? timeout : budget.timeLeft)) {
        const entries: FollowedEntry<V>[] = [];
        for (const line of lines) {
          if (line.startsWith("id: ")) id = line.slice(4);
          else if (line.startsWith("exact: ")) exact = line.slice(7);
          else if (line === "event: follow") {
            confirmed = true;
            budget = new RetryBudget({ retries: Infinity, backoff }, Infinity);
          } else {
            const data = dataIn(line);
            if (data?.startsWith("[")) {
              const texts: string[] = exact === undefined ? JSON.parse(data) : exact.split(",");
              entries.push({ id, fields: readFields(texts, exact !== undefined) });
            } else if (data !== undefined) position = id;
            if (data !== undefined) exact = undefined;
          }
        }
        if (entries.length === 0) continue;
        yield entries;
        // Not `id`, which may be that of the next entry, whose data has not arrived.
        position = entries.at(-1)!.id;
      }
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof RedisError && error.code === "GAP") {
        throw new GapError(position, /; (.*?)( \(command: \w+\))?$/.exec(error.message)?.[1] ?? "");
      }
      const isSilent = error instanceof TimeoutError;
      const isLost = error instanceof ConnectionError || (confirmed && isSilent);
      if (!isLost) throw confirmed || isSilent ? error : new Unsupported("no event stream", { cause: error });
      const wait = thaw.frozen ? 0 : budget.next();
      if (wait === undefined) throw error;
      await sleep(wait, signal);
      throwIfAborted(signal);
    } finally {
      thaw.end();
    }
  }

  function readFields(texts: readonly string[], exact: boolean): Record<string, V> {
    const fields: [string, V][] = [];
    for (let at = 0; at < texts.length; at += 2) {
      const value = codec.decode(bulkOf(texts[at + 1]!, exact)) as V;
      fields.push([bulkOf(texts[at]!, exact).text(), value]);
    }
    return Object.fromEntries(fields);
  }
}

/** The endpoint refused to open an event stream of entries. It may not support them. */
export class Unsupported extends Error {}

/** Returns a signal that also aborts after a freeze, because a connection may be dead then without an event. */
function watchThaw(signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const forget = signal && onAbort(signal, () => controller.abort(signal.reason));
  let last = Date.now();
  const watch = {
    signal: controller.signal,
    frozen: false,
    end() {
      clearInterval(timer);
      forget?.();
    },
  };
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > FROZEN_FOR) {
      watch.frozen = true;
      controller.abort(new ConnectionError(`${COMMAND}: the process was frozen`, { command: COMMAND }));
    }
    last = now;
  }, FREEZE_CHECK);
  return watch;
}
