import { openedCommands } from "./access/denial-reasons.js";
import { startEngine } from "./engine/start-engine.js";
import type { Log } from "./log/log.js";
import type { Activity } from "./redis/activity.js";
import { Credentials } from "./redis/credentials/credentials.js";
import { loginSourceOf } from "./redis/credentials/sources.js";
import { Reachability } from "./redis/reachability.js";
import { RedisTls } from "./redis/redis-tls.js";
import { ownEngine, type RemoteEngine, redisAt } from "./redis/redis-url.js";
import { createUpstreams } from "./redis/upstreams.js";
import { runSeed } from "./seed/run-seed.js";
import { readSeedFile } from "./seed/seed-file.js";
import type { Settings } from "./settings/options.js";
import type { BufferBudget } from "./util/buffer-budget.js";

/**
 * Creates the data store behind the gateway. Starts an engine if the settings name no Redis and have no engine that runs.
 * @param activity decides when connections to Redis that are not used are closed. Default: never
 * @throws {TypeError} when a URL is wrong
 * @throws {Error} when the engine can't be started
 */
export async function createBackend(settings: Settings, log: Log, budget: BufferBudget, activity?: Activity) {
  const { engine, seeded } = await engineOf(settings, log);
  const reachability = engine.isRemote ? new Reachability(engine.description, log) : undefined;
  const upstreams = createUpstreams(engine, settings, budget, reachability, activity);
  return {
    /** A readable description. */
    description: engine.description,
    /** Where the Redis that was started for this gateway keeps its data, as text. Null if it keeps none. */
    data: engine.data ?? null,
    /** The outcome of loading the `seed` file, as a sentence. Null if none was loaded. */
    seeded,
    upstreams,
    /** Whether other gateways may use the same Redis: it was not started for this one. */
    isShared: engine.isRemote,
    /** Why Redis can't be reached at present. Null if it can, before an attempt has ended, and if it was started for this gateway. */
    get problem() {
      return reachability?.problem ?? null;
    },
    /** The reason why the Redis that was started for it can't keep its data at present. Null if it can, or keeps none. */
    get unkept() {
      return engine.problem ?? null;
    },
    /** Resolves when the first attempt to connect has ended, or after `timeout` ms. */
    firstAttempt: async (timeout: number) => reachability?.firstAttempt(timeout),
    /** Ends every connection, and the engine that was started for it. */
    async close() {
      upstreams.close();
      await engine.close();
    },
  };
}

async function engineOf(
  settings: Settings,
  log: Log,
): Promise<{ readonly engine: RemoteEngine; readonly seeded: string | null }> {
  const { redis, engine = "auto", persist, seed } = settings;
  if (redis !== undefined) {
    const source = loginSourceOf(settings, redis);
    const tls = new RedisTls(settings, (message) => log.error(message));
    return {
      engine: redisAt(redis, { tls, credentials: source && new Credentials(source, log) }),
      seeded: null,
    };
  }
  if (typeof engine !== "string") return { engine: ownEngine(engine), seeded: null };
  const file = seed === undefined ? null : readSeedFile(seed, openedCommands(settings.allowCommand));
  const started = await startEngine(engine, { persist, onNotice: (message) => log.error(message) });
  try {
    const seeded = file && (await runSeed(started, file));
    return { engine: ownEngine(started), seeded };
  } catch (error) {
    await started.close();
    throw error;
  }
}
