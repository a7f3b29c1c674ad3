/** A queue whose `shift` takes amortized constant time. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Returns the item `index` places behind the head. */
  peek(index = 0): T | undefined {
    return this.#items[this.#head + index];
  }

  /** The items from the head on. None may be removed meanwhile. */
  *[Symbol.iterator](): Generator<T, void> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at]!;
  }

  /** Takes out all items, one after another. */
  *drain(): Generator<T, void> {
    for (let item = this.shift(); item !== undefined; item = this.shift()) yield item;
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
