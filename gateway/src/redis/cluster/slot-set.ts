import { SLOTS } from "./slot.js";

/** A set of slots, as ranges. `bounds` has for each range its first slot, then the slot after its last. */
export class SlotSet {
  static readonly ALL = new SlotSet([0, SLOTS]);
  static readonly NONE = new SlotSet([]);

  /** @param bounds in ascending order, an even number of them */
  private constructor(readonly bounds: readonly number[]) {}

  /** Returns the set with these bounds, or null if they are not the bounds of a set. */
  static withBounds(bounds: readonly number[]): SlotSet | null {
    const isSet = bounds.length % 2 === 0 && bounds.every((bound, at) => at === 0 || bound > bounds[at - 1]!);
    return isSet && (bounds.at(-1) ?? 0) <= SLOTS ? new SlotSet(bounds) : null;
  }

  /** Returns the set of these ranges, each given by its first and last slot. They must not overlap, and may be in any order. */
  static ofRanges(ranges: readonly (readonly [first: number, last: number])[]): SlotSet {
    const bounds: number[] = [];
    for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
      if (bounds.at(-1) === first) bounds[bounds.length - 1] = last + 1;
      else bounds.push(first, last + 1);
    }
    return new SlotSet(bounds);
  }

  /** Returns the set of these slots, each given once, in any order. */
  static of(slots: Iterable<number>): SlotSet {
    return SlotSet.ofRanges(Array.from(slots, (slot) => [slot, slot]));
  }

  get isEmpty(): boolean {
    return this.bounds.length === 0;
  }

  /** The lowest slot; undefined in an empty set. */
  get first(): number | undefined {
    return this.bounds[0];
  }

  /** Every slot, in ascending order. */
  *[Symbol.iterator](): Iterator<number> {
    for (let at = 0; at < this.bounds.length; at += 2) {
      for (let slot = this.bounds[at]!; slot < this.bounds[at + 1]!; slot++) yield slot;
    }
  }

  /** Returns the slots in both sets. */
  and(other: SlotSet): SlotSet {
    return this.#combine(other, (mine, theirs) => mine && theirs);
  }

  /** Returns the slots in either set. */
  or(other: SlotSet): SlotSet {
    return this.#combine(other, (mine, theirs) => mine || theirs);
  }

  /** Returns the slots in this set and not in the other. */
  without(other: SlotSet): SlotSet {
    return this.#combine(other, (mine, theirs) => mine && !theirs);
  }

  /** Returns the first `count` ranges. */
  firstRanges(count: number): SlotSet {
    return new SlotSet(this.bounds.slice(0, 2 * count));
  }

  /** Returns a superset with at most `count` ranges: the last range is extended to the highest slot. */
  joined(count: number): SlotSet {
    if (this.bounds.length <= 2 * count) return this;
    return new SlotSet([...this.bounds.slice(0, 2 * count - 1), this.bounds.at(-1)!]);
  }

  #combine(other: SlotSet, has: (mine: boolean, theirs: boolean) => boolean): SlotSet {
    const [mine, theirs] = [this.bounds, other.bounds];
    const bounds: number[] = [];
    let [i, j] = [0, 0];
    while (i < mine.length || j < theirs.length) {
      const at = Math.min(mine[i] ?? SLOTS + 1, theirs[j] ?? SLOTS + 1);
      if (mine[i] === at) i++;
      if (theirs[j] === at) j++;
      // After an odd number of bounds, `at` is inside a range.
      if (has(i % 2 === 1, j % 2 === 1) !== (bounds.length % 2 === 1)) bounds.push(at);
    }
    return new SlotSet(bounds);
  }
}
