import type { Endpoint } from "../config.js";
import { type ConfigError, ConnectionError, TimeoutError } from "../errors.js";
import type { Settings } from "../settings.js";
import { type Frame, readFrame } from "./frame.js";
import { streamLines } from "./lines.js";

/** What a subscription is by. */
export type Sort = "subscribe" | "psubscribe";

/** A stream that lasted this long, in ms, is taken up again without patience. */
const STEADY = 1_000;

/** One channel or pattern, and how it is reached. */
export interface Followed {
  readonly sort: Sort;
  readonly name: string;
  /** Below the endpoint's own path. */
  readonly path: string;
  readonly endpoint: Endpoint | ConfigError;
  readonly settings: Settings;
  /** Ends it; the reason is what it rejects with. */
  readonly signal: AbortSignal;
  /** The first confirmation, and then every message. */
  onFrame(frame: Frame): void;
  /** Messages may have been missed. */
  onGap(): void;
  /** Settles when more can be taken in. */
  room(): Promise<void>;
}

/**
 * Reads a subscription's stream, and the next one whenever it is lost.
 * @returns never; rejects with what makes it impossible, or with the signal's reason.
 */
export async function follow(followed: Followed): Promise<never> {
  const { sort, name, path, endpoint, settings, signal } = followed;
  const due = performance.now() + settings.timeout;
  let confirmed = false;
  for (let retry = 0; ; retry++) {
    let exact: string | undefined;
    let since = Number.POSITIVE_INFINITY;
    try {
      const timeout = confirmed ? settings.timeout : due - performance.now();
      for await (const lines of streamLines({
        endpoint,
        path,
        command: sort.toUpperCase(),
        timeout,
        signal,
      })) {
        for (const line of lines) {
          // A listener may have given it up.
          signal.throwIfAborted();
          if (line.startsWith("exact: ")) exact = line.slice(7);
          else if (line === "event: gap") followed.onGap();
          else if (line.startsWith("data: ")) {
            const frame = readFrame(line.slice(6), name, exact);
            exact = undefined;
            const again = frame.kind === sort && confirmed;
            if (frame.kind === sort) {
              confirmed = true;
              since = performance.now();
            }
            if (again) followed.onGap();
            else followed.onFrame(frame);
          }
        }
        await followed.room();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ConnectionError || (confirmed && error instanceof TimeoutError))) throw error;
      if (performance.now() - since > STEADY) retry = 0;
      const wait = settings.backoff(retry);
      // What never stood is given up like a command; what did is not.
      if (!confirmed && (retry >= settings.retries || performance.now() + wait > due)) throw error;
      await pause(wait, signal);
    }
  }
}

/** Rejects with the signal's reason when that comes first. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
  });
}
