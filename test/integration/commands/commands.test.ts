import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Redis } from "../../../src/index.js";
import {
  type GatewayProcess,
  type RedisServer,
  redisAvailable,
  startGatewayProcess,
  startRedis,
} from "../../../testbed/src/index.js";
import { allSpecs, samples } from "../../unit/commands/samples/index.js";
import type { Sample } from "../../unit/commands/samples/sample.js";
import type { Engine, Exercise } from "./exercises/exercise.js";
import { exercises } from "./exercises/index.js";

/** Replies of an engine to a command, a subcommand or an option that it does not have, or must not have here. */
const LACKING = /^(ERR unknown|ERR syntax error|NOPERM)/i;

async function redisArgs(): Promise<string[]> {
  server = await startRedis();
  return ["--redis", server.url];
}

const engines: {
  engine: Engine;
  responseFormat: "resp2" | "json";
  available: boolean;
  args: () => Promise<string[]>;
}[] = [
  {
    engine: "embedded",
    responseFormat: "resp2",
    available: true,
    args: async () => ["--engine", "embedded"],
  },
  { engine: "redis", responseFormat: "resp2", available: redisAvailable(), args: redisArgs },
  { engine: "redis", responseFormat: "json", available: redisAvailable(), args: redisArgs },
];

let server: RedisServer | undefined;

test("every method has an exercise", () => {
  expect(
    Object.keys(exercises)
      .filter((method) => method !== "bitfield")
      .sort(),
  ).toEqual(Object.keys(allSpecs).sort());
});

for (const { engine, responseFormat, available, args } of engines) {
  describe.skipIf(!available)(`on ${engine}, through the gateway, replies as ${responseFormat}`, () => {
    let gateway: GatewayProcess;
    let redis: Redis;

    beforeAll(async () => {
      gateway = await startGatewayProcess({ args: await args() });
      redis = new Redis({ url: gateway.url, token: gateway.token, responseFormat });
    });
    beforeEach(() => redis.flushall());
    afterAll(async () => {
      redis?.close();
      await gateway?.stop();
      await server?.stop();
      server = undefined;
    });

    const lacking = (exercise: Exercise) => exercise.lackedBy.includes(engine);
    const all = Object.entries(exercises);

    test.each(all.filter(([, exercise]) => !lacking(exercise)))(
      "%s works as its exercise says",
      async (_method, { run }) => {
        await run(redis);
      },
    );

    test.each(all.filter(([, exercise]) => lacking(exercise)))(
      "%s is missing on this server",
      async (method) => {
        const [place, name] = method.includes(".") ? method.split(".") : [undefined, method];
        const methods = (place ? redis[place as "json"] : redis) as unknown as Record<
          string,
          (...args: any[]) => unknown
        >;
        const [[args]] = samples[method] as [Sample];
        await expect(methods[name!]!(...args)).rejects.toThrow(LACKING);
      },
    );
  });
}
