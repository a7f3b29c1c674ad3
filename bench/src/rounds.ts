import { randomFrom, shuffled } from "./random.js";
import type { Settings } from "./scenario.js";

/**
 * Runs every case once per round. The seed determines the order in each round, so that other load on the machine affects
 * all cases alike.
 */
export async function inRounds<Case>(
  settings: Pick<Settings, "seed" | "progress">,
  rounds: number,
  cases: readonly Case[],
  nameOf: (each: Case) => string,
  run: (each: Case, round: number) => Promise<void>,
): Promise<void> {
  const random = randomFrom(settings.seed);
  let done = 0;
  for (let round = 0; round < rounds; round++) {
    for (const each of shuffled(cases, random)) {
      const what = `round ${round + 1} of ${rounds}, ${nameOf(each)}`;
      settings.progress.step(done++, rounds * cases.length, what);
      await run(each, round);
    }
  }
}

/** Returns the number of repetitions in a round, out of a total over all rounds. */
export function shareOf(total: number, rounds: number, round: number): number {
  return Math.floor((total * (round + 1)) / rounds) - Math.floor((total * round) / rounds);
}
