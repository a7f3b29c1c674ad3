import { built } from "../client/bench-client.js";
import { Child } from "../util/child.js";
import type { Performed } from "./perform.js";
import type { ScenarioMessage } from "./scenario-program.js";

const PROGRAM = built("runner/scenario-program.js");
const LIMIT_MS = 30 * 60_000;

/** Runs a scenario in a process of its own. @throws if it fails, its process crashes or it takes longer than half an hour */
export async function performInProcess(message: ScenarioMessage, program = PROGRAM): Promise<Performed> {
  const child = new Child([process.execPath, program]);
  try {
    return await child.request<Performed>(message, message.scenario, LIMIT_MS);
  } finally {
    await child.end();
  }
}
