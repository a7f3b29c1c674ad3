import type { Task } from "./task.js";

/** A place among all tasks of a slot, and one among those that may not be repeated. */
interface Places {
  any: number;
  write: number;
}

/**
 * The tasks of one slot in their order, and how far they are. Of two it matters which is executed first unless both may be
 * repeated. What is asked for is found from where it was found last, so that a batch of very many tasks is not searched
 * for each of them.
 */
export class SlotOrder {
  readonly #tasks: Task[] = [];
  /** None before these waits to be sent again. */
  readonly #parked: Places = { any: 0, write: 0 };
  /** None behind these is with a node. */
  readonly #sent: Places = { any: 0, write: 0 };
  /** The last that was executed, or may have been. */
  readonly #executed: Places = { any: -1, write: -1 };
  #firstDoubtful = Number.POSITIVE_INFINITY;

  /** Appends a task, and tells it its place. */
  add(task: Task): void {
    task.place = this.#tasks.push(task) - 1;
    this.sent(task);
    if (task.executed) this.executed(task);
    if (task.doubtful) this.doubtful(task);
  }

  /** The task waits to be sent again. */
  parked({ place, way }: Task): void {
    this.#parked.any = Math.min(this.#parked.any, place);
    if (!way.repeatable) this.#parked.write = Math.min(this.#parked.write, place);
  }

  /** The task was given to a node. */
  sent({ place, way }: Task): void {
    this.#sent.any = Math.max(this.#sent.any, place);
    if (!way.repeatable) this.#sent.write = Math.max(this.#sent.write, place);
  }

  /** The task was executed, or may have been. */
  executed({ place, way }: Task): void {
    this.#executed.any = Math.max(this.#executed.any, place);
    if (!way.repeatable) this.#executed.write = Math.max(this.#executed.write, place);
  }

  /** The task may have been executed, and may not. */
  doubtful({ place }: Task): void {
    this.#firstDoubtful = Math.min(this.#firstDoubtful, place);
  }

  /** Whether an earlier task waits to be sent again, so that this one has to wait behind it. */
  isBehind({ place, way }: Task): boolean {
    return this.#firstParked(way.repeatable) < place;
  }

  /** Whether an earlier task may have been executed: if that is repeated, this one, a write, has to come after. */
  isInDoubt({ place }: Task): boolean {
    return this.#firstDoubtful < place;
  }

  /** What has become of later tasks: `sent` if one may be executed now, `executed` if one was. */
  overtaken({ place, way }: Task): "no" | "sent" | "executed" {
    const executed = way.repeatable ? this.#executed.write : this.#executed.any;
    if (executed > place) return "executed";
    return this.#lastSent(way.repeatable) > place ? "sent" : "no";
  }

  #firstParked(onlyWrites: boolean): number {
    const kind = onlyWrites ? "write" : "any";
    let at = this.#parked[kind];
    while (at < this.#tasks.length && !this.#is(at, "parked", onlyWrites)) at++;
    this.#parked[kind] = at;
    return at < this.#tasks.length ? at : Number.POSITIVE_INFINITY;
  }

  #lastSent(onlyWrites: boolean): number {
    const kind = onlyWrites ? "write" : "any";
    let at = this.#sent[kind];
    while (at >= 0 && !this.#is(at, "sent", onlyWrites)) at--;
    this.#sent[kind] = at;
    return at;
  }

  #is(place: number, state: Task["state"], onlyWrites: boolean): boolean {
    const task = this.#tasks[place]!;
    return task.state === state && !(onlyWrites && task.way.repeatable);
  }
}
