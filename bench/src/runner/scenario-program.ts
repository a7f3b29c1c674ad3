// A process that runs one scenario of a run of all, so that a crash loses this scenario alone.

import { clients, scenarios } from "../registry.js";
import { serveParent } from "../util/serve-parent.js";
import { parse } from "./command-line.js";
import { perform } from "./perform.js";

/** A message to the process: the name of a scenario, and the command line of the run of all. */
export interface ScenarioMessage {
  readonly scenario: string;
  readonly args: readonly string[];
}

serveParent(async ({ scenario, args }: ScenarioMessage) => {
  const command = parse(args, await scenarios(), await clients());
  const run =
    command.action === "all" ? command.runs.find((each) => each.scenario.name === scenario) : undefined;
  if (!run) throw new Error(`The command line has no scenario ${scenario}.`);
  return { result: await perform(run) };
});
