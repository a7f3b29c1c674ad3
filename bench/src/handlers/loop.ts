import { setTimeout as pause } from "node:timers/promises";
import type { ConnectedClient } from "../client/bench-client.js";
import { client, options } from "../client/function-client.js";

export interface LoopEvent {
  /** One client for all commands; one made, used and closed for each; or the same with the command and the close queued at once. */
  readonly use: "reuse" | "ephemeral" | "queued";
  /** Whether a command's time ends with its reply, or as soon as it was issued. */
  readonly awaited: boolean;
  readonly commands: number;
  /** Between two commands, in ms. */
  readonly delayMs: number;
}

/** Runs commands in a loop and returns their latencies in ms. */
export const handler = async ({ use, awaited, commands, delayMs }: LoopEvent) => {
  const latencies: number[] = [];
  const kept = use === "reuse" ? client.connect(options) : undefined;
  // Connecting does not count for a reused client.
  await kept?.ping();
  const replies: Promise<unknown>[] = [];
  for (let n = 0; n < commands; n++) {
    const begunAt = performance.now();
    const done = issue(use, kept);
    if (awaited) await done;
    latencies.push(performance.now() - begunAt);
    replies.push(done);
    if (delayMs > 0) await pause(delayMs);
  }
  await Promise.all(replies);
  await kept?.close();
  return { statusCode: 200, body: latencies };
};

function issue(use: LoopEvent["use"], kept: ConnectedClient | undefined): Promise<unknown> {
  if (kept) return kept.ping();
  if (use === "queued") {
    // Without keep-alive a client would connect lazily and disconnect by itself.
    const own = client.connect({ ...options, keepAlive: true });
    return Promise.all([own.ping(), own.close()]);
  }
  const own = client.connect(options);
  return own.ping().then(() => own.close());
}
