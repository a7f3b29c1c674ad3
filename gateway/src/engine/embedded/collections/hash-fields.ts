import type { RedisHashField } from "js-redis-server/core";
import { IndexedMap } from "./indexed-map.js";

/** The fields of a hash by their hex. Those that may expire are listed apart, so that a sweep visits no others. */
export class HashFields extends IndexedMap<RedisHashField> {
  readonly #mayExpire = new Set<string>();

  override set(id: string, field: RedisHashField): this {
    if (field.expiresAt !== undefined) this.#mayExpire.add(id);
    return super.set(id, field);
  }

  override delete(id: string): boolean {
    this.#mayExpire.delete(id);
    return super.delete(id);
  }

  override clear(): void {
    this.#mayExpire.clear();
    super.clear();
  }

  /** Notes that a field got a time to live after it was added. */
  markExpiring(id: string): void {
    this.#mayExpire.add(id);
  }

  /** Removes the fields that have expired. Returns whether there were any. */
  sweep(now: number): boolean {
    let isChanged = false;
    for (const id of this.#mayExpire) {
      const expiresAt = this.get(id)?.expiresAt;
      if (expiresAt === undefined) this.#mayExpire.delete(id);
      else if (expiresAt <= now) isChanged = this.delete(id);
    }
    return isChanged;
  }
}
