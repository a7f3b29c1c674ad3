import type { Engine } from "../engine/engine.js";
import { startEngine } from "../engine/start-engine.js";
import { createGateway, type Gateway } from "../index.js";
import type { CliSettings } from "./settings.js";

/**
 * Starts the engine that was asked for and the gateway in front of it.
 * @param onNotice told, in one line for people, when something about the engine changed.
 * @throws {Error} in words for people.
 */
export async function start(settings: CliSettings, onNotice: (message: string) => void): Promise<Gateway> {
  const { redis, ...options } = settings.options;
  if (redis !== undefined) return listen((port) => createGateway({ ...options, port, redis }), settings);
  const engine = await startEngine(settings.engine, { onNotice });
  // Lent, not given: a port in use must not cost the engine when another port can still be tried.
  const lent: Engine = {
    description: engine.description,
    connect: () => engine.connect(),
    close: async () => {},
  };
  try {
    const gateway = await listen((port) => createGateway({ ...options, port, engine: lent }), settings);
    return { ...gateway, close: () => gateway.close().finally(() => engine.close()) };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A command gets any free port when the usual one is taken and none was asked for: it is told which. */
async function listen(
  create: (port: number | undefined) => Promise<Gateway>,
  { options, command }: CliSettings,
): Promise<Gateway> {
  try {
    return await create(options.port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || options.port !== undefined) throw error;
    if (command === undefined) throw error;
    return create(0);
  }
}
