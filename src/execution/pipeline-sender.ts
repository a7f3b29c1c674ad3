import { ConnectionError, TimeoutError, UnknownOutcomeError, WarmlineError } from "../errors.js";
import { RetryBudget } from "../transport/retry-budget.js";
import { createTimeoutError } from "../transport/timeout-error.js";
import { sleep } from "../util/timers.js";
import { sendBatch } from "./batch-request.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Command } from "./command.js";
import type { PendingCommand, SharedRequest } from "./pending-command.js";
import type { RequestLimits } from "./pending-request.js";

interface PipelineOptions {
  /** Called if the first request as a whole fails. Without it its reads are sent again by themselves. */
  readonly onFailure?: (error: unknown) => void;
  /** The request, where the commands have limits of their own. */
  readonly shared?: SharedRequest | undefined;
}

/**
 * Sends commands as one pipeline in which each has an outcome of its own. Commands that the gateway did not forward are
 * sent again, and so are reads whose outcome is unknown. Only writes reject.
 */
export async function sendPipeline(
  client: ConfiguredClient,
  batch: readonly PendingCommand[],
  { time, signal }: RequestLimits,
  { onFailure, shared }: PipelineOptions = {},
): Promise<void> {
  const budget = new RetryBudget(client.settings, time);
  let limits: RequestLimits = { time, signal };
  let sent = batch;
  const wanted = () => {
    if (shared) sent = sent.filter(({ settled }) => !settled);
    return sent.map(({ command }) => command);
  };
  for (;;) {
    /** Commands that are to be sent again, each with the error of its last attempt. */
    const failed = new Map<PendingCommand, unknown>();
    let atOnce = false;
    try {
      const results = await sendBatch(client, "pipeline", wanted, limits, shared);
      for (const [i, result] of results.entries()) {
        const pending = sent[i]!;
        if (!("error" in result)) pending.resolve(result.result);
        else if (mayRepeat(result.error, pending.command)) failed.set(pending, result.error);
        else pending.reject(result.error);
      }
    } catch (error) {
      if (onFailure && budget.retried === 0) return onFailure(error);
      // A batch of reads alone has been sent again as often as it may be.
      atOnce = isUnknown(error) && budget.timeLeft > 0 && sent.some(({ command }) => !command.repeatable);
      for (const pending of sent) {
        const { spec, repeatable, write } = pending.command;
        const { name } = spec;
        const own =
          error instanceof TimeoutError
            ? createTimeoutError(name, time, error.outcome === "unknown", write, error.cause)
            : error instanceof WarmlineError
              ? error.forCommand(name)
              : error;
        if (atOnce && repeatable) failed.set(pending, own);
        else pending.reject(own);
      }
    }
    for (const [pending, error] of failed) {
      if (pending.settled) failed.delete(pending);
      else if (isUnknown(error)) pending.possiblyApplied = budget.possiblyApplied = true;
    }
    if (failed.size === 0) return;
    const waitMs = atOnce ? 0 : budget.next();
    if (waitMs !== undefined) {
      const outcome = [...failed.values()].some(isUnknown) ? "unknown" : "unsent";
      const retry = budget.retried + (atOnce ? 1 : 0);
      client.context.transport.onRetry({ command: "PIPELINE", outcome, retry, waitMs });
      if (!atOnce) await sleep(waitMs, signal);
    }
    const { timeLeft } = budget;
    if (waitMs === undefined || signal?.aborted || timeLeft <= 0) {
      for (const [pending, error] of failed) pending.reject(signal?.aborted ? signal.reason : error);
      return;
    }
    sent = [...failed.keys()];
    limits = { time: timeLeft, signal, repeated: budget.possiblyApplied };
  }
}

/** Whether the outcome that the gateway reports allows the command to be sent again. */
function mayRepeat(error: unknown, { repeatable }: Command): boolean {
  return error instanceof ConnectionError || (repeatable && error instanceof UnknownOutcomeError);
}

function isUnknown(error: unknown): boolean {
  return error instanceof WarmlineError && error.outcome === "unknown" && error.name !== "TimeoutError";
}
