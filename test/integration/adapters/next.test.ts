import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { createCacheHandler, createUseCacheHandler, type UseCacheEntry } from "warmline-adapters/next";
import { useGateway } from "warmline-gateway/testing";
import { newFolder } from "../../support/new-folder.js";

const gateway = useGateway({ beforeAll, beforeEach, afterAll });

const entryOf = (text: string, more: Partial<UseCacheEntry> = {}): UseCacheEntry => ({
  ...{ tags: ["a"], stale: 10, timestamp: Date.now(), expire: 3_600, revalidate: 60 },
  value: new Blob([text]).stream(),
  ...more,
});
const textOf = (entry: UseCacheEntry | undefined) => entry && new Response(entry.value).text();

test.each([0, Number.POSITIVE_INFINITY])("a ttl of %s is refused", (ttl) => {
  const redis = Redis.fromEnv();
  expect(() => createUseCacheHandler({ redis, ttl })).toThrow(/^ttl must be a positive number of seconds/);
});

describe("the handler for cacheHandlers", () => {
  const instances = () => [0, 1].map(() => createUseCacheHandler({ redis: Redis.fromEnv() }));

  test("an entry of one instance is read by another, each time anew", async () => {
    const [one, other] = instances();
    const entry = entryOf("rendered");
    await one!.set("k", Promise.resolve(entry));
    for (const _ of [1, 2]) {
      const found = await other!.get("k", []);
      expect(await textOf(found)).toBe("rendered");
      const { value, ...rest } = entry;
      expect(found).toMatchObject(rest);
    }
    expect(await Redis.fromEnv().ttl("next:use-cache:k")).toBeGreaterThan(3_500);
    expect(await other!.get("none", [])).toBeUndefined();
  });

  test("a read waits for an entry that this instance is storing", async () => {
    const [one] = instances();
    let complete!: (entry: UseCacheEntry) => void;
    const setting = one!.set(
      "k",
      new Promise<UseCacheEntry>((resolve) => {
        complete = resolve;
      }),
    );
    const reading = one!.get("k", []);
    complete(entryOf("late"));
    expect(await textOf(await reading)).toBe("late");
    await setting;
  });

  test("a tag that is revalidated expires entries on all instances", async () => {
    const [one, other] = instances();
    await one!.set("k", Promise.resolve(entryOf("old")));
    await one!.set("page", Promise.resolve(entryOf("old", { tags: [] })));
    await other!.updateTags(["a", "_N_T_/page"]);
    expect(await one!.get("k", [])).toBeUndefined();
    expect(await one!.get("page", ["_N_T_/page"])).toBeUndefined();
    expect(await textOf(await one!.get("page", []))).toBe("old");
    await new Promise((resolve) => setTimeout(resolve, 2));
    await one!.set("k", Promise.resolve(entryOf("new")));
    expect(await textOf(await other!.get("k", []))).toBe("new");
  });

  test("a tag that is revalidated with a delay makes entries stale at once, and expired later", async () => {
    const [one, other] = instances();
    await one!.set("k", Promise.resolve(entryOf("old")));
    await other!.updateTags(["a"], { expire: 2 });
    expect(await one!.get("k", [])).toMatchObject({ revalidate: -1 });
    await expect.poll(() => one!.get("k", [])).toBeUndefined();
  });

  test.each<RedisOptions>([{ codec: "bytes" }, { codec: { encode: () => "x", decode: () => "y" } }])(
    "a client with %o revalidates tags",
    async (options) => {
      const handler = createUseCacheHandler({ redis: Redis.fromEnv(options) });
      await handler.set("k", Promise.resolve(entryOf("old")));
      expect(await textOf(await handler.get("k", []))).toBe("old");
      await handler.updateTags(["a"], { expire: 3_600 });
      expect(await handler.get("k", [])).toMatchObject({ revalidate: -1 });
      await handler.updateTags(["a"]);
      expect(await handler.get("k", [])).toBeUndefined();
    },
  );

  test("an entry that is never read is not stored, and any other for at most 30 days", async () => {
    const [one] = instances();
    await one!.set("k", Promise.resolve(entryOf("x", { expire: 0 })));
    expect(await Redis.fromEnv().dbsize()).toBe(0);
    await one!.set("k", Promise.resolve(entryOf("x", { expire: 1e9 })));
    const seconds = (await Redis.fromEnv().pttl("next:use-cache:k")) / 1_000;
    expect(Math.ceil(seconds / 60)).toBe(30 * 24 * 60);
  });

  test.each(["onError", "the console"])("an error of Redis is a miss, and reported to %s", async (to) => {
    const report = vi.fn<(error: unknown) => void>();
    if (to === "the console") vi.spyOn(console, "error").mockImplementation(report);
    const redis = new Redis({ url: gateway.url, token: "wrong" });
    const handler = createUseCacheHandler({ redis, ...(to === "onError" && { onError: report }) });
    await handler.set("k", Promise.resolve(entryOf("x")));
    expect(await handler.get("k", [])).toBeUndefined();
    expect(report.mock.calls.map(String)).toEqual([
      expect.stringContaining("WRONGPASS"),
      expect.stringContaining("WRONGPASS"),
    ]);
    await expect(handler.updateTags(["a"])).rejects.toThrow("WRONGPASS");
  });

  test("an entry whose stream fails is reported and not stored", async () => {
    const errors: unknown[] = [];
    const handler = createUseCacheHandler({ redis: Redis.fromEnv(), onError: (error) => errors.push(error) });
    const value = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("render failed")),
    });
    await handler.set("k", Promise.resolve(entryOf("", { value })));
    expect(String(errors[0])).toContain("render failed");
    expect(await handler.get("k", [])).toBeUndefined();
  });
});

describe("the handler for cacheHandler", () => {
  const handlerOf = (context = {}) => new (createCacheHandler({ redis: Redis.fromEnv() }))(context);
  const page = {
    kind: "APP_PAGE",
    html: "<p>é</p>",
    rscData: Buffer.from([0, 1, 255]),
    segmentData: new Map([["/_tree", Buffer.from("x")]]),
    headers: { "x-next-cache-tags": "a,_N_T_/" },
    status: 200,
    postponed: undefined,
  };

  test("a page of one instance is read by another with its bytes", async () => {
    await handlerOf().set("/", page, { cacheControl: { revalidate: 60, expire: 3_600 } });
    const found = await handlerOf().get("/");
    expect(found).toMatchObject({ value: page, cacheControl: { revalidate: 60, expire: 3_600 } });
    expect(Buffer.isBuffer(found!.value.rscData)).toBe(true);
    expect(found!.lastModified).toBeGreaterThan(Date.now() - 60_000);
    expect(await Redis.fromEnv().ttl("next:page:development:/")).toBeGreaterThan(3_500);
    await handlerOf().set("/", null);
    expect(await handlerOf().get("/")).toBeNull();
  });

  test("a page belongs to its build", async () => {
    const dist = newFolder("build");
    writeFileSync(join(dist, "BUILD_ID"), "one\n");
    const handler = handlerOf({ serverDistDir: join(dist, "server") });
    await handler.set("/", page);
    expect(await Redis.fromEnv().keys("*")).toEqual(["next:page:one:/"]);
    expect(await handlerOf().get("/")).toBeNull();
  });

  test("a tag of a page or of a fetch expires it on all instances", async () => {
    const one = handlerOf();
    await one.set("/", page);
    await one.set(
      "f",
      { kind: "FETCH", data: { body: "" }, revalidate: 60 },
      { fetchCache: true, tags: ["b"] },
    );
    expect(await one.get("f", { kind: "FETCH", tags: ["b"], softTags: [] })).not.toBeNull();
    await handlerOf().revalidateTag(["a", "b"]);
    expect(await one.get("/")).toBeNull();
    expect(await one.get("f", { kind: "FETCH", tags: ["b"], softTags: [] })).toBeNull();
  });

  test("a tag that is revalidated with a delay has the page renewed", async () => {
    const one = handlerOf();
    await one.set("/", page);
    await handlerOf().revalidateTag("a", { expire: 60 });
    expect(await one.get("/")).toMatchObject({ lastModified: -1 });
  });

  test("tags that the current request revalidates expire its reads", async () => {
    await handlerOf().set("/", page);
    expect(await handlerOf({ revalidatedTags: ["a"] }).get("/")).toBeNull();
  });

  test("a build stores nothing", async () => {
    vi.stubEnv("NEXT_PHASE", "phase-production-build");
    const handler = handlerOf();
    await handler.set("/", page);
    expect(await handler.get("/")).toBeNull();
    await createUseCacheHandler({ redis: Redis.fromEnv() }).set("k", Promise.resolve(entryOf("x")));
    expect(await Redis.fromEnv().dbsize()).toBe(0);
  });
});
