import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Gateway } from "../../../gateway/src/index.js";
import { describeEngines } from "../gateway/engines.js";
import * as reference from "./examples.js";
import { importSwapped } from "./swapped.js";

// Code written for the reference client, run with it and, with nothing but the import changed, with this one.

const file = join(import.meta.dirname, "examples.ts");

const clients: [string, typeof reference][] = [
  ["@upstash/redis", reference],
  ["warmline", await importSwapped(file)],
];

describeEngines("code of @upstash/redis", ({ name, start }) => {
  let gateway: Gateway;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ gateway, stop } = await start());
  });
  afterAll(() => stop());

  const engine = name === "the embedded engine" ? name : "Redis 7.0";

  describe.each(clients)("%s", (client, module) => {
    const { connect, connectFromEnv, connectWithOptions, examples } = module;
    test.each(
      examples.filter(({ notOn }) => notOn !== engine).map((example) => [example.name, example] as const),
    )("the README example runs: %s", async (_name, { run, gives }) => {
      const redis = connect(gateway.url, gateway.token);
      await redis.flushall();
      expect(await run(redis)).toEqual(gives);
    });

    test("the constructor takes every option", async () => {
      const redis = connectWithOptions(gateway.url, gateway.token);
      expect(await redis.set("k", client)).toBe("OK");
      expect(await redis.pipeline().get("k").exec()).toEqual([client]);
    });

    test("fromEnv reads the environment", async () => {
      Object.assign(process.env, {
        UPSTASH_REDIS_REST_URL: gateway.url,
        UPSTASH_REDIS_REST_TOKEN: gateway.token,
      });
      try {
        const fromEnv = connectFromEnv();
        expect(await fromEnv.set("k", client)).toBe("OK");
        expect(await fromEnv.get("k")).toBe(client);
      } finally {
        delete process.env.UPSTASH_REDIS_REST_URL;
        delete process.env.UPSTASH_REDIS_REST_TOKEN;
      }
    });
  });
});
