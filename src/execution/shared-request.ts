import type { SentCall } from "../transport/request-call.js";
import type { CommandCarrier, PendingCommand } from "./pending-command.js";

/** A request of commands with limits of their own. It goes on until each of them is settled. */
export class SharedRequest implements CommandCarrier {
  readonly #commands: readonly PendingCommand[];
  /** The time of the command that has the most left, in ms. */
  readonly time: number;
  readonly #controller = new AbortController();
  /** Aborts when no command waits for the request any more. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** The call that is under way for it. */
  call: SentCall | undefined;

  constructor(commands: readonly PendingCommand[]) {
    this.#commands = commands;
    this.time = Math.max(...commands.map(({ limits }) => limits!.left()));
    for (const command of commands) command.arm(this, this.time);
  }

  get written(): boolean {
    return this.call?.written === true;
  }

  onLeft(): void {
    if (this.#commands.every(({ settled }) => settled)) this.#controller.abort();
  }
}
