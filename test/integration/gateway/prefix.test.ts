import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { connectRedis, startRedis } from "warmline-testbed";
import { allCommandInfo } from "../../../gateway/src/commands/command-info.js";
import { createGateway } from "../../../gateway/src/index.js";
import { commands } from "../../support/commands.js";
import { sharedByTests } from "../../support/lifetime.js";
import {
  anyCall,
  CANARIES,
  draw,
  FUNCTION,
  HAND_MADE,
  HIDDEN,
  inScript,
  isBlocking,
  mutated,
  own,
  PREFIX,
  SCRIPT,
  SECRET,
  SHA,
  TYPES,
  wellFormed,
} from "./attack.js";
import { call, type GatewayResponse } from "./http.js";

describe("a token with a key prefix", { tags: "redis-server" }, () => {
  const server = sharedByTests(() => startRedis());
  const redis = sharedByTests(() => connectRedis({ path: server.path! }));
  const gateway = sharedByTests(() =>
    createGateway({
      port: 0,
      redis: server.url,
      token: "main",
      allowCommand: ["CONFIG", "DEBUG", "CLIENT LIST", "CLIENT KILL", "MIGRATE", "MODULE"],
      commandTimeout: 2_000,
      tokens: [
        { name: "standard", token: "standard", prefix: PREFIX },
        { name: "admin", token: "admin", role: "admin", prefix: PREFIX },
        { name: "plain", token: "plain", prefix: "plain:" },
        { name: "read-only", token: "read-only", role: "read-only", prefix: PREFIX },
      ],
    }),
  );

  beforeEach(reset);

  /** Everything as it was before any attack. */
  async function reset(): Promise<void> {
    await redis.command("FLUSHALL");
    await redis.command("FUNCTION", "FLUSH");
    await redis.command("SCRIPT", "LOAD", SCRIPT);
    await redis.command("FUNCTION", "LOAD", FUNCTION);
    for (const name of CANARIES.slice(0, 7)) await redis.command("SET", name, SECRET);
    for (const name of [HIDDEN, `${HIDDEN}2`]) await redis.command("SET", name, SECRET);
    await redis.command("RPUSH", "other:list", SECRET, "1");
    await redis.command("SADD", "other:set", SECRET, "1");
    await fill();
  }

  /** The token's own keys: one of each type, with elements that patterns of SORT would turn into canaries. */
  async function fill() {
    const set = (...args: string[]) => redis.command(...args).catch(() => {});
    await redis.command("DEL", ...TYPES.map(own));
    await set("SET", own("string"), "own");
    await set("RPUSH", own("list"), "1", "2", "string");
    await set("SADD", own("set"), "1", "string");
    await set("ZADD", own("zset"), "1", "1", "2", "string");
    await set("HSET", own("hash"), "f", "1", "field", "2");
    await set("XADD", own("stream"), "1-1", "f", "v");
    await set("GEOADD", own("geo"), "13", "38", "member");
    await set("PFADD", own("hll"), "a");
  }

  /** All that does not belong to the token: keys, code, settings, users. */
  async function others(): Promise<string> {
    const names = ((await redis.command("KEYS", "*")) as unknown[]).map(String).sort();
    const foreign = names.filter((name) => !name.startsWith(PREFIX));
    const dumps = await Promise.all(
      foreign.map(async (name) => [
        name,
        String(await redis.command("DUMP", name)),
        await redis.command("PTTL", name),
      ]),
    );
    const more = [
      ["FUNCTION", "LIST"],
      ["SCRIPT", "EXISTS", SHA],
      ["ACL", "LIST"],
      ["CONFIG", "GET", "maxmemory*"],
      ["CONFIG", "GET", "notify*"],
      ["INFO", "keyspace"],
    ];
    const state = await Promise.all(more.map(async (args) => JSON.stringify(await redis.command(...args))));
    // The keyspace of this database counts the token's own keys as well.
    const databases = state.pop()!.replace(/db0:[^\\]*/, "");
    return JSON.stringify([dumps, state, databases]);
  }

  function tells(response: GatewayResponse): boolean {
    return response.text.includes(SECRET) || response.text.includes(HIDDEN);
  }

  const send = (token: string, path: string, body: readonly unknown[]) =>
    call(gateway, path, { token, body });

  /** Sends commands as pipelines; when one of them reached beyond the prefix, finds out which. */
  async function attack(token: string, calls: readonly (readonly string[])[]): Promise<void> {
    const before = await others();
    for (let at = 0; at < calls.length; at += 100) {
      const batch = calls.slice(at, at + 100);
      const response = await send(token, "/pipeline", batch);
      expect(response.status).toBe(200);
      if (!tells(response) && (await others()) === before) continue;
      await reset();
      for (const args of batch) {
        const alone = await send(token, "/", args);
        expect({ words: args, tells: tells(alone) }).toEqual({ words: args, tells: false });
        expect({ words: args, others: await others() }).toEqual({ words: args, others: before });
      }
      throw new Error("a batch reached beyond the prefix, none of its commands did alone");
    }
  }

  const tokens = ["standard", "admin", "read-only"];
  test.each(tokens)("a prefixed token (%s) reaches no other key by any arguments", async (token) => {
    const calls: string[][] = [];
    for (const { name } of allCommandInfo()) {
      const made = draw(anyCall(name), 12);
      calls.push(...made, ...made.slice(0, 4).map(inScript));
    }
    await attack(token, calls);
  });

  test.each(tokens)("a prefixed token (%s) reaches no other key by well-formed calls", async (token) => {
    const calls = wellFormed.flatMap((args) => draw(mutated(args), 5));
    await attack(token, [...calls, ...calls.filter((_, at) => at % 5 === 0).map(inScript)]);
  });

  test.each(tokens)("a prefixed token (%s) reaches no other key by known attacks", async (token) => {
    await attack(token, [...HAND_MADE, ...HAND_MADE.map(inScript)]);
    for (const args of HAND_MADE) {
      const response = await send(token, "/", args);
      expect({ words: args, status: response.status, tells: tells(response) }).toEqual({
        words: args,
        status: 400,
        tells: false,
      });
      expect(response.json.error).toMatch(/^NOPERM /);
    }
  });

  test("a prefixed token reaches no other key in a transaction, in a path, or by a blocking command", async () => {
    const before = await others();
    const calls = wellFormed.flatMap((args) => fc.sample(mutated(args), { numRuns: 1 }));
    const responses: Promise<{ words: string[]; tells: boolean }>[] = [];
    const note = (args: string[], response: Promise<GatewayResponse | null>) => {
      responses.push(response.then((each) => ({ words: args, tells: each !== null && tells(each) })));
    };
    for (const args of calls) {
      const signal = AbortSignal.timeout(1_500);
      const path = `/${args.map(encodeURIComponent).join("/")}`;
      note(
        args,
        call(gateway, path, { token: "admin", signal }).catch(() => null),
      );
      if (isBlocking(args))
        note(
          args,
          call(gateway, "/", { token: "admin", body: args, signal }).catch(() => null),
        );
      else note(args, send("admin", "/multi-exec", [["PING"], args]));
      if (responses.length % 240 === 0) await Promise.all(responses);
    }
    for (const { words: args, tells } of await Promise.all(responses))
      expect({ words: args, tells }).toEqual({ words: args, tells: false });
    expect(await others()).toBe(before);
  });

  test("a prefixed token runs its own commands", async () => {
    const run = async (token: string, ...args: string[]) => (await send(token, "/", args)).json;
    for (const token of ["standard", "admin"]) {
      await fill();
      expect(await run(token, "SET", own("a"), "1")).toEqual({ result: "OK" });
      expect(await run(token, "INCR", own("a"))).toEqual({ result: 2 });
      expect(await run(token, "MGET", own("a"), own("string"))).toEqual({ result: ["2", "own"] });
      expect(await run(token, "SORT", own("list"), "LIMIT", "0", "2", "ALPHA", "STORE", own("b"))).toEqual({
        result: 2,
      });
      expect(await run(token, "COPY", own("a"), own("c"), "REPLACE")).toEqual({ result: 1 });
      expect(await run(token, "XREAD", "COUNT", "1", "STREAMS", own("stream"), "0")).toMatchObject({
        result: [[own("stream"), [["1-1", ["f", "v"]]]]],
      });
      expect(await run(token, "PUBLISH", own("channel"), "x")).toEqual({ result: 0 });
      expect(await run(token, ...inScript(["INCR", own("a")]))).toEqual({ result: 3 });
      expect(await run(token, ...inScript(["INCR", own("a")]))).toEqual({ result: 3 });
      await redis.command("DEL", own("token"));
    }
    expect(await run("read-only", "GET", own("string"))).toEqual({ result: "own" });
    expect((await run("read-only", "SET", own("a"), "1")).error).toMatch(/^NOPERM/);
    expect((await run("read-only", ...inScript(["INCR", own("a")]))).error).toMatch(/^NOPERM/);
  });

  test("a prefixed token may let SORT read other keys of its prefix", async () => {
    await redis.command("RPUSH", "plain:list", "b", "a");
    await redis.command("MSET", "plain:a", "1", "plain:b", "2", "plain:wa", "2", "plain:wb", "1");
    const sort = async (...options: string[]) =>
      (await send("plain", "/", ["SORT", "plain:list", ...options])).json;
    expect(await sort("BY", "plain:w*", "GET", "plain:*", "GET", "#")).toEqual({
      result: ["2", "b", "1", "a"],
    });
    expect(await sort("BY", "nosort", "GET", "#")).toEqual({ result: ["b", "a"] });
    for (const pattern of ["w*", "*", "plain*", "Plain:*", "w*->plain:"])
      for (const option of ["BY", "get"]) expect((await sort(option, pattern)).error).toMatch(/^NOPERM/);
  });

  test("SCAN and KEYS of a prefixed token return only its keys, whatever the pattern", async () => {
    const expected = TYPES.map(own).sort();
    const scanned = async (...options: string[]) => {
      const names: string[] = [];
      let cursor = "0";
      do {
        const { json } = await send("standard", "/", ["SCAN", cursor, ...options]);
        cursor = json.result[0];
        names.push(...json.result[1]);
      } while (cursor !== "0");
      return names.sort();
    };
    expect(await scanned()).toEqual(expected);
    expect(await scanned("MATCH", "*", "COUNT", "3")).toEqual(expected);
    expect(await scanned("match", "other*")).toEqual([]);
    expect(await scanned("TYPE", "zset")).toEqual([own("geo"), own("zset")]);
    const keys = async (pattern: string) =>
      ((await send("standard", "/", ["KEYS", pattern])).json.result as string[]).sort();
    expect(await keys("*")).toEqual(expected);
    expect(await keys("*list")).toEqual([own("list")]);
    expect(await keys("other:*")).toEqual([]);
    const both = await send("standard", "/pipeline", commands("SCAN 0 COUNT 1000", "KEYS *"));
    const [page, all] = both.json;
    expect([page.result[1].sort(), all.result.sort()]).toEqual([expected, expected]);
    expect((await send("standard", "/", ["SCAN", "x"])).json.error).toMatch(/^ERR invalid cursor/);
    expect((await send("read-only", "/", ["SCAN", "0"])).json.error).toMatch(/^NOPERM/);
    expect((await send("standard", "/multi-exec", [["KEYS", "*"]])).json.error).toMatch(
      /NOPERM .*transaction/,
    );
  });

  test("a prefixed token subscribes only to its own channels", async () => {
    const open = (token: string, path: string, ms = 10_000) =>
      call(gateway, path, { token, signal: AbortSignal.timeout(ms) }).catch(() => "open");
    for (const path of [
      "/subscribe/other",
      "/subscribe/__keyspace@0__:app",
      "/psubscribe/*",
      "/psubscribe/app:*",
      "/monitor",
    ]) {
      for (const token of ["standard", "admin", "read-only"])
        expect(await open(token, path)).toMatchObject({
          status: 400,
          json: { error: expect.stringMatching(/^NOPERM/) },
        });
    }
    expect(await open("standard", `/subscribe/${encodeURIComponent(own("news"))}`, 400)).toBe("open");
    expect(await open("standard", `/psubscribe/${encodeURIComponent("app:\\[x\\]\\**")}`, 400)).toBe("open");
    for (const args of [["PUBLISH", "other", "x"], ["PUBLISH"], ["SPUBLISH", "other", "x"]])
      expect((await send("admin", "/", args)).json.error).toMatch(/^NOPERM/);
  });
});
