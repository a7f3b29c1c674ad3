import type { CommandListener, TracedCommand } from "./traced-command.js";

/** Passes traced commands on to any number of listeners. */
export class CommandFeed {
  readonly #listeners = new Set<CommandListener>();

  /** Whether there is a listener. Without one, commands are not traced. */
  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls `listener` for every later command. Returns a function that ends that. */
  add(listener: CommandListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls every listener. An error of a listener is ignored, since it must not affect the command. */
  emit(command: TracedCommand): void {
    for (const listener of this.#listeners) {
      try {
        listener(command);
      } catch {
        // A listener's error must not affect the reply.
      }
    }
  }
}
