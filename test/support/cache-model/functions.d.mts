import type { Redis } from "warmline";
import type { CachedFunction, cached } from "warmline/cache";

export function tagOf(key: string): string;

export function createFunctions(
  create: typeof cached,
  redis: Redis,
  db: Redis,
  options: {
    random: () => number;
    waitUntil?: (refresh: Promise<unknown>) => void;
    onRun?: () => void;
  },
): Record<string, CachedFunction<[key: string], number>>;
