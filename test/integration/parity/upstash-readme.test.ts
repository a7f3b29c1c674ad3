import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { sharedByTests } from "../../support/lifetime.js";
import { describeEngines } from "../gateway/engines.js";
import * as reference from "./examples.js";
import { importSwapped } from "./swapped.js";

// Runs code written for the reference client twice: with that client, and with warmline, where only the import is changed.

const swapped: typeof reference = await importSwapped(join(import.meta.dirname, "examples.ts"));

describeEngines("code of @upstash/redis", ({ start }) => {
  const gateway = sharedByTests(() => start());

  test.each(reference.examples.map(({ name }, at) => [name, at] as const))(
    "the README example gives the same with both clients: %s",
    async (_name, at) => {
      const results = [];
      for (const { connect, examples } of [reference, swapped]) {
        const redis = connect(gateway.url, gateway.token);
        await redis.flushall();
        results.push(await examples[at]!.run(redis));
      }
      const [theirs, ours] = results;
      expect(ours).toEqual(theirs);
    },
  );

  test("the constructor takes every option", async () => {
    const redis = swapped.connectWithOptions(gateway.url, gateway.token);
    expect(await redis.set("k", "v")).toBe("OK");
    expect(await redis.pipeline().get("k").exec()).toEqual(["v"]);
  });

  test("fromEnv reads the environment", async () => {
    vi.stubEnv("UPSTASH_REDIS_REST_URL", gateway.url);
    vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", gateway.token);
    const fromEnv = swapped.connectFromEnv();
    expect(await fromEnv.set("k", "from env")).toBe("OK");
    expect(await fromEnv.get("k")).toBe("from env");
  });
});
