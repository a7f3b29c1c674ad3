/** The command line cannot be understood. */
export class UsageError extends Error {}

/** The number that a flag gives. @throws UsageError if it is none, or below `least` */
export function number(
  name: string,
  text: string | undefined,
  least: number,
  whole = true,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < least || (whole && !Number.isInteger(value))) {
    throw new UsageError(`--${name} must be a ${whole ? "whole " : ""}number of at least ${least}.`);
  }
  return value;
}

/** The numbers that a flag gives, separated by commas. @throws UsageError as {@link number} does */
export function numbers(
  name: string,
  text: string | undefined,
  least: number,
  whole = true,
): readonly number[] | undefined {
  return text?.split(",").map((part) => number(name, part, least, whole)!);
}
