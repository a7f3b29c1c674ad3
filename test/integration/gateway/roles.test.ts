import { beforeEach, describe, expect, test } from "vitest";
import { connectRedis, startRedis } from "warmline-testbed";
import { allCommandInfo } from "../../../gateway/src/commands/command-info.js";
import { createGateway } from "../../../gateway/src/index.js";
import { sharedByTests } from "../../support/lifetime.js";
import {
  anyCall,
  draw,
  FUNCTION,
  HAND_MADE,
  inScript,
  mutated,
  own,
  SCRIPT,
  SHA,
  TYPES,
  wellFormed,
} from "./attack.js";
import { call } from "./http.js";

describe("a token of a role", { tags: "redis-server" }, () => {
  // SORT_RO turns a small sorted set into the form of a large one: the same data, but another dump.
  const server = sharedByTests(() => startRedis({ flags: ["--zset-max-listpack-entries", "0"] }));
  const redis = sharedByTests(() => connectRedis({ path: server.path! }));
  const gateway = sharedByTests(() =>
    createGateway({
      port: 0,
      redis: server.url,
      commandTimeout: 2_000,
      tokens: [
        { name: "reader", token: "reader", role: "read-only" },
        { name: "scraper", token: "scraper", role: "metrics" },
        { name: "app", token: "app" },
      ],
    }),
  );
  beforeEach(reset);

  /** Everything as it was before any attack. */
  async function reset(): Promise<void> {
    await redis.command("FLUSHALL");
    await redis.command("FUNCTION", "FLUSH");
    await redis.command("SCRIPT", "FLUSH");
    await redis.command("SCRIPT", "LOAD", SCRIPT);
    await redis.command("FUNCTION", "LOAD", FUNCTION);
    await redis.command("MSET", "other:string", "1", "app", "2", own("string"), "3");
    await redis.command("RPUSH", own("list"), "1", "2");
    await redis.command("SADD", own("set"), "1", "2");
    await redis.command("ZADD", own("zset"), "1", "a", "2", "b");
    await redis.command("HSET", own("hash"), "f", "1");
    await redis.command("XADD", own("stream"), "1-1", "f", "v");
    await redis.command("XGROUP", "CREATE", own("stream"), "group", "0");
    await redis.command("GEOADD", own("geo"), "13", "38", "member");
    await redis.command("PFADD", own("hll"), "a");
    // The first count of one is kept beside it.
    await redis.command("PFCOUNT", own("hll"));
  }

  async function data(): Promise<string> {
    const names = ((await redis.command("KEYS", "*")) as unknown[]).map(String).sort();
    return JSON.stringify(
      await Promise.all(
        names.map(async (name) => [
          name,
          String(await redis.command("DUMP", name)),
          await redis.command("PTTL", name),
        ]),
      ),
    );
  }

  /** State shared by all clients: code, users, settings, the server's logs. */
  async function shared(): Promise<string> {
    const args = [
      ["FUNCTION", "LIST"],
      ["SCRIPT", "EXISTS", SHA],
      ["ACL", "LIST"],
      ["CONFIG", "GET", "*"],
    ];
    return JSON.stringify(await Promise.all(args.map((each) => redis.command(...each))));
  }

  const calls = (): string[][] => {
    const random = [...allCommandInfo()].flatMap(({ name }) => draw(anyCall(name), 8));
    const formed = wellFormed.flatMap((args) => draw(mutated(args), 4));
    const some = [...random, ...formed].filter((_, at) => at % 6 === 0);
    return [...random, ...formed, ...HAND_MADE, ...some.map(inScript)];
  };

  /** Sends commands as pipelines; when one of them changed something, finds out which. */
  async function attack(token: string, state: () => Promise<string>): Promise<string[]> {
    const all = calls();
    const before = await state();
    const responses: string[] = [];
    for (let at = 0; at < all.length; at += 200) {
      const batch = all.slice(at, at + 200);
      const { json } = await call(gateway, "/pipeline", { token, body: batch });
      responses.push(...json.map((response: { error?: string }) => response.error ?? ""));
      if ((await state()) === before) continue;
      await reset();
      for (const args of batch) {
        await call(gateway, "/", { token, body: args });
        expect({ words: args, state: await state() }).toEqual({ words: args, state: before });
      }
      throw new Error("a batch changed something, none of its commands did alone");
    }
    return responses;
  }

  test("a read-only token changes nothing, by any arguments of any command", async () => {
    const responses = await attack("reader", async () => (await data()) + (await shared()));
    // It is not that everything is refused.
    expect(responses.filter((error) => error === "").length).toBeGreaterThan(100);
    const listened = await Promise.all(
      TYPES.map((name) =>
        call(gateway, `/psubscribe/${name}*`, { token: "reader" }).then(({ status }) => status),
      ),
    );
    expect(new Set(listened)).toEqual(new Set([400]));
  });

  test("a read-write token changes nothing that concerns the whole server", async () => {
    await attack("app", shared);
  });

  test("a read-only token reads no key by a pattern of SORT_RO", async () => {
    await redis.command("MSET", "secret:1", "a", "secret:2", "b");
    const sort = async (...options: string[]) =>
      (await call(gateway, "/", { token: "reader", body: ["SORT_RO", own("list"), ...options] })).json;
    for (const options of [
      ["BY", "nosort", "GET", "secret:*"],
      ["GET", "#", "get", "secret:*"],
      ["by", "secret:*"],
      ["LIMIT", "0", "1", "GET", "secret:*->f"],
    ]) {
      expect((await sort(...options)).error).toMatch(/^NOPERM .*may not use BY/);
    }
    expect(await sort("BY", "nosort", "GET", "#", "LIMIT", "0", "5")).toEqual({ result: ["1", "2"] });
    expect(await sort("DESC")).toEqual({ result: ["2", "1"] });
  });

  test("a metrics token runs no command", async () => {
    const responses = await attack("scraper", data);
    expect(responses.filter((error) => !error.startsWith("NOPERM"))).toEqual([]);
  });
});
