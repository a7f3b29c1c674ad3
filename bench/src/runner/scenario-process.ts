import { built } from "../client/bench-client.js";
import type { Result } from "../results/result.js";
import { Child } from "../util/child.js";
import type { ScenarioMessage } from "./scenario-program.js";

/** The longest time in ms for a scenario: twice that of the longest one. */
const LIMIT_MS = 60 * 60_000;

/**
 * Runs a scenario in a process of its own.
 * @param program the program of the process. Default: the one of this package
 * @throws if the scenario fails, its process crashes or it takes longer than an hour
 */
export async function performInProcess(
  message: ScenarioMessage,
  program: string = built("runner/scenario-program.js"),
): Promise<Result> {
  const child = await Child.start([process.execPath, program]);
  try {
    return (await child.request<{ result: Result }>(message, message.scenario, LIMIT_MS)).result;
  } finally {
    await child.end();
  }
}
