import type { StartedGateway } from "../create.js";
import { loginSourceOf, type SignInSettings } from "../redis/credentials/sources.js";
import { parseRedisUrl } from "../redis/redis-address.js";
import type { KeptToken } from "./kept-token.js";

/** Returns the environment variables of the gateway's URL and token, as warmline, @upstash/redis and @vercel/kv name them. */
export function environmentOf({ url, token }: Pick<StartedGateway, "url" | "token">): Record<string, string> {
  return {
    WARMLINE_URL: url,
    WARMLINE_TOKEN: token,
    UPSTASH_REDIS_REST_URL: url,
    UPSTASH_REDIS_REST_TOKEN: token,
    KV_REST_API_URL: url,
    KV_REST_API_TOKEN: token,
  };
}

/**
 * Returns the environment variable for clients of Redis's own protocol. Empty unless Redis is a single server over TCP, and its URL
 * has the password, if there is one.
 */
export function redisEnvironmentOf(options: SignInSettings): Record<string, string> {
  const { redis } = options;
  if (redis === undefined || loginSourceOf(options, redis)) return {};
  const { addresses, isSentinel, isCluster } = parseRedisUrl(redis);
  return addresses.length === 1 && !isSentinel && !isCluster ? { REDIS_URL: redis } : {};
}

/**
 * Returns the lines printed once the gateway is ready. Programs can wait for the first line. The last lines can be
 * pasted into a `.env` file.
 * @param kept the token that the gateway generated. Null for a token from the settings, which is not printed: the user knows
 * it, and logs keep a server's output
 */
export function readyLines(
  gateway: Pick<StartedGateway, "url" | "token" | "engine" | "data" | "problem" | "seeded" | "console">,
  kept: KeptToken | null,
): string[] {
  const environment = Object.entries(environmentOf(gateway)).filter(([name]) => !name.startsWith("KV_"));
  const shown = environment.filter(([name]) => kept || !name.endsWith("TOKEN"));
  return [
    `warmline-gateway ready ${gateway.url}`,
    `engine: ${gateway.engine}`,
    ...(gateway.problem === null ? [] : [`problem: ${gateway.problem}; commands fail until it replies`]),
    ...(gateway.data === null ? [] : [`data: ${gateway.data}`]),
    ...(gateway.seeded === null ? [] : [`seed: ${gateway.seeded}`]),
    ...(kept ? [`token: ${kept.description}`] : []),
    ...(gateway.console ? [`console: ${gateway.url}/${kept ? `#${gateway.token}` : ""}`] : []),
    "",
    ...shown.map(([name, value]) => `${name}=${value}`),
  ];
}
