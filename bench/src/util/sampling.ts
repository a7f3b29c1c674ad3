import { setTimeout as pause } from "node:timers/promises";
import { allEnded } from "./all-ended.js";

/**
 * Calls `sample` again and again, `everyMs` after the end of the last call, while `run` goes on. Both have ended when it settles.
 * @returns the result of `run`
 * @throws the error of `run`, else the first one of `sample`
 */
export async function whileSampling<T>(
  everyMs: number,
  sample: () => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  let over = false;
  const sampling = async () => {
    while (!over) {
      await sample();
      await pause(everyMs);
    }
  };
  const running = run().finally(() => {
    over = true;
  });
  const [result] = await allEnded([running, sampling()] as const);
  return result;
}
