/** The parts of a command that decide its order among the commands of its slot. */
export interface OrderedCommand {
  readonly state: "due" | "sent" | "parked" | "done";
  /** Its place among the commands of its slot. */
  place: number;
  /** Whether it was executed, or may have been. */
  readonly executed: boolean;
  /** Whether it failed, and may have been executed. */
  readonly outcomeUnknown: boolean;
  /** Whether it may be sent again although it may have been executed. */
  readonly hint: { readonly repeatable: boolean };
}

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
  readonly #commands: OrderedCommand[] = [];
  /** Places before which no command waits to be sent again. */
  readonly #parked: Places = { any: 0, write: 0 };
  /** Places after which no command is in flight at a node. */
  readonly #sent: Places = { any: 0, write: 0 };
  /** The last that was executed, or may have been. */
  readonly #executed: Places = { any: -1, write: -1 };
  #firstUnknown = Number.POSITIVE_INFINITY;

  /** Appends a command and sets its place. */
  add(command: OrderedCommand): void {
    command.place = this.#commands.push(command) - 1;
    this.sent(command);
    if (command.executed) this.executed(command);
    if (command.outcomeUnknown) this.markUnknown(command);
  }

  /** The command waits to be sent again. */
  parked({ place, hint }: OrderedCommand): void {
    this.#parked.any = Math.min(this.#parked.any, place);
    if (!hint.repeatable) this.#parked.write = Math.min(this.#parked.write, place);
  }

  sent({ place, hint }: OrderedCommand): void {
    this.#sent.any = Math.max(this.#sent.any, place);
    if (!hint.repeatable) this.#sent.write = Math.max(this.#sent.write, place);
  }

  /** The command was executed, or may have been. */
  executed({ place, hint }: OrderedCommand): void {
    this.#executed.any = Math.max(this.#executed.any, place);
    if (!hint.repeatable) this.#executed.write = Math.max(this.#executed.write, place);
  }

  /** The command failed, and it is not known whether it was executed. */
  markUnknown({ place }: OrderedCommand): void {
    this.#firstUnknown = Math.min(this.#firstUnknown, place);
  }

  /** Whether an earlier command waits to be sent again, so that this one has to wait behind it. */
  isBehind({ place, hint }: OrderedCommand): boolean {
    return this.#search(this.#parked, "parked", hint.repeatable, 1) < place;
  }

  /** Whether an earlier command may have been executed: if that is repeated, this one, a write, has to come after. */
  isAfterUnknown({ place }: OrderedCommand): boolean {
    return this.#firstUnknown < place;
  }

  /** Returns the state of later commands: `sent` if one may be executed now, `executed` if one was. */
  overtaken({ place, hint }: OrderedCommand): "no" | "sent" | "executed" {
    const executed = hint.repeatable ? this.#executed.write : this.#executed.any;
    if (executed > place) return "executed";
    return this.#search(this.#sent, "sent", hint.repeatable, -1) > place ? "sent" : "no";
  }

  /** Moves a place on, up or down, to the next command in a state. Returns it: beyond either end if there is none. */
  #search(from: Places, state: OrderedCommand["state"], onlyWrites: boolean, step: 1 | -1): number {
    const kind = onlyWrites ? "write" : "any";
    const isOther = (command?: OrderedCommand) =>
      command && (command.state !== state || (onlyWrites && command.hint.repeatable));
    while (isOther(this.#commands[from[kind]])) from[kind] += step;
    return from[kind];
  }
}
