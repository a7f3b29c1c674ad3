/** A map whose values are made when they are first asked for. */
export class LazyMap<K, V> extends Map<K, V> {
  constructor(private readonly make: (key: K) => V) {
    super();
  }

  /** Returns the value of a key, always the same one. */
  of(key: K): V {
    let value = this.get(key);
    if (value === undefined) {
      value = this.make(key);
      this.set(key, value);
    }
    return value;
  }
}
