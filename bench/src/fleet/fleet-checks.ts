import { atMost, claimOf, exactly } from "../results/checks.js";
import { count, ms, withInterval } from "../results/format.js";
import type { Check } from "../results/result.js";
import { combine, mean, percentile, Series } from "../statistics/series.js";
import type { Prediction } from "./model.js";

/** The numbers of one arm, over the rounds. */
interface Arm {
  readonly latencies: Series;
  readonly instances: Series;
  readonly peakOpen: Series;
  readonly refusals: Series;
  readonly evicted: Series;
  readonly failed: Series;
  readonly throttled: Series;
  readonly upstream: Series;
  readonly invocations: Series;
  /** The model's prediction for each round. */
  readonly model: readonly Prediction[];
}

/** The tolerance of the model's predictions. */
const NEAR = 0.15;

/** Checks the article's claim about rejections, the limits, and the model of docs/scale.md. */
export function fleetChecks(
  arms: { readonly unlimited: Arm; readonly hard: Arm; readonly limited: Arm },
  hardLimit: number,
): Check[] {
  const { unlimited, hard, limited } = arms;
  const { peakOpen, evicted, failed, throttled } = limited;
  const p99 = (arm: Arm) => withInterval(arm.latencies.estimate(percentile(99)), ms);
  const refusals = (arm: Arm) => count(arm.refusals.estimate(mean).value);
  const predicted = new Series(unlimited.model.map(({ connectionsUnlimited }) => [connectionsUnlimited]));
  const off = combine([unlimited.peakOpen, predicted], (open, all) => Math.abs(open / all - 1), mean);
  const upstream = Math.max(unlimited.upstream.max, hard.upstream.max, limited.upstream.max);
  const asPredicted = limited.model.map(({ connectionsLimited: [least, most], evicts }, round) => {
    const [open, closed] = [peakOpen.rounds[round]![0]!, evicted.rounds[round]![0]!];
    return open >= least * (1 - NEAR) && open <= most * (1 + NEAR) && evicts === closed > 0;
  });
  return [
    atMost(
      "evicting idle connections at least halves the refusals of the same hard limit",
      combine([limited.refusals, hard.refusals], (own, all) => (own === all ? 1 : own / all), mean),
      0.5,
      {
        article: claimOf("serverless", "eviction"),
        detail: `${refusals(limited)} against ${refusals(hard)} per round; p99 ${p99(limited)} against ${p99(hard)}, ${p99(unlimited)} without a limit`,
      },
    ),
    exactly(
      "the gateway never exceeds its hard limit",
      peakOpen.max <= hardLimit,
      `at most ${peakOpen.max} of ${hardLimit}`,
    ),
    exactly(
      "with limits, every invocation that got an instance succeeds in the end",
      failed.total === 0,
      `${failed.total} failed, ${throttled.total} throttled by the platform, of ${limited.invocations.total}`,
    ),
    atMost(`the model of docs/scale.md predicts the peak without limits within ${NEAR * 100}%`, off, NEAR, {
      detail: `${predicted.rounds.flat().join(", ")} predicted`,
      text: (value) => value.toFixed(3),
    }),
    exactly(
      "the model predicts the range of connections with limits, and evictions",
      asPredicted.every(Boolean),
      `in ${asPredicted.filter(Boolean).length} of ${asPredicted.length} rounds; ${peakOpen.min} to ${peakOpen.max} connections, ${evicted.total} evicted`,
    ),
    exactly(
      "the connections to Redis do not grow with the fleet",
      upstream <= 2,
      `${upstream} for ${unlimited.instances.max} instances`,
    ),
  ];
}
