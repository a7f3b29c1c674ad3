/**
 * Random numbers from 0 to 1 that a seed repeats: the environment variable's, else a new one. Say the seed wherever
 * something fails.
 */
export function random(variable: string): { next(): number; readonly seed: number } {
  const seed = Number(process.env[variable] ?? Math.floor(Math.random() * 2 ** 31));
  return { next: sequence(seed), seed };
}

/** The sequence of a seed (mulberry32). */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
