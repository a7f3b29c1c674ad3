import { adopt } from "./collections/adopt.js";
import { IndexedMap } from "./collections/indexed-map.js";
import { SortedBlocks } from "./collections/sorted-blocks.js";
import type { Entry } from "./stored-value.js";

interface Deadline {
  readonly id: string;
  readonly at: number;
}

/** The entries of a database by their keys in hex. Knows which of them expire next. */
export class KeyMap extends IndexedMap<Entry> {
  readonly #deadlines = new SortedBlocks<Deadline>(
    (left, right) => left.at - right.at || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0),
  );
  readonly #deadlineOf = new Map<string, Deadline>();

  override set(id: string, entry: Entry): this {
    adopt(entry.value);
    super.set(id, entry);
    this.noteDeadline(id);
    return this;
  }

  override delete(id: string): boolean {
    const isDeleted = super.delete(id);
    if (isDeleted) this.noteDeadline(id);
    return isDeleted;
  }

  override clear(): void {
    super.clear();
    this.#deadlines.clear();
    this.#deadlineOf.clear();
  }

  /** Notes when an entry expires. To be called when that has changed. */
  noteDeadline(id: string): void {
    const at = this.get(id)?.expiresAt;
    const old = this.#deadlineOf.get(id);
    if (old?.at === at) return;
    if (old) {
      this.#deadlines.delete(old);
      this.#deadlineOf.delete(id);
    }
    if (at === undefined) return;
    const deadline = { id, at };
    this.#deadlines.add(deadline);
    this.#deadlineOf.set(id, deadline);
  }

  /** The entries that expired by a time, first ones first. */
  expiredBy(now: number): Entry[] {
    const count = this.#deadlines.countWhile(({ at }) => at <= now);
    return this.#deadlines.slice(0, count).map(({ id }) => this.get(id)!);
  }
}
