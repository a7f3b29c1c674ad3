/** An item of an {@link IdleList}. Only the list changes the links. */
export interface Idle {
  before: Idle | null;
  after: Idle | null;
}

/** Items in the order in which they became idle; taken out at any place in constant time. */
export class IdleList<T extends Idle> {
  readonly #ends: Idle = { before: null, after: null };
  size = 0;

  constructor() {
    this.#ends.before = this.#ends;
    this.#ends.after = this.#ends;
  }

  /** The item that has been idle for longest. */
  get oldest(): T | null {
    return this.size === 0 ? null : (this.#ends.after as T);
  }

  /** Appends an item. One that is in the list already moves to its end. */
  add(item: T): void {
    this.remove(item);
    const last = this.#ends.before!;
    item.before = last;
    item.after = this.#ends;
    last.after = item;
    this.#ends.before = item;
    this.size++;
  }

  /** Takes an item out, if it is in the list. */
  remove(item: T): void {
    if (!item.before) return;
    item.before.after = item.after;
    item.after!.before = item.before;
    item.before = null;
    item.after = null;
    this.size--;
  }
}
