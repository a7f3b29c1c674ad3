import { allCommandInfo, type CommandInfo } from "../commands/command-info.js";

/** Label that all commands not in the table share: clients choose their names, so there could be any number of labels. */
const OTHER = "other";

class CommandNumbers {
  received = 0;
  errors = 0;
  /** Commands that were alone in their request and got a reply, and the seconds that Redis took for them. */
  timed = 0;
  seconds = 0;

  constructor(readonly name: string) {}
}

/** Counts commands by name. Each command of the table has numbers of its own, and all others share one set. */
export class CommandCounts {
  readonly #numbers = allCommandInfo().map(({ name }) => new CommandNumbers(name));
  readonly #others = new CommandNumbers(OTHER);

  /** Counts a command sent by a client. Null stands for one that is not in the table. */
  received(info: CommandInfo | null): void {
    this.#of(info).received++;
  }

  /** Counts a command that was refused, failed, or got an error from Redis. */
  failed(info: CommandInfo | null): void {
    this.#of(info).errors++;
  }

  /** Counts a reply of Redis after `ms`. */
  replied(info: CommandInfo | null, ms: number): void {
    const numbers = this.#of(info);
    numbers.timed++;
    numbers.seconds += ms / 1_000;
  }

  /** The numbers of every command that was received. */
  *[Symbol.iterator](): Iterator<CommandNumbers> {
    for (const numbers of [...this.#numbers, this.#others]) if (numbers.received > 0) yield numbers;
  }

  #of(info: CommandInfo | null): CommandNumbers {
    return info ? this.#numbers[info.id]! : this.#others;
  }
}
