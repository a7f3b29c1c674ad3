import { createClient } from "@redis/client";
import { Redis } from "warmline";
import { near } from "warmline/near";
import type { Endpoint } from "../client/bench-client.js";

// A function that reads ten keys, through one of several caches or none: BENCH_CACHE names it.

const { BENCH_CACHE, BENCH_ENDPOINT, BENCH_MAX_STALE } = process.env;
const { url, token, tcp }: Endpoint = JSON.parse(BENCH_ENDPOINT!);
const maxStale = Number(BENCH_MAX_STALE);

type Get = (key: string) => Promise<unknown>;

/** Keeps what `get` returns in a Map, for a time in ms. */
function mapped(get: Get): Get {
  const values = new Map<string, { value: unknown; until: number }>();
  return async (key) => {
    const kept = values.get(key);
    if (kept && Date.now() < kept.until) return kept.value;
    const value = await get(key);
    values.set(key, { value, until: Date.now() + maxStale });
    return value;
  };
}

const nearRedis = (mode: true | "verify"): Get => {
  const redis = new Redis({ url, token, near: near({ match: "near:*", maxStale }) });
  const client = redis.with({ near: mode });
  return (key) => client.get(key);
};

const ofClient = async (): Promise<Get> => {
  const { client, options } = await import("../client/function-client.js");
  const connected = client.connect(options);
  return (key) => connected.get(key);
};

const CACHES: Record<string, () => Get | Promise<Get>> = {
  none: () => {
    const redis = new Redis({ url, token });
    return (key) => redis.get(key);
  },
  near: () => nearRedis(true),
  verify: () => nearRedis("verify"),
  client: ofClient,
  "client-map": async () => mapped(await ofClient()),
  "node-redis": async () => {
    const redis = createClient({
      socket: { host: "127.0.0.1", port: tcp!.port },
      RESP: 3,
      clientSideCache: { ttl: 0, maxEntries: 0, evictPolicy: "LRU" },
    });
    redis.on("error", () => {});
    await redis.connect();
    return (key) => redis.get(key);
  },
};

const get = await CACHES[BENCH_CACHE!]!();

export const handler = async ({ keys }: { keys: readonly string[] }) => ({
  statusCode: 200,
  body: await Promise.all(keys.map(get)),
});
