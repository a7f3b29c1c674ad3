import { ConnectionError, UnknownOutcomeError, WarmlineError } from "../errors.js";
import { afterUnknown } from "../transport/outcome.js";
import { onAbort } from "../util/abort.js";
import { elapsed, moment } from "../util/clock.js";
import { clearTimeout, setTimeout } from "../util/timers.js";
import type { Command, CommandExecutor, RequestLimits } from "./executor.js";
import type { Limits } from "./limits.js";
import type { SharedRequest } from "./shared-request.js";

/** A command of a batch, with the callbacks that settle its promise. */
export interface QueuedCommand {
  readonly command: Command;
  readonly limits?: Limits | undefined;
  /** Whether its limits have settled it. */
  readonly over?: boolean;
  /** Returns the same command as one that an earlier attempt may have applied. */
  suspect?(): QueuedCommand;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface PipelineOptions {
  /** Is called where the request as a whole failed. Without it its reads are sent again by themselves. */
  readonly onFailure?: (error: unknown) => void;
  /** The request, where the commands have limits of their own. */
  readonly shared?: SharedRequest | undefined;
  /** How many times they were sent again already. */
  readonly retried?: number;
}

/**
 * Sends commands as one pipeline in which each has an outcome of its own. Commands that the gateway did not forward are
 * sent again, and so are reads whose outcome is unknown. Only writes reject.
 */
export async function sendPipeline(
  executor: CommandExecutor,
  batch: readonly QueuedCommand[],
  { time, signal, repeated }: RequestLimits,
  { onFailure, shared, retried = 0 }: PipelineOptions = {},
): Promise<void> {
  const began = moment();
  // After a freeze it may be too late: what an exactly-once write's repeat relies on may be forgotten by then.
  const left = () => time - elapsed(began);
  let sent = batch;
  const wanted = () => {
    if (shared) sent = sent.filter(({ over }) => !over);
    return sent.map(({ command }) => command);
  };
  const again: QueuedCommand[] = [];
  const errors: unknown[] = [];
  const sendAgain = (queued: QueuedCommand, error: unknown) => {
    if (queued.over) return;
    again.push(isUnknown(error) ? suspected(queued) : queued);
    errors.push(error);
  };
  const giveUp = () => {
    for (const [i, { reject }] of again.entries()) reject(errors[i]);
  };
  const repeat = (wait: number) => {
    const outcome = errors.some(isUnknown) ? "unknown" : "unsent";
    executor.context.transport.onRetry({ command: "PIPELINE", outcome, retry: retried + 1, waitMs: wait });
  };

  try {
    const results = await executor.runBatch(wanted, "pipeline", { time, signal, repeated }, shared);
    for (const [i, result] of results.entries()) {
      const queued = sent[i]!;
      if (!("error" in result)) queued.resolve(result.result);
      else if (mayRepeat(result.error, queued.command)) sendAgain(queued, result.error);
      else queued.reject(result.error);
    }
  } catch (error) {
    if (onFailure) return onFailure(error);
    // A batch of nothing else has been sent again as often as it may be.
    const mixed = isUnknown(error) && left() > 0 && batch.some(({ command }) => !command.repeatable);
    for (const queued of batch) {
      const { spec, repeatable } = queued.command;
      const own = error instanceof WarmlineError ? error.forCommand(spec.name) : error;
      if (mixed && repeatable) sendAgain(queued, own);
      else queued.reject(own);
    }
    if (again.length > 0) {
      repeat(0);
      sendPipeline(executor, again, { time: left(), signal, repeated: true }, { shared, retried });
    }
    return;
  }

  if (again.length === 0) return;
  const { retries, backoff } = executor.settings;
  const wait = retried < retries ? backoff(retried) : Number.POSITIVE_INFINITY;
  if (!(wait < left())) return giveUp();
  repeat(wait);
  pause(wait, signal, (aborted) => {
    if (aborted) for (const { reject } of again) reject(aborted.reason);
    else if (left() > 0)
      sendPipeline(
        executor,
        again,
        { time: left(), signal, repeated: true },
        { shared, retried: retried + 1 },
      );
    else giveUp();
  });
}

/** @param then is called after the pause, or with the signal once that aborts. */
function pause(ms: number, signal: AbortSignal | undefined, then: (aborted?: AbortSignal) => void): void {
  const timer = setTimeout(() => {
    forget?.();
    then();
  }, ms);
  const forget =
    signal &&
    onAbort(signal, () => {
      clearTimeout(timer);
      forget!();
      then(signal);
    });
}

/** One that may have been applied already: nothing that becomes of a later try can say that it was not. */
function suspected(queued: QueuedCommand): QueuedCommand {
  const { command, resolve, reject } = queued;
  return (
    queued.suspect?.() ?? { command, resolve, reject: (error) => reject(afterUnknown(error, command.write)) }
  );
}

/** Whether the outcome that the gateway reports allows the command to be sent again. */
function mayRepeat(error: unknown, { repeatable }: Command): boolean {
  return error instanceof ConnectionError || (repeatable && error instanceof UnknownOutcomeError);
}

function isUnknown(error: unknown): boolean {
  return error instanceof WarmlineError && error.outcome === "unknown" && error.name !== "TimeoutError";
}
