/** Returns the list from a random item on, then the items before that. */
export function rotated<T>(items: readonly T[]): readonly T[] {
  if (items.length < 2) return items;
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
