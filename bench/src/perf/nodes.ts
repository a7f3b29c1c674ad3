import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { built } from "../client/bench-client.js";
import { UsageError } from "../util/usage.js";

/** A Node that measured processes run under. */
export interface Node {
  readonly path: string;
  /** The version, for example `v24.21.0`. */
  readonly version: string;
}

/** This process's own Node. */
export const OWN_NODE: Node = { path: process.execPath, version: process.version };
const NODE_24 = built("../nodes/24/node_modules/node/bin/node");

/** @throws UsageError when the file is not a Node that runs here */
export function nodeAt(path: string): Node {
  try {
    return { path, version: execFileSync(path, ["--version"], { encoding: "utf8" }).trim() };
  } catch {
    throw new UsageError(`--node must be the path of a Node executable; ${path} does not run.`);
  }
}

/** The Node that the command line names; else this process's own, and Node 24 where it is installed in its folder. */
export function chosenNodes(path: string | undefined): Node[] {
  if (path !== undefined) return [nodeAt(path)];
  const second = existsSync(NODE_24) ? [nodeAt(NODE_24)] : [];
  return [OWN_NODE, ...second.filter(({ version }) => version !== OWN_NODE.version)];
}

/** Returns a note that Node 24 was skipped and how to install it, if so. */
export function missingNote(path: string | undefined): string[] {
  if (path !== undefined || chosenNodes(path).some(({ version }) => version.startsWith("v24."))) return [];
  return ["Skipped: Node 24: `npm ci --prefix bench/nodes/24` installs it."];
}
