import { elapsed, moment } from "../connection/clock.js";
import type { Command, Core } from "../core.js";
import { ConnectionError, UnknownOutcomeError, WarmlineError } from "../errors.js";

/** A command of a batch, and whoever waits for it. */
export interface Waiting {
  readonly command: Command;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends commands as one pipeline in which each has its own fate: what the gateway did not send on is sent again,
 * and so are the reads whose outcome it does not know; only writes reject.
 * @param time for all of it, in ms.
 * @param onFailure is told where the request as a whole failed. Without it the same goes for such a request: its
 * reads are sent again by themselves.
 */
export async function sendEach(
  core: Core,
  batch: readonly Waiting[],
  time: number,
  onFailure?: (error: unknown) => void,
  retried = 0,
): Promise<void> {
  const began = moment();
  // After a freeze it may be too late: what an exactly-once write's repeat relies on may be forgotten by then.
  const left = () => time - elapsed(began);
  const commands = batch.map(({ command }) => command);
  const again: Waiting[] = [];
  const errors: unknown[] = [];
  const giveUp = () => {
    for (const [i, { reject }] of again.entries()) reject(errors[i]);
  };
  const repeat = (wait: number) => {
    const outcome = errors.some(isUnknown) ? "unknown" : "unsent";
    core.base.transport.onRetry({ command: "PIPELINE", outcome, retry: retried + 1, waitMs: wait });
  };

  try {
    const results = await core.runBatch(commands, "pipeline", time);
    for (const [i, result] of results.entries()) {
      const waiting = batch[i]!;
      if (!("error" in result)) waiting.resolve(result.value);
      else if (mayRepeat(result.error, waiting.command)) errors[again.push(waiting) - 1] = result.error;
      else waiting.reject(result.error);
    }
  } catch (error) {
    if (onFailure) return onFailure(error);
    // A batch of nothing else has been sent again as often as it may be.
    const mixed = isUnknown(error) && left() > 0 && commands.some(({ repeatable }) => !repeatable);
    for (const waiting of batch) {
      const { row, repeatable } = waiting.command;
      const own = error instanceof WarmlineError ? error.about(row.name) : error;
      if (mixed && repeatable) errors[again.push(waiting) - 1] = own;
      else waiting.reject(own);
    }
    if (again.length > 0) {
      repeat(0);
      sendEach(core, again, left(), undefined, retried);
    }
    return;
  }

  if (again.length === 0) return;
  const { retries, backoff } = core.settings;
  const wait = retried < retries ? backoff(retried) : Number.POSITIVE_INFINITY;
  if (wait >= left()) return giveUp();
  repeat(wait);
  pause(wait, core.signal, (aborted) => {
    if (aborted) for (const { reject } of again) reject(aborted.reason);
    else if (left() > 0) sendEach(core, again, left(), undefined, retried + 1);
    else giveUp();
  });
}

/** @param then is called after the pause, or with the signal once that aborts. */
function pause(ms: number, signal: AbortSignal | undefined, then: (aborted?: AbortSignal) => void): void {
  const end = (event?: unknown) => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    then(event ? signal : undefined);
  };
  const timer = setTimeout(end, ms);
  signal?.addEventListener("abort", end);
}

/** Whether the gateway's word for what became of the command lets it be sent again. */
function mayRepeat(error: unknown, { repeatable }: Command): boolean {
  return error instanceof ConnectionError || (repeatable && error instanceof UnknownOutcomeError);
}

function isUnknown(error: unknown): boolean {
  return error instanceof WarmlineError && error.outcome === "unknown" && error.name !== "TimeoutError";
}
