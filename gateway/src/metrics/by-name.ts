/** Numbers by a name, which are made when they are first asked for. */
export class ByName<T> {
  readonly #numbers = new Map<string, T>();

  constructor(private readonly make: () => T) {}

  /** Returns the numbers of a name, always the same ones. */
  of(name: string): T {
    let numbers = this.#numbers.get(name);
    if (numbers === undefined) {
      numbers = this.make();
      this.#numbers.set(name, numbers);
    }
    return numbers;
  }

  [Symbol.iterator](): Iterator<[name: string, numbers: T]> {
    return this.#numbers[Symbol.iterator]();
  }
}
