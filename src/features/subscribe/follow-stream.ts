import { ConnectionError, TimeoutError } from "../../errors.js";
import type { Settings } from "../../execution/settings.js";
import { RetryBudget } from "../../transport/retry-budget.js";
import { monotonicTime } from "../../util/clock.js";
import { sleep } from "../../util/timers.js";
import { dataIn, type StreamRequest, streamLines } from "./event-stream.js";
import { type Frame, readFrame } from "./frame.js";

/** Whether a subscription is by channel, by pattern or by sharded channel. */
export type SubscribeMethod = "subscribe" | "psubscribe" | "ssubscribe";

/** Minimum duration in ms of a stream after which the backoff begins anew. */
const STEADY_AFTER = 1_000;

/**
 * Reads a subscription's stream to the channel or pattern `name`, and the next one whenever it is lost. Yields the frames, in the
 * groups in which they arrive. A frame of the kind `gap` replaces a repeated confirmation, and any other sign that messages may
 * have been missed.
 * @throws an error for which a retry does not help, or the signal's reason.
 */
export async function* followStream(
  method: SubscribeMethod,
  name: string,
  request: StreamRequest & { readonly signal: AbortSignal },
  settings: Settings,
): AsyncGenerator<Frame[], never> {
  const { signal } = request;
  const { timeout, backoff } = settings;
  let budget = new RetryBudget(settings, timeout);
  const gap: Frame = { kind: "gap", channel: name };
  let confirmed = false;
  for (;;) {
    let exact: string | undefined;
    let since = Infinity;
    try {
      for await (const lines of streamLines(request, confirmed ? timeout : budget.timeLeft)) {
        const frames: Frame[] = [];
        for (const line of lines) {
          const data = dataIn(line);
          if (line.startsWith("exact: ")) exact = line.slice(7);
          else if (line === "event: gap") frames.push(gap);
          else if (data) {
            const frame = readFrame(data, name, exact);
            exact = undefined;
            if (frame.kind !== method) frames.push(frame);
            else {
              frames.push(confirmed ? gap : frame);
              // A subscription that was never established fails like a command; an established one is reopened.
              if (!confirmed) budget = new RetryBudget({ retries: Infinity, backoff }, Infinity);
              confirmed = true;
              since = monotonicTime();
            }
          }
        }
        yield frames;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (monotonicTime() - since > STEADY_AFTER) budget.retried = 0;
      const isRetryable = error instanceof ConnectionError || (confirmed && error instanceof TimeoutError);
      const wait = isRetryable ? budget.next() : undefined;
      if (wait === undefined) throw error;
      await sleep(wait, signal);
    }
  }
}
