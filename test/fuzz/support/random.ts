import { mulberry32 } from "../../support/model/random.mjs";

/** A source of random choices that a seed fixes. */
export class Chance {
  /** From 0 up to, not including, 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  maybe(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Mostly the plain thing, so that faults seldom hide each other. */
  mostly<T>(plain: readonly T[], odd: readonly T[]): T {
    return this.pick(this.maybe(0.9) ? plain : odd);
  }
}
