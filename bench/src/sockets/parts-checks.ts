import { atLeast, claimOf } from "../results/checks.js";
import { ms, share } from "../results/format.js";
import type { Check } from "../results/result.js";
import type { Estimate } from "../statistics/estimate.js";
import { combine, difference, mean, ratio, type Series } from "../statistics/series.js";
import { type Arm, ONE, type PartsCase, SPARSE_MS, TEN } from "./parts.js";

/** The parts of a request's time, with their checks. */
export interface Parts {
  /** The time for the topology as a share of the time of one command. */
  readonly topology: Estimate;
  /** The time in ms for connecting to the nodes of ten commands, and to the gateway. */
  readonly connecting: Estimate;
  readonly connectingToGateway: Estimate;
  readonly checks: readonly Check[];
}

/** Computes the parts from the differences between arms. */
export function partsOf(rows: readonly (PartsCase & { readonly latencies: Series })[]): Parts {
  const of = (arm: Arm, commands: number, pauseMs = 0): Series =>
    rows.find(
      (row) => !row.client && row.arm === arm && row.commands === commands && row.pauseMs === pauseMs,
    )!.latencies;
  const [known, proxied] = [of("kept", ONE), of("gatewayKept", ONE)];
  const [anew, kept, anewToGateway, keptToGateway] = (
    ["new", "topology", "gatewayNew", "gatewayKept"] as const
  ).map((arm) => of(arm, TEN)) as [Series, Series, Series, Series];
  const topology = combine([of("topology", ONE), known], (fetched, one) => fetched / one - 1, mean);
  const connecting = difference(anew, kept, mean);
  const connectingToGateway = difference(anewToGateway, keptToGateway, mean);
  const sparse = [of("gatewayKept", ONE, SPARSE_MS), of("kept", ONE, SPARSE_MS), proxied, known];
  return {
    topology,
    connecting,
    connectingToGateway,
    checks: [
      atLeast("fetching the topology adds at least half to the time of one command", topology, 0.5, {
        article: claimOf("envoy", "topology"),
        detail: ms(difference(of("topology", ONE), known, mean).value),
        text: share,
      }),
      atLeast(
        "a proxy next to the process takes over 90% of the time for connecting away",
        combine(
          [anew, kept, anewToGateway, keptToGateway],
          (all, rest, own, ownRest) => 1 - (own - ownRest) / (all - rest),
          mean,
        ),
        0.9,
        {
          article: claimOf("envoy", "connect"),
          detail: `${ms(connecting.value)} and ${ms(connectingToGateway.value)}`,
          text: share,
        },
      ),
      atLeast(
        "a read takes longer through the proxy than over kept connections",
        ratio(proxied, known, mean),
        1,
        {
          article: claimOf("envoy", "slower"),
        },
      ),
      atLeast(
        "sparse reads lose more through the proxy than frequent ones",
        combine(
          sparse,
          (own, direct, ownDense, directDense) => own - direct - (ownDense - directDense),
          mean,
        ),
        0,
        { article: claimOf("envoy", "sparse"), text: ms },
      ),
    ],
  };
}
