import { mock } from "node:test";
import { expect, test, vi } from "vitest";
import { Redis } from "../../../src/fetch.js";

const client = () => new Redis({ url: "http://127.0.0.1:1", token: "t" });

test("a client's methods can be spied on, replaced and restored before their first call", async () => {
  const redis = client();
  const spy = vi.spyOn(redis, "getset").mockResolvedValue("spied");
  expect(await redis.getset("k", "v")).toBe("spied");
  spy.mockRestore();
  expect(vi.isMockFunction(redis.getset)).toBe(false);
  expect(redis.getset).toBe(client().getset);

  redis.strlen = () => Promise.resolve(7);
  expect(await redis.strlen("k")).toBe(7);
  expect(client().strlen).not.toBe(redis.strlen);
});

test.each(["pipeline", "multi"] as const)("methods of a %s can be detached and replaced", async (batch) => {
  const queue = client()[batch]();
  const { echo, json, length, exec } = queue;
  echo("a");
  json.get("b");
  expect(queue.incr("c")).toBe(queue);
  expect(length()).toBe(3);
  await expect(exec()).rejects.toMatchObject({ name: "UnknownOutcomeError" });

  const spy = vi.spyOn(queue, "decr").mockReturnValue(queue as never);
  queue.decr("d");
  expect(spy).toHaveBeenCalledTimes(1);
  expect(queue.length()).toBe(3);
  spy.mockRestore();
  queue.decr("d");
  expect(length()).toBe(4);
});

test("for...in lists the methods of clients and pipelines", () => {
  for (const object of [client(), client().pipeline(), client().with({ timeout: 1 })]) {
    const names: string[] = [];
    for (const name in object) names.push(name);
    expect(names).toEqual(expect.arrayContaining(["get", "zadd", "vsim", "bitfield", "exec"]));
    expect("xautoclaim" in object).toBe(true);
    expect("nosuchcommand" in object).toBe(false);
  }
});

test("a subclass can replace a command's method", () => {
  class Own extends (Redis as unknown as new (options: object) => object) {
    async getdel(): Promise<string> {
      return "own";
    }
  }
  const own = new Own({ url: "http://127.0.0.1:1", token: "t" }) as unknown as Redis;
  expect(own).toBeInstanceOf(Own);
  expect(own).toBeInstanceOf(Redis);
  expect(own.getdel).toBe(Own.prototype.getdel);
  expect(own.with({ timeout: 1 }).getdel).toBe(Own.prototype.getdel);
});

/** How test tools replace a method of a prototype. Each `spy` returns a function that restores the method. */
const SPIES: [tool: string, spy: (prototype: object, name: string) => () => void][] = [
  [
    "Vitest",
    (prototype, name) => {
      const spy = vi.spyOn(prototype as Redis, name as "get").mockResolvedValue("spied" as never);
      return () => spy.mockRestore();
    },
  ],
  [
    "node:test",
    (prototype, name) => {
      const spied = mock.method(prototype as Redis, name as "get", () => Promise.resolve("spied") as never);
      return () => spied.mock.restore();
    },
  ],
];

test.each(SPIES)("%s spies on the methods of the prototype, for every client", async (_, spyOn) => {
  class Own extends Redis {}
  const used = client();
  const { getdel } = used;
  const before = [used, used.with({ timeout: 1 }), new Own({ url: "http://127.0.0.1:1", token: "t" })];
  const restore = spyOn(Redis.prototype, "getdel");
  try {
    for (const redis of [...before, client(), client().with({})])
      expect(await redis.getdel("k")).toBe("spied");
    expect(await getdel("k")).toBe("spied");
  } finally {
    restore();
  }
  expect(client().getdel).not.toBe(Redis.prototype.getdel);
  await expect(used.with({ timeout: 1 }).getdel("k")).rejects.toThrow(/^GETDEL: /);
});

test.each(SPIES)("%s spies on methods of clients and pipelines", async (_, spyOn) => {
  const pipeline = client().pipeline();
  for (const object of [client(), client().with({}), Object.getPrototypeOf(pipeline)]) {
    const restore = spyOn(object, "lpos");
    try {
      expect(await object.lpos("k", "v")).toBe("spied");
    } finally {
      restore();
    }
  }
  expect(pipeline.lpos("k", "v")).toBe(pipeline);
});

test("a spy without an implementation calls the command of its client", async () => {
  const redis = client().with({ timeout: 1 });
  const spy = vi.spyOn(Redis.prototype, "hlen");
  await expect(redis.hlen("k")).rejects.toThrow(/^HLEN: /);
  expect(spy).toHaveBeenCalledWith("k");
  expect(spy.mock.contexts).toEqual([redis]);
  const pipelined = vi.spyOn(Object.getPrototypeOf(redis.pipeline()), "hlen");
  expect(redis.pipeline().hlen("a").hlen("b").length()).toBe(2);
  expect(pipelined).toHaveBeenCalledTimes(2);
});

test("Vitest's automock mocks every method", async () => {
  const Mocked = vi.mockObject({ Redis }).Redis;
  const redis = new Mocked({ url: "http://127.0.0.1:1", token: "t" });
  vi.mocked(redis.get).mockResolvedValue("mocked");
  expect(await redis.get("k")).toBe("mocked");
  for (const name of ["set", "pipeline", "with", "subscribe"] as const)
    expect(vi.isMockFunction(redis[name])).toBe(true);
});
