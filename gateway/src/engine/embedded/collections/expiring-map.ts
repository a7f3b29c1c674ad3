import { IndexedMap } from "./indexed-map.js";

/**
 * The keys of a database or the fields of a hash, by their names in hex. Ids of items with an expiry are also kept in a set, so that a sweep
 * visits only those items.
 */
export class ExpiringMap<V extends { readonly expiresAt?: number }> extends IndexedMap<V> {
  readonly #mayExpire = new Set<string>();

  override set(id: string, item: V): this {
    super.set(id, item);
    this.noteExpiry(id);
    return this;
  }

  override delete(id: string): boolean {
    this.#mayExpire.delete(id);
    return super.delete(id);
  }

  override clear(): void {
    this.#mayExpire.clear();
    super.clear();
  }

  /** To be called when the time at which an item expires has changed. */
  noteExpiry(id: string): void {
    if (this.get(id)?.expiresAt === undefined) this.#mayExpire.delete(id);
    else this.#mayExpire.add(id);
  }

  /** Whether an item has an expiry. May be true for a while after the last such item has lost it. */
  get hasExpiry(): boolean {
    return this.#mayExpire.size > 0;
  }

  /** The items that have expired at the time `now`, with their ids. */
  expiredBy(now: number): [id: string, item: V][] {
    const expired: [id: string, item: V][] = [];
    for (const id of this.#mayExpire) {
      const item = this.get(id)!;
      if (item.expiresAt !== undefined && item.expiresAt <= now) expired.push([id, item]);
    }
    return expired;
  }
}
