// A process that runs one scenario of several, so that a crash loses this scenario alone.

import { clients, scenarios } from "../registry.js";
import { serveParent } from "../util/child.js";
import { parse } from "./command-line.js";
import { perform } from "./perform.js";

/** The name of a scenario, and the command line of the run of all. */
export interface ScenarioMessage {
  readonly scenario: string;
  readonly args: readonly string[];
}

serveParent(async ({ scenario, args }: ScenarioMessage) => {
  const command = parse(args, await scenarios(), await clients());
  const run = "runs" in command && command.runs.find((each) => each.scenario.name === scenario);
  if (!run) throw new Error(`The command line has no scenario ${scenario}.`);
  return perform(run);
});
