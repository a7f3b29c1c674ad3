import { join } from "node:path";
import { inject } from "vitest";
import { type RedisServer, startRedis } from "../../../testbed/src/index.js";

const folder = inject("servers");

/** Options of a suite: it is skipped if the servers could not be downloaded. */
export const NEEDS_SERVERS = { tags: "servers", skip: folder === null };

const fileOf = (name: string) => join(folder ?? "", name);

/** Starts Redis 8.2 with modules of Redis Stack, such as `rejson`. */
export function startRedis8(...modules: ("rejson" | "redisbloom" | "redisearch")[]): Promise<RedisServer> {
  const flags = modules.flatMap((name) => ["--loadmodule", fileOf(`${name}.so`)]);
  return startRedis({ server: fileOf("redis-server"), flags });
}

/** Starts Valkey 9.1. */
export const startValkey = (): Promise<RedisServer> => startRedis({ server: fileOf("valkey-server") });
