import { type EmbeddedOptions, startEmbeddedEngine } from "./embedded.js";
import type { Engine } from "./engine.js";
import { findServer, resolveServer } from "./native/find-server.js";
import { startPrivateServer } from "./native/private-server.js";
import { openDataFolder } from "./persist/data-folder.js";

export interface EngineOptions {
  /** Called with a one-line message when something about the engine changed. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** A folder to keep its data in; default: it is kept in memory alone. */
  readonly persist?: string | undefined;
  /** Settings of the embedded engine, if that is started. */
  readonly embedded?: Omit<EmbeddedOptions, "onNotice" | "snapshot">;
}

/**
 * Starts the engine of the caller's choice.
 *
 * @param choice `auto`: a `redis-server` or `valkey-server` on PATH, started privately, else the
 * embedded engine; `embedded`: that one; anything else: the path, or the name on PATH, of a server
 * to start privately.
 * @throws {Error} when the server given cannot be run or does not start. With `auto` such a server
 * is reported by `onNotice`, and the embedded engine takes its place, unless there is data to keep.
 */
export async function startEngine(choice = "auto", options: EngineOptions = {}): Promise<Engine> {
  if (options.persist !== undefined) return startKeeping(choice, options.persist, options);
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

/** Starts an engine that keeps its data in a folder; with `auto`, the engine that wrote the data. */
async function startKeeping(choice: string, given: string, options: EngineOptions): Promise<Engine> {
  const { onNotice, embedded } = options;
  const folder = openDataFolder(given);
  try {
    const server = choice === "auto" || choice === "embedded" ? undefined : resolveServer(choice);
    const found = choice === "auto" && process.platform !== "win32" ? findServer() : server;
    const isEmbedded =
      choice === "embedded" || (choice === "auto" && (folder.dataOf === "embedded" || found === undefined));
    if (isEmbedded && folder.dataOf === "server") {
      const how = choice === "auto" ? "install it, or set engine to its path" : "set engine to its path";
      throw new Error(`persist: ${folder.path} holds data of a redis-server; ${how}, or use another folder`);
    }
    if (!isEmbedded && folder.dataOf === "embedded") {
      throw new Error(
        `persist: ${folder.path} holds data of the embedded engine; set engine to embedded, or use another folder`,
      );
    }
    const engine = isEmbedded
      ? await startEmbeddedEngine({ ...embedded, onNotice, snapshot: folder.snapshot })
      : await startPrivateServer(found!, { onNotice, folder: folder.path });
    const close = engine.close.bind(engine);
    engine.close = () => close().finally(folder.release);
    return engine;
  } catch (error) {
    folder.release();
    throw error;
  }
}
