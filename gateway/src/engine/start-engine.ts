import { startEmbeddedEngine } from "./embedded.js";
import type { Engine } from "./engine.js";
import { findServer, resolveServer } from "./native/find-server.js";
import { startPrivateServer } from "./native/private-server.js";
import { openDataFolder } from "./persist/data-folder.js";

export interface EngineOptions {
  /** Called with a one-line message when something about the engine changed. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** A folder to keep its data in; default: it is kept in memory alone. */
  readonly persist?: string | undefined;
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
  const { onNotice, persist } = options;
  if (persist !== undefined) return startKeeping(choice, persist, onNotice);
  if (choice === "embedded") return startEmbeddedEngine({ onNotice });
  if (choice !== "auto") return startPrivateServer(resolveServer(choice), { onNotice });
  const server = findServer();
  if (server === undefined) return startEmbeddedEngine({ onNotice });
  try {
    return await startPrivateServer(server, { onNotice });
  } catch (error) {
    onNotice?.(`${(error as Error).message}; using the embedded engine`);
    return startEmbeddedEngine({ onNotice });
  }
}

/** Starts an engine that keeps its data in a folder; with `auto`, the engine that wrote the data. */
async function startKeeping(
  choice: string,
  persist: string,
  onNotice: EngineOptions["onNotice"],
): Promise<Engine> {
  const folder = openDataFolder(persist);
  try {
    const isAuto = choice === "auto";
    const server = isAuto ? findServer() : choice === "embedded" ? undefined : resolveServer(choice);
    const isEmbedded = server === undefined || (isAuto && folder.writtenBy === "embedded");
    if (isEmbedded && folder.writtenBy === "server") {
      const how = isAuto ? "install it, or set engine to its path" : "set engine to its path";
      throw new Error(`persist: ${folder.path} holds data of a redis-server; ${how}, or use another folder`);
    }
    if (!isEmbedded && folder.writtenBy === "embedded") {
      throw new Error(
        `persist: ${folder.path} holds data of the embedded engine; set engine to embedded, or use another folder`,
      );
    }
    const engine = isEmbedded
      ? await startEmbeddedEngine({ onNotice, snapshot: folder.snapshot })
      : await startPrivateServer(server, { onNotice, folder: folder.path });
    const close = engine.close.bind(engine);
    engine.close = () => close().finally(folder.release);
    return engine;
  } catch (error) {
    folder.release();
    throw error;
  }
}
