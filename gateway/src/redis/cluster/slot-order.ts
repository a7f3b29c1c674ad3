import type { ClusterCommand } from "./cluster-command.js";

/** A place among all commands of a slot, and one among those that may not be repeated. */
interface Places {
  any: number;
  write: number;
}

/**
 * The commands of one slot in their order, and their states. The order of two commands matters unless both may be repeated.
 * Each search starts where the last one ended, so that a very large batch is not searched for each command.
 */
export class SlotOrder {
  readonly #commands: ClusterCommand[] = [];
  /** No command before these places waits to be sent again. */
  readonly #parked: Places = { any: 0, write: 0 };
  /** No command after these places is in flight at a node. */
  readonly #sent: Places = { any: 0, write: 0 };
  /** The last that was executed, or may have been. */
  readonly #executed: Places = { any: -1, write: -1 };
  #firstUnknown = Number.POSITIVE_INFINITY;

  /** Appends a command and sets its place. */
  add(clusterCommand: ClusterCommand): void {
    clusterCommand.place = this.#commands.push(clusterCommand) - 1;
    this.sent(clusterCommand);
    if (clusterCommand.executed) this.executed(clusterCommand);
    if (clusterCommand.outcomeUnknown) this.markUnknown(clusterCommand);
  }

  /** The command waits to be sent again. */
  parked({ place, hint }: ClusterCommand): void {
    this.#parked.any = Math.min(this.#parked.any, place);
    if (!hint.repeatable) this.#parked.write = Math.min(this.#parked.write, place);
  }

  /** The command was given to a node. */
  sent({ place, hint }: ClusterCommand): void {
    this.#sent.any = Math.max(this.#sent.any, place);
    if (!hint.repeatable) this.#sent.write = Math.max(this.#sent.write, place);
  }

  /** The command was executed, or may have been. */
  executed({ place, hint }: ClusterCommand): void {
    this.#executed.any = Math.max(this.#executed.any, place);
    if (!hint.repeatable) this.#executed.write = Math.max(this.#executed.write, place);
  }

  /** The command may have been executed, and may not. */
  markUnknown({ place }: ClusterCommand): void {
    this.#firstUnknown = Math.min(this.#firstUnknown, place);
  }

  /** Whether an earlier command waits to be sent again, so that this one has to wait behind it. */
  isBehind({ place, hint }: ClusterCommand): boolean {
    return this.#firstParked(hint.repeatable) < place;
  }

  /** Whether an earlier command may have been executed: if that is repeated, this one, a write, has to come after. */
  isAfterUnknown({ place }: ClusterCommand): boolean {
    return this.#firstUnknown < place;
  }

  /** Returns the state of later commands: `sent` if one may be executed now, `executed` if one was. */
  overtaken({ place, hint }: ClusterCommand): "no" | "sent" | "executed" {
    const executed = hint.repeatable ? this.#executed.write : this.#executed.any;
    if (executed > place) return "executed";
    return this.#lastSent(hint.repeatable) > place ? "sent" : "no";
  }

  #firstParked(onlyWrites: boolean): number {
    const kind = onlyWrites ? "write" : "any";
    let at = this.#parked[kind];
    while (at < this.#commands.length && !this.#is(at, "parked", onlyWrites)) at++;
    this.#parked[kind] = at;
    return at < this.#commands.length ? at : Number.POSITIVE_INFINITY;
  }

  #lastSent(onlyWrites: boolean): number {
    const kind = onlyWrites ? "write" : "any";
    let at = this.#sent[kind];
    while (at >= 0 && !this.#is(at, "sent", onlyWrites)) at--;
    this.#sent[kind] = at;
    return at;
  }

  #is(place: number, state: ClusterCommand["state"], onlyWrites: boolean): boolean {
    const clusterCommand = this.#commands[place]!;
    return clusterCommand.state === state && !(onlyWrites && clusterCommand.hint.repeatable);
  }
}
