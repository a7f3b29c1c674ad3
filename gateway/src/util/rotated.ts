/** Returns the list from the item at `first` on, by default a random one, then the items before it. */
export function rotated<T>(
  items: readonly T[],
  first = Math.floor(Math.random() * items.length),
): readonly T[] {
  return [...items.slice(first), ...items.slice(0, first)];
}
