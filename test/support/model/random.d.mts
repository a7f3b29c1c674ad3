/** Returns a generator of numbers from 0 to 1 by a seed. */
export function mulberry32(seed: number): () => number;
