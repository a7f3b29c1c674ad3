// A process that runs one scenario of several, so that a crash loses this scenario alone.

import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { clients, scenarios } from "../registry.js";
import { serveParent } from "../util/child.js";
import { parse, type Run } from "./command-line.js";
import { perform } from "./perform.js";
import type { Measured } from "./run-scenario.js";

/** A message to the process: the name of a scenario, and the command line of the run of all. */
export interface ScenarioMessage {
  readonly scenario: string;
  readonly args: readonly string[];
  /** A run of a publication: its seed, and the file for its samples. */
  readonly run?: { readonly seed: number; readonly file: string };
  /** The files of the runs to report. Nothing is measured then. */
  readonly report?: readonly string[];
}

/** Reads what a run measured. JSON has null for a number that is none. */
const measuredIn = (file: string): readonly Measured[] =>
  JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"), (_, value) => value ?? Number.NaN);

serveParent(async ({ scenario, args, run: once, report }: ScenarioMessage) => {
  const command = parse(args, await scenarios(), await clients());
  const runs = command.action === "all" || command.action === "publish" ? command.runs : [];
  const run = runs.find((each) => each.scenario.name === scenario);
  if (!run) throw new Error(`The command line has no scenario ${scenario}.`);
  if (report) return perform(run, report.map(measuredIn));
  if (!once) return { result: (await perform(run)).result };
  const seeded = (each: Run): Run => {
    return { ...each, settings: { ...each.settings, seed: once.seed }, parts: each.parts.map(seeded) };
  };
  const { result, measured } = await perform(seeded(run));
  writeFileSync(once.file, gzipSync(JSON.stringify(measured)));
  return { result, paces: measured.flatMap(({ paces }) => paces) };
});
