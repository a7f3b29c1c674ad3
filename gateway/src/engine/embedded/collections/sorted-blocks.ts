/** A block is split when it has more items than this. */
const MAX_BLOCK = 512;

/**
 * Items in order. They are kept in blocks, so that adding or removing one moves a few hundred others at most, and finding one
 * by its place or by a comparison takes about as long in a large collection as in a small one.
 */
export class SortedBlocks<T> {
  #blocks: T[][] = [];

  /** @param compare returns 0 for the same item alone */
  constructor(private readonly compare: (left: T, right: T) => number) {}

  /** Adds an item that is not there yet. */
  add(item: T): void {
    const at = this.#blockOf(item);
    const block = this.#blocks[at];
    if (!block) {
      this.#blocks.push([item]);
      return;
    }
    block.splice(this.#placeIn(block, item), 0, item);
    if (block.length > MAX_BLOCK) this.#blocks.splice(at + 1, 0, block.splice(MAX_BLOCK / 2));
  }

  /** Removes an item. Does nothing if it is not there. */
  delete(item: T): void {
    const at = this.#blockOf(item);
    const block = this.#blocks[at];
    if (!block) return;
    const place = this.#placeIn(block, item);
    if (place === block.length || this.compare(block[place]!, item) !== 0) return;
    block.splice(place, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  clear(): void {
    this.#blocks = [];
  }

  /** The item at a place, counted from 0; undefined beyond the end. */
  at(place: number): T | undefined {
    let rest = place;
    for (const block of this.#blocks) {
      if (rest < block.length) return block[rest];
      rest -= block.length;
    }
    return undefined;
  }

  /** Number of items at the beginning for which the test holds. After the first item for which it fails, it must fail for all. */
  countWhile(test: (item: T) => boolean): number {
    const at = firstNot(this.#blocks, (block) => test(block[0]!)) - 1;
    if (at < 0) return 0;
    let count = firstNot(this.#blocks[at]!, test);
    for (let before = 0; before < at; before += 1) count += this.#blocks[before]!.length;
    return count;
  }

  /** The items from one place up to, but without, another one. */
  slice(from: number, to: number): T[] {
    const found: T[] = [];
    let start = 0;
    for (const block of this.#blocks) {
      if (start >= to) break;
      if (start + block.length > from)
        for (const item of block.slice(Math.max(0, from - start), to - start)) found.push(item);
      start += block.length;
    }
    return found;
  }

  *[Symbol.iterator](): Generator<T, undefined> {
    for (const block of this.#blocks) yield* block;
  }

  /** The last block that begins before an item or with it. */
  #blockOf(item: T): number {
    return Math.max(0, firstNot(this.#blocks, (block) => this.compare(block[0]!, item) <= 0) - 1);
  }

  #placeIn(block: readonly T[], item: T): number {
    return firstNot(block, (other) => this.compare(other, item) < 0);
  }
}

/** The first index whose item fails a test that holds for all items before it; the length if it holds for all. */
export function firstNot<T>(items: readonly T[], test: (item: T) => boolean): number {
  let low = 0;
  for (let high = items.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (test(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
