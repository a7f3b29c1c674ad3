import { type EmbeddedOptions, startEmbeddedEngine } from "./embedded.js";
import type { Engine } from "./engine.js";
import { findServer, resolveServer } from "./native/find-server.js";
import { startPrivateServer } from "./native/private-server.js";

/** Settings of {@link startEngine}. */
export interface EngineOptions {
  /** Told, in one line for people, when something about the engine changed. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** Settings of the embedded engine, should it be the one. */
  readonly embedded?: Omit<EmbeddedOptions, "onNotice">;
}

/**
 * Starts the engine of the caller's choice.
 *
 * @param choice `auto`: a `redis-server` or `valkey-server` on PATH, started privately, else the
 * embedded engine; `embedded`: that one; anything else: the path, or the name on PATH, of a server
 * to start privately.
 * @throws {Error} when the server given cannot be run or does not start. With `auto` such a server
 * is reported by `onNotice`, and the embedded engine takes its place.
 */
export async function startEngine(choice = "auto", options: EngineOptions = {}): Promise<Engine> {
  const { onNotice, embedded } = options;
  if (choice === "embedded") return startEmbeddedEngine({ ...embedded, onNotice });
  if (choice !== "auto") return startPrivateServer(resolveServer(choice), { onNotice });
  // Private servers need UNIX sockets and a POSIX shell.
  const server = process.platform === "win32" ? undefined : findServer();
  if (server === undefined) return startEmbeddedEngine({ ...embedded, onNotice });
  try {
    return await startPrivateServer(server, { onNotice });
  } catch (error) {
    onNotice?.(`${(error as Error).message}; using the embedded engine`);
    return startEmbeddedEngine({ ...embedded, onNotice });
  }
}
