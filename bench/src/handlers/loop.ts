import { setTimeout as pause } from "node:timers/promises";
import { client, options } from "../function-client.js";

/** How a loop uses its client. */
export type LoopUse = "reuse" | "ephemeral";

/** The event of a loop. */
export interface LoopEvent {
  /** One client for all commands, or one made, used and closed for each. */
  readonly use: LoopUse;
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
  // Connecting is no part of a reused client's commands.
  await kept?.ping();
  const replies: Promise<unknown>[] = [];
  for (let n = 0; n < commands; n++) {
    const begunAt = performance.now();
    const own = kept ?? client.connect(options);
    const done = own.ping().then(() => kept ?? own.close());
    if (awaited) await done;
    latencies.push(performance.now() - begunAt);
    replies.push(done);
    if (delayMs > 0) await pause(delayMs);
  }
  await Promise.all(replies);
  await kept?.close();
  return { statusCode: 200, body: latencies };
};
