import type { Socket } from "node:net";
import type { HttpHandler, http } from "msw";
import { startGateway } from "../create.js";
import { startEmbeddedEngine } from "../engine/embedded.js";
import { fetchInMemory } from "./fetch-in-memory.js";
import { flushEngine } from "./flush-engine.js";

/** Options of {@link redisHandlers}. */
export interface RedisHandlersOptions {
  /**
   * The URL that the code under test uses. No request reaches it. Default: `WARMLINE_URL`, `UPSTASH_REDIS_REST_URL` or
   * `KV_REST_API_URL`.
   */
  readonly url?: string | undefined;
  /**
   * The token that the code under test sends. Default: `WARMLINE_TOKEN`, `UPSTASH_REDIS_REST_TOKEN` or
   * `KV_REST_API_TOKEN`.
   */
  readonly token?: string | undefined;
}

/** Handlers for `setupServer` of msw, with a Redis of their own. */
export interface RedisHandlers extends Array<HttpHandler> {
  /** Removes every key and every cached script. */
  flush(): Promise<void>;
  /** Ends the Redis. A later request starts an empty one. */
  close(): Promise<void>;
}

/** The variables that `Redis.fromEnv()` reads, in its order. */
const VARIABLES = [
  ["WARMLINE_URL", "WARMLINE_TOKEN"],
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["KV_REST_API_URL", "KV_REST_API_TOKEN"],
] as const;
const OPTIONS = new Set(["url", "token"]);

/**
 * Creates handlers.
 * @param all `http.all` of msw
 * @throws {TypeError} when url or token is missing or malformed
 */
export function createRedisHandlers(all: typeof http.all, options: RedisHandlersOptions = {}): RedisHandlers {
  const { base, token } = resolve(options);
  let running: ReturnType<typeof startInMemory> | undefined;
  const gateway = () => {
    running ??= startInMemory(token);
    return running;
  };
  const respond = async ({ request }: { request: Request }): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const path = `/${pathname.slice(base.pathname.length).replace(/^\/+/, "")}${search}`;
    return fetchInMemory((await gateway()).accept, path, request);
  };
  const root = `${base.origin}${base.pathname.replace(/\/$/, "")}`;
  const handlers = [all(`${root}/`, respond), all(`${root}/*`, respond)];
  return Object.assign(handlers, {
    flush: async () => {
      if (running) await flushEngine((await running).engine);
    },
    close: async () => {
      const ending = running;
      running = undefined;
      await (await ending)?.close();
    },
  });
}

/** Starts a gateway that serves connections within the process. */
async function startInMemory(token: string) {
  const engine = await startEmbeddedEngine({ keepsProcessAlive: false });
  let accept: (socket: Socket) => void = () => {};
  const { close } = await startGateway({ token, engine, console: false, logLevel: "error" }, (server) => {
    accept = (socket) => server.enter(socket);
  });
  return { engine, accept, close };
}

function resolve(options: RedisHandlersOptions): { base: URL; token: string } {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined)
    throw new TypeError(`${unknown}: is not an option; the options are url and token`);
  const fromEnvironment = VARIABLES.find(([url]) => process.env[url]);
  const url = options.url ?? process.env[fromEnvironment?.[0] ?? ""];
  const token = options.token ?? process.env[fromEnvironment?.[1] ?? ""];
  if (!url)
    throw new TypeError("url: is missing; set it, or WARMLINE_URL, to the URL that the code under test uses");
  if (!token)
    throw new TypeError(
      "token: is missing; set it, or WARMLINE_TOKEN, to the token that the code under test sends",
    );
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError("url: must begin with http:// or https://");
  return { base: new URL(url), token };
}
