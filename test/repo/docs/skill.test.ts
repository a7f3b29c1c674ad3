import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Redis } from "warmline";
import { useGateway } from "warmline-gateway/testing";
import { answer, pay, read } from "./skill/chat.js";
import { addScore, best, login } from "./skill/game.js";
import type * as Orders from "./skill/orders.js";

// Programs for three tasks, written from SKILL.md and llms.txt alone. Each has its task at its head. A change of the client that breaks
// one breaks the programs that assistants write.

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("programs that SKILL.md leads to", () => {
  const gateway = useGateway({ beforeAll, beforeEach, afterAll });

  test("orders: a message that is delivered twice takes one item, and stock is never below zero", async () => {
    const redis = new Redis(gateway);
    const stocks: number[] = [];
    // Reads the stock after each request of the program, before the program gets its response.
    const server = createServer(async (request, response) => {
      const reply = await fetch(`${gateway.url}${request.url}`, {
        method: "POST",
        headers: { authorization: request.headers.authorization! },
        body: await buffer(request),
      });
      const text = await reply.text();
      stocks.push((await redis.get<number>("stock:tea"))!);
      response.writeHead(reply.status, { "content-type": "application/json" }).end(text);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    vi.stubEnv("WARMLINE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const program = join(import.meta.dirname, "skill/orders.ts?watched");
    const { handler }: typeof Orders = await import(/* @vite-ignore */ program);
    await redis.set("stock:tea", 1);
    const records = ["m-1", "m-2"].map((messageId) => ({ messageId, item: "tea" }));
    const context = { getRemainingTimeInMillis: () => 5_000 };
    const served = [
      { id: "m-1", stock: true },
      { id: "m-2", stock: false },
    ];
    expect(await handler({ Records: records }, context)).toEqual(served);
    expect(await handler({ Records: records }, context)).toEqual(served);
    server.close().closeAllConnections();
    vi.unstubAllEnvs();
    expect(stocks).toContain(0);
    expect(Math.min(...stocks)).toBe(0);
    expect(await redis.lrange("orders", 0, -1)).toEqual(["m-1"]);
    expect(await redis.lrange("backorders", 0, -1)).toEqual(["m-2"]);
  });

  test("game: logins are limited, and the best scores have the names as given", async () => {
    const [ada, bob] = [await login("ada", "Ada"), await login("7", "007")];
    for (const [session, score] of [
      [ada, 10],
      [ada, 5],
      [bob, 20],
    ] as const)
      expect(await addScore(session!, score)).toBe(true);
    expect(await addScore("none", 99)).toBe(false);
    expect(await best()).toEqual([
      { name: "007", score: 20 },
      { name: "Ada", score: 10 },
    ]);
    expect([await login("ada", "Ada"), await login("ada", "Ada")].every((session) => session !== null)).toBe(
      true,
    );
    expect(await login("ada", "Ada")).toBeNull();
  });

  test("chat: a reader continues after its last part, and a question is paid once", async () => {
    const redis = Redis.fromEnv();
    await redis.mset({ "flag:model": "large", "credit:ada": 3 });
    const parts = ["{}", "1", " + 2"];
    await answer("q1", async function* (model) {
      yield model;
      yield* parts;
    });
    const whole = await all(read("q1"));
    expect(whole.map(({ text }) => text)).toEqual(["large", ...parts]);
    expect((await all(read("q1", whole[1]!.id))).map(({ text }) => text)).toEqual(parts.slice(1));
    expect([await pay("q1", "ada"), await pay("q1", "ada")]).toEqual([2, 2]);
    expect(await redis.get("credit:ada")).toBe(2);
  });
});
