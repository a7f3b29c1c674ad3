import { join } from "node:path";
import { run } from "../../support/packages/run.js";
import { folder, testRuntime } from "../support/suite.js";

/** The suite on a runtime that takes the entry for Node, as a program that has to end by itself. */
export function testProgram(runtime: string, command: string, args: readonly string[]): void {
  testRuntime(runtime, "node", async (setup) => {
    const env = { SETUP: JSON.stringify(setup) };
    return JSON.parse(await run(command, [...args, join(folder, "node/main.js")], folder, env));
  });
}
