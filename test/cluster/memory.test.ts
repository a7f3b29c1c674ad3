import { describe, expect, test } from "vitest";
import { type ClusterNode, startCluster } from "warmline-testbed";
import { call } from "../integration/gateway/http.js";
import { sharedByTests } from "../support/lifetime.js";
import { gatewayAt, type Item, keyOfEachSlot, metric, run, sleep, until } from "./support.js";

// Replies of a cluster that are larger than the gateway's budget for buffers.

const MB = 1024 * 1024;
const LIMIT = 8 * MB;
/** The bytes appended at a time to a value of 100 MB. */
const PART = "a".repeat(5 * MB);
const PARTS = 20;

/** Keys of two nodes of a new cluster, in which each has a part of the slots in a row. */
const KEYS_OF_TWO_NODES = keyOfEachSlot().filter((_, slot) => slot === 0 || slot === 16_383);

describe("memory, before a cluster", { tags: "redis-server" }, () => {
  // One of the tests stops a node.
  const cluster = sharedByTests(() => startCluster({ nodeTimeoutMs: 60_000 }));
  const gateway = sharedByTests(async () => {
    const loader = await gatewayAt(cluster.url);
    for (let i = 0; i < PARTS; i++) await run(loader, "APPEND", "large", PART);
    await loader.close();
    return gatewayAt(cluster.url, { maxBufferedBytes: LIMIT, token: "t", commandTimeout: 30_000 });
  });

  test("a merged reply larger than the memory budget fails with 503 and an unknown outcome", async () => {
    for (const key of ["a", "b", "c", "d", "e", "f"]) await run(gateway, "SETRANGE", key, MB - 1, "x");
    const { status, headers, json } = await call(gateway, "/mget/a/b/c/d/e/f");
    expect([status, headers["warmline-outcome"]]).toEqual([503, "unknown"]);
    expect(json.error).toContain("no memory");
    expect((await call(gateway, "/mget/a/b")).json.result.length).toBe(2);
    await expect.poll(() => metric(gateway, "buffered_bytes")).toBe(0);
  });

  test("replies of one node count while those of another are awaited", async () => {
    const [slow, fast] = KEYS_OF_TWO_NODES as [string, string];
    const size = MB / 8;
    await run(gateway, "SETRANGE", fast, size - 1, "x");
    const [awaited, , replying] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    const gets = (count: number) => Array.from({ length: count }, () => ["GET", fast]);
    /** Sends a pipeline. The reply to its first command comes once `check` holds. */
    const send = async (count: number, check: () => Promise<boolean>) => {
      process.kill(awaited.pid, "SIGSTOP");
      const response = call(gateway, "/pipeline", { body: [["SET", slow, "awaited"], ...gets(count)] });
      await until(check).finally(() => process.kill(awaited.pid, "SIGCONT"));
      return (await response).json;
    };
    const [first, ...rest] = await send(
      20,
      async () => (await metric(gateway, "buffered_bytes")) > 20 * size,
    );
    expect([first.result, rest.length]).toEqual(["OK", 20]);
    expect(rest.every(({ result }: Item) => result.length === size)).toBe(true);
    await expect.poll(() => metric(gateway, "buffered_bytes")).toBe(0);
    let most = 0;
    await replying.command("CONFIG", "RESETSTAT");
    const json = await send(100, async () => {
      most = Math.max(most, await metric(gateway, "buffered_bytes"));
      if (!String(await replying.command("INFO", "commandstats")).includes("cmdstat_get:calls=100,"))
        return false;
      if (/ omem=[1-9]/.test(String(await replying.command("CLIENT", "LIST", "TYPE", "normal"))))
        return false;
      // The gateway reads what the kernel holds.
      await sleep(500);
      most = Math.max(most, await metric(gateway, "buffered_bytes"));
      return true;
    });
    expect(json.length).toBe(101);
    expect(json[0].result).toBe("OK");
    const errors = json.filter(({ error }: Item) => error !== undefined);
    expect(errors.length).toBeGreaterThan(30);
    for (const { error } of errors) expect(error).toMatch(/^UNKNOWNOUTCOME .*no memory/);
    for (const { result } of json.slice(1)) expect([undefined, size]).toContain(result?.length);
    expect(most).toBeGreaterThan(20 * size);
    expect(most).toBeLessThanOrEqual(LIMIT);
    await expect.poll(() => metric(gateway, "buffered_bytes")).toBe(0);
  }, 90_000);
});
