import fc from "fast-check";
import { expect } from "vitest";
import { blockedCase } from "./blocked.js";
import { type Command, commandSequence } from "./commands.js";
import type { Difference, EnginePair } from "./compare.js";
import { knownDifferences } from "./known-differences.js";

/** Settings of a run of {@link compareEngines}. */
export interface ComparisonOptions {
  /** Number of sequences. */
  readonly runs: number;
  /** Maximum number of commands in a sequence. */
  readonly maxLength: number;
  readonly seed: number;
}

/**
 * Runs random command sequences against both engines.
 * @throws Error with the seed and the shortest sequence found whose replies differ in a way that is not listed
 */
export async function compareEngines(pair: EnginePair, options: ComparisonOptions): Promise<void> {
  const compare = (sequence: readonly Command[]) =>
    pair.compare(sequence, (difference, before) =>
      knownDifferences.some((known) => known.covers(difference, before)),
    );
  const property = fc.asyncProperty(
    commandSequence(options.maxLength),
    async (sequence) => (await compare(sequence)) === undefined,
  );
  const result = await fc.check(property, { numRuns: options.runs, seed: options.seed });
  if (!result.failed) return;
  if (!result.counterexample) throw new Error(`seed ${options.seed}: ${result.errorInstance}`);
  const [sequence] = result.counterexample;
  throw new Error(`seed ${options.seed}: the engines differ\n${report(sequence, await compare(sequence))}`);
}

/**
 * Runs random cases of clients that wait against both engines.
 * @throws Error with the seed and the shortest case found whose outcomes differ
 */
export async function compareBlocked(
  pair: EnginePair,
  { runs, seed }: Omit<ComparisonOptions, "maxLength">,
): Promise<void> {
  const property = fc.asyncProperty(blockedCase, async (given) => {
    const { redis, embedded } = await pair.runBlocked(given);
    expect(embedded).toEqual(redis);
  });
  await fc.assert(property, { numRuns: runs, seed });
}

function report(sequence: readonly Command[], difference: Difference | undefined): string {
  const end = difference ? sequence.indexOf(difference.command) + 1 : sequence.length;
  const lines = sequence
    .slice(0, end)
    .map((command) => `  ${command.map((arg) => JSON.stringify(arg)).join(" ")}`);
  if (!difference) return [...lines, "but not when it is run again"].join("\n");
  const { command, redis, embedded } = difference;
  return [
    ...lines,
    `in the reply to ${command[0]}:`,
    `  redis     ${JSON.stringify(redis)}`,
    `  embedded  ${JSON.stringify(embedded)}`,
  ].join("\n");
}
