import { number, UsageError } from "../util/usage.js";

/** The function that advice is given for. */
export interface Question {
  /** The function's size in MB. */
  readonly memoryMb: number;
  /** Commands per invocation. */
  readonly ops: number;
  /** Round trip to the server in ms. */
  readonly rttMs: number;
  /** Instances at a time at the peak. */
  readonly concurrency: number;
  /** How many connections the Redis is to hold. */
  readonly maxConnections: number;
  readonly tls: boolean;
  /** Whether Redis is a database of Upstash, reached over the internet. Else it is one's own, in the function's network. */
  readonly upstash: boolean;
  /** Invocations per month, over which a gateway's price by the hour is spread; undefined: it is not weighed. */
  readonly perMonth: number | undefined;
}

/** Default of --max-connections: above it the article on database connections advises against direct connections. */
const MAX_CONNECTIONS = 1_000;

/** Reads the question from the flags. @throws UsageError if one of the four is missing or no number */
export function parseQuestion(
  flags: {
    readonly ops?: string | undefined;
    readonly concurrency?: string | undefined;
    readonly "max-connections"?: string | undefined;
    readonly tls?: boolean | undefined;
    readonly upstash?: boolean | undefined;
    readonly "per-month"?: string | undefined;
  },
  rtts: readonly number[] | undefined,
  sizes: readonly number[] | undefined,
): Question {
  const ops = number("ops", flags.ops, 1);
  const concurrency = number("concurrency", flags.concurrency, 1);
  if (ops === undefined || concurrency === undefined || rtts?.length !== 1 || sizes?.length !== 1) {
    throw new UsageError(
      "advise needs one number each for --memory (MB), --ops (commands per invocation), --rtt (ms) and --concurrency (concurrent instances).",
    );
  }
  return {
    memoryMb: sizes[0]!,
    ops,
    rttMs: rtts[0]!,
    concurrency,
    maxConnections: number("max-connections", flags["max-connections"], 1) ?? MAX_CONNECTIONS,
    tls: flags.tls ?? false,
    upstash: flags.upstash ?? false,
    perMonth: number("per-month", flags["per-month"], 1),
  };
}
