/** A time in milliseconds, with its unit. */
export const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** How many times as much. */
export const factor = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)}x`;

/** A share as a percentage. */
export const share = (ratio: number): string => `${(ratio * 100).toFixed(1)}%`;

/** A change as a percentage, with its sign. */
export const change = (ratio: number): string => `${ratio >= 0 ? "+" : ""}${share(ratio)}`;

/** "a, b and c". */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
