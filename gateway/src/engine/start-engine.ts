import { startEmbeddedEngine } from "./embedded.js";
import type { Engine } from "./engine.js";
import { findServer, resolveServer } from "./native/find-server.js";
import { startPrivateServer } from "./native/private-server.js";
import { type DataFolder, openDataFolder } from "./persist/data-folder.js";

export interface EngineOptions {
  /** Called with a one-line message when something about the engine changed. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** Folder for its data. Default: the data is in memory only. */
  readonly persist?: string | undefined;
}

/**
 * Starts the engine of the caller's choice.
 *
 * @param choice `auto`: the engine that wrote the data to keep, else a `redis-server` or `valkey-server` on PATH, started privately,
 * else the embedded engine; `embedded`: the embedded engine; else the path, or the name on PATH, of a server to start privately.
 * @throws {Error} when the server given cannot be run or does not start. With `auto` such a server
 * is reported by `onNotice`, and the embedded engine takes its place, unless there is data to keep.
 */
export async function startEngine(choice = "auto", options: EngineOptions = {}): Promise<Engine> {
  const { onNotice, persist } = options;
  const folder = persist === undefined ? undefined : openDataFolder(persist);
  try {
    const server = chooseServer(choice, folder);
    const engine = server
      ? await startPrivateServer(server, { onNotice, folder: folder?.path })
      : await startEmbeddedEngine({ onNotice, snapshot: folder?.snapshot });
    if (!folder) return engine;
    const close = engine.close.bind(engine);
    engine.close = () => close().finally(folder.release);
    return engine;
  } catch (error) {
    folder?.release();
    if (folder || choice !== "auto") throw error;
    onNotice?.(`${(error as Error).message}; using the embedded engine`);
    return startEmbeddedEngine({ onNotice });
  }
}

/** The path of the server to start; undefined for the embedded engine. @throws {Error} if it can't read the data in the folder */
function chooseServer(choice: string, folder: DataFolder | undefined): string | undefined {
  const isAuto = choice === "auto";
  const server = isAuto ? findServer() : choice === "embedded" ? undefined : resolveServer(choice);
  const isEmbedded = server === undefined || (isAuto && folder?.writtenBy === "embedded");
  if (isEmbedded && folder?.writtenBy === "server") {
    const how = isAuto ? "install it, or set engine to its path" : "set engine to its path";
    throw new Error(`persist: ${folder.path} holds data of a redis-server; ${how}, or use another folder`);
  }
  if (!isEmbedded && folder?.writtenBy === "embedded") {
    throw new Error(
      `persist: ${folder.path} holds data of the embedded engine; set engine to embedded, or use another folder`,
    );
  }
  return isEmbedded ? undefined : server;
}
