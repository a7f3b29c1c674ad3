import { openedCommands } from "../access/denial-reasons.js";
import { environmentOf } from "../cli/ready-lines.js";
import { startEngine } from "../engine/start-engine.js";
import { createGateway } from "../index.js";
import { createLog } from "../log/log.js";
import { runSeed } from "../seed/run-seed.js";
import { readSeedFile } from "../seed/seed-file.js";
import { type GatewayOptions, resolveSettings } from "../settings/options.js";
import { flushEngine } from "./flush-engine.js";

/** Options of a gateway for tests: those of any gateway, except that its Redis is always its own and keeps no data. */
export interface StartOptions extends Omit<GatewayOptions, "engine" | "redis" | "persist" | "seed"> {
  /**
   * The Redis to start: `"embedded"` (default), which needs nothing installed; `"auto"` a `redis-server` or
   * `valkey-server` on PATH, else the embedded engine; or the path of a server.
   */
  readonly engine?: "embedded" | "auto" | (string & {}) | undefined;
  /** A file of commands, one per line, that run at the start and at the end of every `flush`. */
  readonly seed?: string | undefined;
}

/**
 * A gateway in this process, with a private Redis of its own. It can be passed to `new Redis()` as it is: only `url` and
 * `token` are enumerable.
 */
export interface TestGateway {
  /** The URL that it listens on, such as `http://127.0.0.1:41873`. */
  readonly url: string;
  /** The token that clients must send. */
  readonly token: string;
  /** Environment variables for the code under test, with the names that `Redis.fromEnv()` reads. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes every key and every cached script. With `seed` it then runs the file again. */
  flush(): Promise<void>;
  /** Ends the gateway and its Redis. Safe to call more than once. */
  close(): Promise<void>;
}

/**
 * Starts a gateway for tests and resolves once it is ready. Without `port` it listens on a free port of 127.0.0.1.
 * @throws {TypeError} when an option is wrong; the message names it and the fix
 * @throws {Error} when the requested engine can't be started
 */
export async function startGateway(options: StartOptions = {}): Promise<TestGateway> {
  const refused = ["redis", "persist"].find((name) => name in options);
  if (refused !== undefined) {
    throw new TypeError(
      `${refused}: must not be set, since a gateway for tests deletes all data between tests; the option engine chooses the Redis that it starts`,
    );
  }
  const { engine: choice = "embedded", ...settings } = options;
  const { logLevel, allowCommand } = resolveSettings(settings);
  const { seed, ...rest } = settings;
  const file = seed === undefined ? null : readSeedFile(seed, openedCommands(allowCommand));
  const hasFunctions = file?.commands.some(({ command }) => command.name === "FUNCTION");
  const log = createLog(logLevel);
  const engine = await startEngine(choice, { onNotice: (message) => log.error(message) });
  const fill = async () => {
    if (file) await runSeed(engine, file);
  };
  try {
    await fill();
    const gateway = await createGateway({ port: 0, console: false, ...rest, engine });
    return asClientOptions({
      url: gateway.url,
      token: gateway.token,
      env: environmentOf(gateway),
      flush: () => flushEngine(engine, hasFunctions).then(fill),
      close: () => gateway.close(),
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Leaves `url` and `token` the only enumerable members: the client refuses options that it does not know. */
export function asClientOptions(gateway: TestGateway): TestGateway {
  for (const name of ["env", "flush", "close"]) Object.defineProperty(gateway, name, { enumerable: false });
  return gateway;
}
