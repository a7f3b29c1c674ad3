import { openedCommands } from "./access/denial-reasons.js";
import { startEngine } from "./engine/start-engine.js";
import type { Log } from "./log/log.js";
import type { TrackedSource } from "./near/tracking-session.js";
import type { Activity } from "./redis/activity.js";
import { Credentials } from "./redis/credentials/credentials.js";
import { loginSourceOf } from "./redis/credentials/sources.js";
import { Reachability } from "./redis/reachability.js";
import { RedisTls } from "./redis/redis-tls.js";
import { ownEngine, type RemoteEngine, redisAt } from "./redis/redis-url.js";
import { parseRoutes } from "./redis/routes/route-text.js";
import { Routes } from "./redis/routes/routes.js";
import type { RedisUser, Upstream, Upstreams } from "./redis/upstream.js";
import { createUpstreams } from "./redis/upstreams.js";
import { runSeed } from "./seed/run-seed.js";
import { readSeedFile } from "./seed/seed-file.js";
import type { Settings } from "./settings/options.js";
import type { BufferBudget } from "./util/buffer-budget.js";
import { EMPTY } from "./util/bytes.js";

/** The data store behind the gateway: one Redis, or several by the prefix of keys. */
export interface Backend {
  /** A readable description. */
  readonly description: string;
  /** A readable description of where the Redis started for it keeps its data. Null if it keeps none. */
  readonly data: string | null;
  readonly upstreams: Upstreams;
  /** Whether other gateways may use the same Redis: it was not started for this one. */
  readonly isShared: boolean;
  /** The Redis servers that hold keys with one of the prefixes `nearPrefix`. */
  readonly tracked: readonly TrackedSource[];
  /** The reason why a Redis that was not started for it can't be reached at present. Null if all can, or if no attempt has ended. */
  readonly problem: string | null;
  /** The reason why the Redis that was started for it can't keep its data at present. Null if it can, or keeps none. */
  readonly unkept: string | null;
  /** Resolves when the first attempts to connect have ended, or after `timeout` ms. */
  firstAttempts(timeout: number): Promise<unknown>;
  /** Ends every connection, and the engine that was started for it. */
  close(): Promise<void>;
}

/** The Redis of one route. The one of keys without a route has an empty prefix. */
interface Part {
  readonly prefix: Buffer;
  readonly strip: boolean;
  readonly upstreams: Upstreams;
}

/**
 * Creates the backend of the settings. Starts an engine if they name no Redis for keys without a route.
 * @param activity when connections to Redis are closed, since it is not used. Default: never
 * @throws {TypeError} when a URL or a route is wrong
 * @throws {Error} when the engine can't be started
 */
export async function createBackend(
  settings: Settings,
  log: Log,
  budget: BufferBudget,
  activity?: Activity,
): Promise<Backend> {
  const routes = parseRoutes(settings.routes).map((route) => ({
    ...route,
    engine: engineAt(route.url, "routes", settings, log),
  }));
  const named = routes.filter(({ prefix }) => prefix !== "");
  const first = routes.find(({ prefix }) => prefix === "")?.engine ?? (await engineOf(settings, log));
  const engines = [...new Set([first, ...routes.map(({ engine }) => engine)])];
  const reachabilities: Reachability[] = [];
  const upstreamsAt = (engine: RemoteEngine) => {
    if (!engine.isRemote) return createUpstreams(engine, settings, budget, undefined, activity);
    const reachability = new Reachability(engine.description, log);
    reachabilities.push(reachability);
    return createUpstreams(engine, settings, budget, reachability, activity);
  };
  const main: Part = { prefix: EMPTY, strip: false, upstreams: upstreamsAt(first) };
  const parts = named.map(
    ({ prefix, strip, engine }): Part => ({
      prefix: Buffer.from(prefix),
      strip,
      upstreams: upstreamsAt(engine),
    }),
  );
  const upstreams = routes.length > 0 ? routedUpstreams([...parts, main]) : main.upstreams;
  const others = named.map(({ prefix, engine }) => `${prefix}* at ${engine.description}`);
  return {
    description: [first.description, ...others].join("; "),
    data: first.data ?? null,
    upstreams,
    isShared: engines.some(({ isRemote }) => isRemote),
    tracked: [main, ...parts]
      .map((part) => trackedAt(part, settings.nearPrefix))
      .filter(({ prefixes }) => prefixes.length > 0),
    get problem() {
      const problems = reachabilities.map(({ problem }) => problem).filter((each) => each !== null);
      return problems.join("; ") || null;
    },
    get unkept() {
      return first.problem ?? null;
    },
    firstAttempts: (timeout) => Promise.all(reachabilities.map((each) => each.firstAttempt(timeout))),
    async close() {
      upstreams.close();
      await Promise.all(engines.map((engine) => engine.close()));
    },
  };
}

/** The keys of a Redis that begin with one of the prefixes `near`, as it has them. */
function trackedAt(part: Part, near: readonly string[]): TrackedSource {
  const { strip, upstreams } = part;
  const prefix = part.prefix.toString();
  const own = near.filter((each) => each.startsWith(prefix) || prefix.startsWith(each));
  return {
    upstream: upstreams.of(null),
    prefixes: strip ? own.map((each) => each.slice(prefix.length)) : own,
    stripped: Buffer.from(strip ? prefix : ""),
  };
}

function engineAt(url: string, from: "redis" | "routes", settings: Settings, log: Log): RemoteEngine {
  const source = loginSourceOf(settings, url, from);
  const tls = new RedisTls(settings, (message) => log.error(message));
  return redisAt(url, { tls, credentials: source && new Credentials(source, log) });
}

async function engineOf(settings: Settings, log: Log): Promise<RemoteEngine> {
  const { redis, engine = "auto", persist, seed } = settings;
  if (redis !== undefined) return engineAt(redis, "redis", settings, log);
  if (typeof engine !== "string") return ownEngine(engine);
  const file =
    seed === undefined
      ? null
      : readSeedFile(seed, { opened: openedCommands(settings.allowCommand), maxArgs: settings.maxArgs });
  const started = await startEngine(engine, { persist, onNotice: (message) => log.error(message) });
  try {
    if (file) log.info(`seed: ${await runSeed(started, file)}`);
  } catch (error) {
    await started.close();
    throw error;
  }
  return ownEngine(started);
}

function routedUpstreams(parts: readonly Part[]): Upstreams {
  const made = new WeakMap<Upstream, Routes>();
  return {
    of(user: RedisUser | null) {
      const routed = parts.map((part) => ({ ...part, upstream: part.upstreams.of(user) }));
      const { upstream: key } = routed.at(-1)!;
      let routes = made.get(key);
      if (!routes?.leadTo(routed)) {
        routes = new Routes(routed);
        made.set(key, routes);
      }
      return routes;
    },
    *[Symbol.iterator]() {
      for (const { upstreams } of parts) yield* upstreams;
    },
    close() {
      for (const { upstreams } of parts) upstreams.close();
    },
  };
}
