/** Random numbers that a seed decides (xorshift, 32 bits): good enough to mix an order, the same on every machine. */
export function randomFrom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  // Seeds that differ by little need some steps until their numbers differ by much.
  for (let step = 0; step < 16; step++) next();
  return next;
}

/** Some of a thousand keys, as a page needs them. */
export const pageKeys = (count: number, random: () => number): string[] =>
  Array.from({ length: count }, () => `page:${Math.floor(random() * 1_000)}`);

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
  }
  return mixed;
}
