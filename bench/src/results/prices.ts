import { combine, mean, type Series } from "../statistics/series.js";

/** A price list; dollars. Lists change: each has the month in which it was read. */
export const PRICES = {
  /** AWS Lambda, x86, us-east-1, first tier; requests are per million. */
  lambda: { perGbSecond: 0.000_016_666_7, perMillionRequests: 0.2, readIn: "2026-11" },
  /** Upstash Redis, pay as you go: commands are per 100,000, bandwidth beyond the free 200 GB a month per GB. */
  upstash: { per100kCommands: 0.2, perGb: 0.03, readIn: "2026-11" },
  /** Data transfer out of AWS, us-east-1, to the internet, first tier; within a region it costs less or nothing. */
  egress: { perGb: 0.09, readIn: "2026-11" },
} as const;

/** The share of invocations that start an instance, where a million are priced. */
export const COLD_SHARE = 0.01;

/**
 * What an invocation uses: the billed duration in ms, the function's memory in MB, the commands sent to Redis, the bytes sent by Redis,
 * and the bytes that the function sends over the internet (default: 0).
 */
type Invocation = Readonly<Record<"ms" | "memoryMb" | "commands" | "bytes", number>> & {
  readonly sent?: number;
};

/** Returns the dollars of a million invocations by {@link PRICES}. */
export function costOfMillion({ ms, memoryMb, commands, bytes, sent = 0 }: Invocation) {
  const { lambda, upstash, egress } = PRICES;
  const gbSeconds = (ms / 1_000) * (memoryMb / 1_024) * 1e6;
  return {
    lambda: gbSeconds * lambda.perGbSecond + lambda.perMillionRequests,
    redis: ((commands * 1e6) / 1e5) * upstash.per100kCommands + ((bytes * 1e6) / 1e9) * upstash.perGb,
    egress: ((sent * 1e6) / 1e9) * egress.perGb,
  };
}

/** Returns the dollars of a million invocations with their intervals. `invocationOf` takes the means of the series. */
export function costsOf(series: readonly Series[], invocationOf: (...means: number[]) => Invocation) {
  const dollarsOf = (part: keyof ReturnType<typeof costOfMillion>) =>
    combine(series, (...means) => costOfMillion(invocationOf(...means))[part], mean);
  return { lambda: dollarsOf("lambda"), redis: dollarsOf("redis"), egress: dollarsOf("egress") };
}
