import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { Redis } from "../../src/index.js";
import { type GatewayProcess, type RedisServer, startGatewayProcess } from "../../testbed/src/index.js";
import { bloomExercises } from "../integration/commands/exercises/modules.js";
import { NEEDS_SERVERS, startRedis8 } from "./support/servers.js";

// The methods of warmline/modules, on the module of Redis Stack.

describe.each(["resp2", "json"] as const)(
  "on RedisBloom 2.8, replies as %s",
  NEEDS_SERVERS,
  (responseFormat) => {
    let server: RedisServer;
    let gateway: GatewayProcess;
    let redis: Redis;
    beforeAll(async () => {
      server = await startRedis8("redisbloom");
      gateway = await startGatewayProcess({ args: ["--redis", server.url] });
      redis = new Redis({ url: gateway.url, token: gateway.token, responseFormat });
    });
    beforeEach(() => redis.flushall());
    afterAll(async () => {
      redis?.close();
      await gateway?.stop();
      await server?.stop();
    });

    test.each(Object.entries(bloomExercises))("%s works as its exercise says", async (_method, run) => {
      await run(redis);
    });
  },
);
