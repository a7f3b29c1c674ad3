import { parseQuantity, SIZES } from "../config/units.js";

/** The limits of one token. Requests beyond them get status 429 with `Retry-After`. */
export interface TokenLimits {
  /** Commands sent to Redis per second. Each command of a pipeline or transaction and each channel of a stream counts. */
  readonly commandsPerSecond?: number;
  /** Requests at a time, event streams included. */
  readonly concurrentRequests?: number;
  /** Bytes per second of request and response bodies together; a number or text such as `500kb`. */
  readonly bytesPerSecond?: number | string;
}

export const LIMIT_FIELDS = ["commandsPerSecond", "concurrentRequests", "bytesPerSecond"] as const;

/** Limits in numbers. Undefined for no limit. */
export type ParsedLimits = { readonly [field in keyof TokenLimits]?: number | undefined };

const MAX_LIMIT = 1e12;

/** Says what is wrong with a field of {@link TokenLimits}; null when it is right. */
export function limitProblem(field: (typeof LIMIT_FIELDS)[number], value: unknown): string | null {
  const isSize = field === "bytesPerSecond";
  const number = isSize ? parseQuantity(value, SIZES) : Number.isInteger(value) ? (value as number) : null;
  if (number !== null && number >= 1 && number <= MAX_LIMIT) return null;
  return isSize
    ? "must be a size per second of at least 1 byte, such as 500kb or 20mb"
    : "must be a whole number of at least 1";
}

/** Reads limits that were checked. */
export function parseLimits({ bytesPerSecond, ...limits }: TokenLimits): ParsedLimits {
  if (bytesPerSecond === undefined) return limits;
  return { ...limits, bytesPerSecond: parseQuantity(bytesPerSecond, SIZES)! };
}
