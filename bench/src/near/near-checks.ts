import { exactly } from "../results/checks.js";
import { ms } from "../results/format.js";
import type { Check } from "../results/result.js";
import { MAX_STALE, type NearCase, OFTEN } from "./measure.js";

/** Returns how often a key is overwritten, in words. */
export const overwritten = ({ every }: Pick<NearCase, "every">) =>
  every === OFTEN ? "a key overwritten per invocation" : `a key overwritten in ${every} invocations`;

/** The stale values of a function: their number, and the time since the oldest was overwritten in ms. */
interface StaleValues extends Pick<NearCase, "cache" | "every"> {
  readonly staleValues: number;
  readonly oldestValue: number;
}

/**
 * Checks the promises of near caches about stale values.
 * @param values the number of values that each function reads
 */
export const nearChecks = (rows: readonly StaleValues[], values: number): readonly Check[] =>
  rows.flatMap((row) => {
    const { cache, staleValues, oldestValue } = row;
    if (cache === "verify") {
      const expectation = `warmline/near with verify returns no stale value, ${overwritten(row)}`;
      return [exactly(expectation, staleValues === 0, `${staleValues} of ${values}`)];
    }
    if (cache !== "near") return [];
    const expectation = `warmline/near returns no value overwritten more than ${MAX_STALE} ms before, ${overwritten(row)}`;
    return [exactly(expectation, oldestValue <= MAX_STALE, `the oldest by ${ms(oldestValue)}`)];
  });
