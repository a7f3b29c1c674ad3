import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Redis } from "warmline";
import { useGateway } from "warmline-gateway/testing";
import { blocksOf, root } from "./pages.js";

// Programs that pages show whole are run as they stand.

// Below the repository, so that the packages are found.
const folder = mkdtempSync(join(root, "node_modules/.docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** The exports of the first block of a page that holds this text. */
async function programOf(page: string, text: string): Promise<any> {
  const block = blocksOf(page).find(({ language, code }) => /^[jt]s$/.test(language) && code.includes(text));
  expect(block, `${page} has no block with ${text}`).toBeDefined();
  const { code } = await transform(block!.code, { loader: "ts", format: "esm" });
  const file = join(folder, `${files++}.mjs`);
  writeFileSync(file, code);
  return import(pathToFileURL(file).href);
}

/** Imported as the module of a test imports it: before the hooks have set the environment. */
const lambda = await programOf("docs/getting-started.md", "getRemainingTimeInMillis");

describe("whole programs of the pages", () => {
  const gateway = useGateway({ beforeAll, beforeEach, afterAll });
  const context = { getRemainingTimeInMillis: () => 3_000 };

  test.each(["README.md", "docs/index.md"])("the program of %s runs", async (page) => {
    const { handler } = await programOf(page, "export const handler");
    expect(await handler()).toEqual([2, 2]);
    expect(await Redis.fromEnv().get("last")).toMatchObject({ visits: 2 });
  });

  test("the function for Lambda runs in a test, with its client at module level", async () => {
    expect(await lambda.handler({ user: "ada" }, context)).toEqual({ visits: 1 });
  });

  test("the functions for Vercel, Netlify and Cloudflare run", async () => {
    const { GET } = await programOf("docs/getting-started.md", "export async function GET");
    expect(await (await GET()).json()).toEqual({ visits: 1 });
    const netlify = await programOf("docs/getting-started.md", "export default async ()");
    expect(await (await netlify.default()).json()).toEqual({ visits: 2 });
    const worker = await programOf("docs/getting-started.md", "async fetch(");
    const request = new Request("http://worker.test/");
    expect(await (await worker.default.fetch(request, gateway.env)).json()).toEqual({ visits: 3 });
  });

  test("a command is answered by undici's mock", async () => {
    await expect(programOf("docs/networks.md", "MockAgent")).resolves.toBeDefined();
  });

  test("the code migrated from ioredis, node-redis and @vercel/kv runs", async () => {
    await programOf("docs/migrate-from-ioredis.md", "import { Redis }");
    const redis = Redis.fromEnv();
    expect(await redis.get("session")).toEqual({ user: 1 });
    expect(await redis.get("a")).toBe(2);
    expect(await redis.get("total")).toBe(2);
    expect(await redis.hgetall("missing")).toBeNull();
    await redis.flushall();
    await programOf("docs/migrate-from-node-redis.md", "import { Redis }");
    expect(await redis.get("balance")).toBe(5);
    await programOf("docs/migrate-from-vercel-kv.md", "import { Redis }");
    expect(await redis.get("user:1")).toEqual({ name: "Ada" });
  });

  test("arguments of ioredis do what the page on moving from it says", async () => {
    const redis: any = Redis.fromEnv();
    await expect(redis.set("k", "v", "EX", 60)).rejects.toThrow(
      "SET: argument 3 is text, not an object of options such as { ex }",
    );
    expect(() => redis.subscribe("c", () => {})).toThrow(/^subscribe\(\) takes one argument/);
    expect(await redis.exists("k")).toBe(0);
    expect(await redis.sadd("k", ["a", "b"])).toBe(1);
    expect(await redis.with({ codec: "text" }).smembers("k")).toEqual(['["a","b"]']);
  });

  test("the handlers of an event that is delivered twice apply it once", async () => {
    const page = "docs/exactly-once.md";
    const redis = Redis.fromEnv();
    const event = { messageId: "m-1", item: "tea" };
    await redis.set("stock:tea", 9);
    const scoped = await programOf(page, 'rpush("orders", event.messageId)');
    expect([await scoped.handler(event), await scoped.handler(event)]).toEqual([8, 8]);
    expect(await redis.lrange("orders", 0, -1)).toEqual(["m-1"]);
    const once = await programOf(page, "warmline/idempotent");
    expect([await once.handler(event), await once.handler(event)]).toEqual([{ left: 7 }, { left: 7 }]);
    expect(await redis.get("stock:tea")).toBe(7);
  });

  test("clients with a prefix send what the page says, and remove their keys alone", async () => {
    const page = "docs/prefix.md";
    const plain = Redis.fromEnv();
    await programOf(page, "redis.keyPrefix");
    expect(await plain.get("shop:cart:7")).toEqual(["tea"]);
    expect((await plain.keys("*")).sort()).toEqual(["shop:cart:7", "shop:visits"]);
    const { redis, removeAll } = await programOf(page, "export async function removeAll");
    expect(redis.keyPrefix).toBe("preview:local:");
    await redis.mset({ a: 1, b: 2 });
    await removeAll();
    expect((await plain.keys("*")).sort()).toEqual(["shop:cart:7", "shop:visits"]);
  });

  test("compressed values take the bytes that the page says", async () => {
    const page = "docs/compress.md";
    await programOf(page, 'redis.set("report"');
    expect(blocksOf(page)[0]!.code).toContain("// 1.3 KB in Redis in place of 16 KB");
    const size = await Redis.fromEnv().strlen("report");
    expect(Math.abs(size - 1_280), `the report takes ${size} bytes`).toBeLessThan(100);
    vi.spyOn(console, "table").mockReturnValue();
    const { results } = await programOf(page, "export const results");
    const rows = readFileSync(join(root, page), "utf8").matchAll(
      /^\| (.+?) \| ([\d,]+) \| [\d.]+ \| [\d.]+ \|$/gm,
    );
    const table = Array.from(rows, ([, name, bytes]) => [name, Number(bytes!.replace(",", ""))] as const);
    expect(table.map(([name]) => name)).toEqual(expect.arrayContaining(results.map((row: any) => row.name)));
    for (const { name, bytes } of results) {
      const stated = new Map(table).get(name)!;
      // Versions of the libraries differ a little.
      expect(Math.abs(bytes - stated) / stated, `${name} takes ${bytes} bytes`).toBeLessThan(0.05);
    }
  });

  test("every program of SKILL.md runs, and its function runs twice", async () => {
    const page = "skills/warmline/SKILL.md";
    const { handler } = await programOf(page, "export const handler");
    expect(await handler({ orderId: "1" }, context)).toEqual({ paid: true });
    expect(await handler({ orderId: "1" }, context)).toEqual({ paid: true });
    const redis = Redis.fromEnv();
    expect(await redis.lrange("orders:paid", 0, -1)).toEqual([1]);
    expect(await (await programOf(page, "export async function pay")).pay("7")).toBe("paid");
    await programOf(page, 'hset("cart:1"');
    expect(await redis.hgetall("cart:1")).toEqual({ tea: 3, milk: 1 });
    await programOf(page, "createScript");
    expect(await redis.mget("stock", "balance", "rate:ada")).toEqual([-1, 5, 1]);
    await programOf(page, "subscriber.on");
    const { onMessage } = await programOf(page, "export const onMessage");
    const message = { messageId: "m-1", item: "tea" };
    expect(await onMessage(message)).toBe(-1);
    expect(await onMessage(message)).toBe(-1);
    expect(await redis.get("stock:tea")).toBe(-1);
    const { isOn } = await programOf(page, "export const isOn");
    await redis.set("flag:new", true);
    expect([await isOn("new"), await isOn("none")]).toEqual([true, false]);
    const { onPayment } = await programOf(page, "export const onPayment");
    const payment = { id: "p-1", user: "ada", cents: 500 };
    expect([await onPayment(payment), await onPayment(payment)]).toEqual([{ credit: 500 }, { credit: 500 }]);
    await programOf(page, "produce(redis");
    expect(await redis.xlen("reply:7")).toBe(3);
  });
});
