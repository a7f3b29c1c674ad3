import { openedCommands } from "../access/denial-reasons.js";
import type { Engine } from "../engine/engine.js";
import { startEngine } from "../engine/start-engine.js";
import { createGateway, type Gateway } from "../index.js";
import { runSeed } from "../seed/run-seed.js";
import { readSeedFile, SeedError, type SeedFile } from "../seed/seed-file.js";
import { type GatewayOptions, resolveSettings } from "../settings/options.js";
import type { CliSettings } from "./settings.js";
import { UsageError } from "./usage-error.js";
import type { SharedEngine } from "./workers/messages.js";
import { startWorkers } from "./workers/workers.js";

/** A gateway that the command line started. */
export interface StartedGateway extends Gateway {
  /** The outcome of the `seed` file as a sentence, or null without one. */
  readonly seeded: string | null;
}

/**
 * Starts the selected engine and the gateway in front of it.
 * @param onNotice called with a one-line message when something about the engine changed.
 * @throws {Error} with a readable message.
 */
export async function start(
  settings: CliSettings,
  onNotice: (message: string) => void,
): Promise<StartedGateway> {
  const { options, workers } = settings;
  const several = (given: GatewayOptions, engine: SharedEngine | null) =>
    startWorkers({ options: given, count: workers, engine, onNotice });
  if (settings.engine === undefined) {
    const create = (given: GatewayOptions) => (workers > 1 ? several(given, null) : createGateway(given));
    return { ...(await listen((port) => create({ ...options, port }), settings)), seeded: null };
  }
  const { persist, seed, ...own } = options;
  const file = seed === undefined ? null : seedFile(seed, options);
  const engine = await startEngine(settings.engine, { onNotice, persist });
  const { socket, description, data = null } = engine;
  if (workers > 1 && socket === undefined) {
    await engine.close();
    throw new UsageError(
      "--workers: several processes cannot share the embedded engine; install redis-server, or give --redis",
    );
  }
  // Lent, not given: a port in use must not cost the engine when another port can still be tried.
  const lent: Engine = {
    description: engine.description,
    connect: (onRead) => engine.connect(onRead),
    close: async () => {},
  };
  try {
    const seeded = file && (await runSeed(engine, file));
    const create = (port: number | undefined) =>
      workers > 1
        ? several({ ...own, port }, { description, socket: socket! })
        : createGateway({ ...own, port, engine: lent });
    const gateway = await listen(create, settings);
    return { ...gateway, data, seeded, close: () => gateway.close().finally(() => engine.close()) };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Reads the file of commands before anything is started. */
function seedFile(path: string, options: GatewayOptions): SeedFile {
  const { allowCommand } = resolveSettings(options);
  try {
    return readSeedFile(path, openedCommands(allowCommand));
  } catch (error) {
    throw error instanceof SeedError ? new UsageError(error.message) : error;
  }
}

/** A command gets any free port if the default port is taken and none was given. Its environment names the port. */
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
