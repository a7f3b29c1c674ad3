import { built } from "../client/bench-client.js";
import type { Result } from "../results/result.js";
import { Child } from "../util/child.js";
import type { ScenarioMessage } from "./scenario-program.js";

/** The longest time in ms for a scenario. */
const LIMIT_MS = 30 * 60_000;

/** The response of the process: the result, and of a run of a publication the host's calibrations in ms. */
export interface ScenarioResponse {
  readonly result: Result;
  readonly paces?: readonly number[];
}

/**
 * Runs a scenario in a process of its own.
 * @param program the program of the process. Default: the one of this package
 * @throws if the scenario fails, its process crashes or it takes longer than half an hour
 */
export async function performInProcess(
  message: ScenarioMessage,
  program: string = built("runner/scenario-program.js"),
): Promise<ScenarioResponse> {
  const child = new Child([process.execPath, program]);
  try {
    return await child.request<ScenarioResponse>(message, message.scenario, LIMIT_MS);
  } finally {
    await child.end();
  }
}
