import { setTimeout as pause } from "node:timers/promises";
import type { LambdaFunction } from "./lambda.js";

/** Invocations back to back for each one after a pause. */
export const PER_PAUSED = 10;

/** The writes after a pause. The function is frozen by then. */
export const WRITES = {
  set: { command: "set", keys: ["greeting"] },
  incr: { command: "incr", keys: ["counter"] },
} as const;

/** Runs a new instance: GETs back to back, then each write after pauses of `seconds`. Times are in ms. */
export async function measureInstance(lambda: LambdaFunction, invocations: number, seconds: number) {
  const first = await lambda.invoke({});
  const warm = [];
  for (let n = 1; n < invocations; n++) warm.push(await lambda.invoke({}));
  const afterPause = async (event: object) => {
    const durations: number[] = [];
    for (let n = 0; n < invocations; n += PER_PAUSED) {
      await pause(seconds * 1_000);
      durations.push((await lambda.invoke(event)).durationMs);
    }
    return durations;
  };
  return {
    init: first.initMs ?? Number.NaN,
    first: first.durationMs,
    warm: warm.map(({ durationMs }) => durationMs),
    billed: warm.map(({ billedMs }) => billedMs),
    set: await afterPause(WRITES.set),
    incr: await afterPause(WRITES.incr),
  };
}
