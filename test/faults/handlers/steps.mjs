// Runs the steps of an event: a command, a time in ms for which the event loop is blocked (`hold`), or opening a
// connection without waiting for it (`open`).
import { Redis } from "warmline";

const transport =
  process.env.WARMLINE_CONNECTION === "undici"
    ? (await import("warmline/undici")).undici(new (await import("undici")).Agent())
    : undefined;
const redis = Redis.fromEnv({ codec: "text", transport, ...JSON.parse(process.env.CLIENT ?? "{}") });
if (process.env.AWAIT_READY) await redis.ready();

const cell = new Int32Array(new SharedArrayBuffer(4));

export async function handler(steps) {
  const results = [];
  for (const step of steps) {
    const begun = Date.now();
    if ("open" in step) {
      void redis.ready();
      // Node asks the kernel to connect one tick later, and learns at its next poll whether the connection is open.
      await new Promise(process.nextTick);
    } else if ("hold" in step) Atomics.wait(cell, 0, 0, step.hold);
    else {
      try {
        const value = await redis.exec(step);
        results.push({ value, ms: Date.now() - begun });
      } catch ({ name, message, outcome }) {
        results.push({ error: { name, message, outcome }, ms: Date.now() - begun });
      }
    }
  }
  return results;
}
