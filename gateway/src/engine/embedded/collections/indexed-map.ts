import { SortedBlocks } from "./sorted-blocks.js";

/** Maps of at most this many items have no index: they are read whole. Redis packs collections up to this size. */
export const MAX_UNINDEXED = 128;

interface Ranked {
  readonly rank: number;
  readonly id: string;
}

/**
 * A map that can be read in pages, and from which random items can be taken, without reading all of it. A page's order depends
 * on the ids alone, so a scan returns each item that is there throughout, whatever is added or deleted meanwhile.
 */
export class IndexedMap<V> extends Map<string, V> {
  #index: SortedBlocks<Ranked> | undefined;

  override set(id: string, value: V): this {
    const isNew = !this.has(id);
    super.set(id, value);
    if (!isNew) return this;
    if (this.#index) this.#index.add(ranked(id));
    else if (this.size > MAX_UNINDEXED) this.#index = indexOf(this.keys());
    return this;
  }

  override delete(id: string): boolean {
    const isDeleted = super.delete(id);
    if (isDeleted) this.#index?.delete(ranked(id));
    return isDeleted;
  }

  override clear(): void {
    super.clear();
    this.#index = undefined;
  }

  /**
   * Returns a page of the items.
   * @param cursor 0, or the cursor that the previous page returned
   * @returns at least `count` items unless the end is reached, and the next cursor, 0 at the end
   */
  page(cursor: bigint, count: number): { items: V[]; next: bigint } {
    const index = this.#index ?? indexOf(this.keys());
    const from = index.countWhile(({ rank }) => BigInt(rank) < cursor);
    let to = from + count;
    // Items of the same rank are never parted: the cursor could not tell them apart.
    while (index.at(to) && index.at(to)!.rank === index.at(to - 1)!.rank) to += 1;
    const items = index.slice(from, to).map(({ id }) => this.get(id)!);
    return { items, next: BigInt(index.at(to)?.rank ?? 0) };
  }

  /** The item at a place of some order, counted from 0; undefined beyond the end. */
  itemAt(place: number): V | undefined {
    if (!this.#index) return [...this.values()][place];
    const found = this.#index.at(place);
    return found && this.get(found.id);
  }
}

function byRank(left: Ranked, right: Ranked): number {
  return left.rank - right.rank || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0);
}

function indexOf(ids: Iterable<string>): SortedBlocks<Ranked> {
  const index = new SortedBlocks(byRank);
  for (const id of ids) index.add(ranked(id));
  return index;
}

/** An id's place in the order: its FNV-1a hash, never 0, which as a cursor means the beginning. */
function ranked(id: string): Ranked {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return { rank: hash >>> 0 || 1, id };
}
