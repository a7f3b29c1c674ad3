import { beforeEach, describe, test } from "vitest";
import { Redis } from "../../src/index.js";
import { startGatewayProcess } from "../../testbed/src/index.js";
import { bloomExercises } from "../integration/commands/exercises/modules.js";
import { searchExercises } from "../integration/commands/exercises/search.js";
import { sharedByTests } from "../support/lifetime.js";
import { NEEDS_SERVERS, startRedis8 } from "./support/servers.js";

// The methods of warmline/modules, on the modules of Redis Stack. Its RedisTimeSeries needs OpenSSL 1.1, which machines no longer have.

const MODULES = [
  { title: "RedisBloom 2.8", module: "redisbloom", exercises: bloomExercises },
  { title: "RediSearch 2.10", module: "redisearch", exercises: searchExercises },
] as const;

const CASES = MODULES.flatMap((each) =>
  (["resp2", "json"] as const).map((responseFormat) => ({ ...each, responseFormat })),
);

describe.each(CASES)("$title, as $responseFormat", NEEDS_SERVERS, ({ module, exercises, responseFormat }) => {
  const server = sharedByTests(() => startRedis8(module));
  const gateway = sharedByTests(() => startGatewayProcess({ args: ["--redis", server.url] }));
  const redis = sharedByTests(
    async () => new Redis({ url: gateway.url, token: gateway.token, responseFormat }),
  );
  beforeEach(() => redis.flushall());

  test.each(Object.entries(exercises))("%s works as its exercise says", async (_method, run) => {
    await run(redis);
  });
});
