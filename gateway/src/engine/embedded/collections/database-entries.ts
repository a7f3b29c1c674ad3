import type { RedisHashField } from "js-redis-server/core";
import type { Entry } from "../stored-value.js";
import { ExpiringMap } from "./expiring-map.js";

/** The entries of a database. Ids of hashes with a field that has an expiry are also kept in a set, so that a sweep visits only those. */
export class DatabaseEntries extends ExpiringMap<Entry> {
  readonly #hashes = new Set<string>();

  /** To be called also when an entry's value has changed. */
  override set(id: string, entry: Entry): this {
    if (fieldsOf(entry)?.hasExpiry) this.#hashes.add(id);
    else this.#hashes.delete(id);
    return super.set(id, entry);
  }

  override delete(id: string): boolean {
    this.#hashes.delete(id);
    return super.delete(id);
  }

  override clear(): void {
    this.#hashes.clear();
    super.clear();
  }

  /** The hashes with a field that has expired at the time `now`. */
  withFieldsExpiredBy(now: number): Entry[] {
    return Array.from(this.#hashes, (id) => this.get(id)!).filter(
      (entry) => fieldsOf(entry)!.expiredBy(now).length > 0,
    );
  }
}

/** The fields of a hash. Undefined for another type. */
function fieldsOf({ value }: Entry): ExpiringMap<RedisHashField> | undefined {
  return value.type === "hash" ? (value.fields as ExpiringMap<RedisHashField>) : undefined;
}
