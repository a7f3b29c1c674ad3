import { allCommandInfo, COMMAND_COUNT, type CommandInfo } from "../commands/command-info.js";

/** Label of all commands that are not in the table, since clients choose their names. */
const OTHER = "other";

export interface CommandNumbers {
  readonly name: string;
  readonly received: number;
  readonly errors: number;
  /** Commands that were alone in their request and got a reply, and the seconds that Redis took for them. */
  readonly timed: number;
  readonly seconds: number;
}

/** Counts commands by name. Each command of the table has a place in preallocated arrays, all others share one. */
export class CommandCounts {
  readonly #received = new Float64Array(COMMAND_COUNT + 1);
  readonly #errors = new Float64Array(COMMAND_COUNT + 1);
  readonly #timed = new Float64Array(COMMAND_COUNT + 1);
  readonly #seconds = new Float64Array(COMMAND_COUNT + 1);

  /** Counts a command sent by a client. Null stands for one that is not in the table. */
  received(info: CommandInfo | null): void {
    this.#received[placeOf(info)]!++;
  }

  /** Counts a command that was refused, failed, or got an error from Redis. */
  failed(info: CommandInfo | null): void {
    this.#errors[placeOf(info)]!++;
  }

  /** Counts a reply of Redis after `ms`. */
  replied(info: CommandInfo | null, ms: number): void {
    const place = placeOf(info);
    this.#timed[place]!++;
    this.#seconds[place]! += ms / 1_000;
  }

  /** The numbers of every command that was received. */
  *[Symbol.iterator](): Iterator<CommandNumbers> {
    for (const { id, name } of allCommandInfo()) if (this.#received[id]! > 0) yield this.#at(id, name);
    if (this.#received[COMMAND_COUNT]! > 0) yield this.#at(COMMAND_COUNT, OTHER);
  }

  #at(place: number, name: string): CommandNumbers {
    return {
      name,
      received: this.#received[place]!,
      errors: this.#errors[place]!,
      timed: this.#timed[place]!,
      seconds: this.#seconds[place]!,
    };
  }
}

function placeOf(info: CommandInfo | null): number {
  return info?.id ?? COMMAND_COUNT;
}
