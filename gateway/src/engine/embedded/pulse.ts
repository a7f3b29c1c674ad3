/** Interval in ms between beats while no command runs. */
export const HEARTBEAT_MS = 100;
/** Bytes of a command's name that are kept. */
const MAX_NAME = 32;

/**
 * Signs of life of the engine's thread, in memory that it shares with the supervisor: a counter that goes up with each command and
 * each turn of the event loop, and the name of the command that runs.
 */
export class Pulse {
  readonly #beats: Int32Array;
  readonly #name: Uint8Array;

  /** @param memory of another thread's pulse. Default: new memory */
  constructor(readonly memory = new SharedArrayBuffer(4 + MAX_NAME)) {
    this.#beats = new Int32Array(memory, 0, 1);
    this.#name = new Uint8Array(memory, 4);
  }

  beat(): void {
    Atomics.add(this.#beats, 0, 1);
  }

  /** Changes with each sign of life. */
  get beats(): number {
    return Atomics.load(this.#beats, 0);
  }

  /** Records the name of the command that begins. An empty name: no command runs. */
  begin(name: string): void {
    this.#name.fill(0);
    for (let at = 0; at < Math.min(name.length, MAX_NAME); at += 1) this.#name[at] = name.charCodeAt(at);
  }

  /** The name of the command that runs, in capitals. Empty if no command runs. */
  get command(): string {
    const end = this.#name.indexOf(0);
    const bytes = this.#name.slice(0, end === -1 ? MAX_NAME : end);
    return String.fromCharCode(...bytes).toUpperCase();
  }
}
