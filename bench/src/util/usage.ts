/** A mistake in the command line; its message is printed without a stack. */
export class UsageError extends Error {}

/** Parses the number of a flag. @throws UsageError if it is not a number, or below `least` */
export function number(
  name: string,
  text: string | undefined,
  least: number,
  whole = true,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < least || (whole && !Number.isInteger(value))) {
    throw new UsageError(`--${name} must be a ${whole ? "whole " : ""}number >= ${least}.`);
  }
  return value;
}

/** Parses the comma-separated numbers of a flag. @throws UsageError as {@link number} does */
export function numbers(
  name: string,
  text: string | undefined,
  least: number,
  whole = true,
): readonly number[] | undefined {
  return text?.split(",").map((part) => number(name, part, least, whole)!);
}
