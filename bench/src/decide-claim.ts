import type { Check, Claim } from "./result.js";

/**
 * Returns the check of an article's claim. The row of the article's own set-up decides it; the numbers of the others are beside it.
 * Without that row nothing is decided.
 * @param isOwn whether a row is the article's own set-up
 */
export function decideClaim<T extends { readonly label: string }>(
  article: Claim,
  rows: readonly T[],
  isOwn: (row: T) => boolean,
  check: (row: T) => Check,
): Check[] {
  const own = rows.find(isOwn);
  if (!own) return [];
  const decided = check(own);
  const others = rows.filter((row) => row !== own).map((row) => `${row.label}: ${check(row).actual}`);
  const beside = [...(decided.beside === undefined ? [] : [decided.beside]), ...others].join("; ");
  return [{ ...decided, article, ...(beside !== "" && { beside }) }];
}
