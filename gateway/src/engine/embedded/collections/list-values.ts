/** Minimum number of empty places that are added at the front of a list. */
const MIN_ROOM = 16;
/** Maximum number of empty places for each element. */
const MAX_ROOM = 4;

/**
 * The elements of a list. Both ends can be pushed to and popped from in constant time. It has the methods of an array that the
 * engine's library calls on the elements of a list; elements are read by {@link at}, not by an index in brackets.
 */
export class ListValues {
  /** Empty places, then the elements. */
  #items: (Buffer | undefined)[];
  /** Number of empty places at the front. */
  #room = 0;

  constructor(values: Iterable<Buffer> = []) {
    this.#items = [...values];
  }

  get length(): number {
    return this.#items.length - this.#room;
  }

  at(index: number): Buffer | undefined {
    return index < 0 ? undefined : this.#items[this.#room + index];
  }

  setAt(index: number, value: Buffer): void {
    this.#items[this.#room + index] = value;
  }

  push(value: Buffer): void {
    this.#items.push(value);
  }

  unshift(value: Buffer): void {
    if (this.#room === 0) {
      this.#room = Math.max(MIN_ROOM, this.#items.length);
      this.#items = new Array<Buffer | undefined>(this.#room).concat(this.#items);
    }
    this.#room -= 1;
    this.#items[this.#room] = value;
  }

  pop(): Buffer | undefined {
    if (this.length === 0) return undefined;
    const value = this.#items.pop();
    this.#shrink();
    return value;
  }

  shift(): Buffer | undefined {
    if (this.length === 0) return undefined;
    const value = this.#items[this.#room];
    this.#items[this.#room] = undefined;
    this.#room += 1;
    this.#shrink();
    return value;
  }

  /** Removes elements and puts others in their place. Returns those that were removed. */
  splice(start: number, count = this.length - start, ...values: Buffer[]): Buffer[] {
    if (start === 0 && values.length === 0) {
      const removed = this.slice(0, count);
      this.#items.fill(undefined, this.#room, this.#room + removed.length);
      this.#room += removed.length;
      this.#shrink();
      return removed;
    }
    const removed = this.#items.splice(this.#room + start, count, ...values) as Buffer[];
    this.#shrink();
    return removed;
  }

  slice(start: number, end = this.length): Buffer[] {
    return this.#items.slice(this.#room + start, this.#room + Math.min(end, this.length)) as Buffer[];
  }

  map<T>(convert: (value: Buffer) => T): T[] {
    return Array.from(this, convert);
  }

  findIndex(test: (value: Buffer) => boolean): number {
    for (let at = 0; at < this.length; at += 1) if (test(this.at(at)!)) return at;
    return -1;
  }

  replace(values: Buffer[]): void {
    this.#items = values;
    this.#room = 0;
  }

  *[Symbol.iterator](): Generator<Buffer, undefined> {
    for (let at = 0; at < this.length; at += 1) yield this.at(at)!;
  }

  /** Gives empty places back. Those that {@link unshift} adds, one for each element, stay until most elements are gone. */
  #shrink(): void {
    if (this.#room <= 2 * MIN_ROOM || this.#room <= MAX_ROOM * this.length) return;
    this.#items = this.#items.slice(this.#room);
    this.#room = 0;
  }
}
