export interface ListedKey {
  readonly key: Uint8Array;
  /** The key as the page shows it. */
  readonly name: string;
  readonly type: string;
  /** Time to live in ms. Negative without one. */
  readonly ttl: number;
}

/** Keys that begin with the same prefix, up to a colon. */
export interface KeyGroup {
  readonly prefix: string;
  /** Number of keys, including keys of nested groups. */
  readonly size: number;
  readonly entries: readonly (KeyGroup | ListedKey)[];
}

const byName = new Intl.Collator("en", { numeric: true });

/** Compares names as people sort them: `user:2` before `user:10`. */
export function compareNames(a: string, b: string): number {
  return byName.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * Sorts keys and groups those with a common prefix. A prefix of a single key makes no group. If all keys of a group have a
 * longer prefix in common, that is the group's prefix.
 * @param start the length of the prefix that all keys have in common already
 */
export function groupKeys(keys: readonly ListedKey[], start = 0): readonly (KeyGroup | ListedKey)[] {
  const sorted = [...keys].sort((a, b) => compareNames(a.name, b.name));
  const byPrefix = new Map<string, ListedKey[]>();
  for (const key of sorted) {
    const colon = key.name.indexOf(":", start);
    // A key without a further colon is a group of its own, whose prefix no other key has.
    const prefix = colon < 0 ? `${key.name}\0` : key.name.slice(0, colon + 1);
    const same = byPrefix.get(prefix);
    if (same) same.push(key);
    else byPrefix.set(prefix, [key]);
  }
  return [...byPrefix].flatMap(([prefix, same]): readonly (KeyGroup | ListedKey)[] => {
    if (same.length === 1) return same;
    const entries = groupKeys(same, prefix.length);
    const [only] = entries;
    if (entries.length === 1 && only && "entries" in only) return entries;
    return [{ prefix, size: same.length, entries }];
  });
}
