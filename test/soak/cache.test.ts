import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Redis } from "warmline";
import { startInstance } from "warmline-testbed";
import { startEmbeddedEngine } from "../../gateway/src/engine/embedded.js";
import { createGateway } from "../../gateway/src/index.js";

const HANDLER = fileURLToPath(new URL("../faults/handlers/cached.mjs", import.meta.url));

test("a function that was frozen for a minute does not store its result over that of another", {
  timeout: 120_000,
}, async () => {
  const gateway = await createGateway({ engine: await startEmbeddedEngine(), port: 0 });
  const redis = new Redis({ url: gateway.url, token: gateway.token });
  const start = () =>
    startInstance({
      handler: HANDLER,
      timeoutMs: 90_000,
      initTimeoutMs: 60_000,
      env: {
        WARMLINE_URL: gateway.url,
        WARMLINE_TOKEN: gateway.token,
        CACHED: JSON.stringify({ url: gateway.url, options: { fresh: 600 } }),
      },
    });
  const [frozen, other] = await Promise.all([start(), start()]);
  try {
    const results = (values: number[]) => ({ result: { results: values.map((value) => ({ value })) } });
    // Long enough that it is frozen before its end.
    const first = frozen.invoke({ id: "7", ms: 5_000 });
    await expect.poll(() => redis.get("runs:7")).toBe(1);
    await frozen.freeze();
    const frozenAt = Date.now();
    // The lease of 10 s ends first.
    expect(await other.invoke({ id: "7", calls: 2 })).toMatchObject(results([2, 2]));
    await new Promise((resolve) => setTimeout(resolve, frozenAt + 60_000 - Date.now()));
    await frozen.thaw();
    expect(await first).toMatchObject(results([1]));
    for (const each of [frozen, other]) expect(await each.invoke({ id: "7" })).toMatchObject(results([2]));
    expect(await redis.get("runs:7")).toBe(2);
  } finally {
    await Promise.all([frozen.stop(), other.stop()]);
    await gateway.close();
  }
});
