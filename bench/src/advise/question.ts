import { number, UsageError } from "../usage.js";

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
  };
}
