import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { cached } from "warmline/cache";
import { type RedisServer, startRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { jsonResponse, RawEndpoint } from "../../support/endpoint.js";
import { type EngineServer, startEngineServer } from "../../support/engine-server.js";
import { beforeTests, forTest } from "../../support/lifetime.js";

// Cached functions on a cluster, whose entries and tags are in different slots, and on other endpoints than the gateway.

describe("on a cluster", { tags: "redis-server" }, () => {
  let server: RedisServer;
  let gateway: Gateway;
  let redis: Redis;
  const requests: string[] = [];
  beforeTests(async (shared) => {
    // One node has all slots. It still refuses keys in different slots.
    server = shared(await startRedis({ listen: "tcp", flags: ["--cluster-enabled", "yes"] }));
    await server.command("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
    while (!String(await server.command("CLUSTER", "INFO")).includes("cluster_state:ok"))
      await new Promise((resolve) => setTimeout(resolve, 20));
    gateway = shared(await createGateway({ redis: server.url, port: 0 }));
    redis = new Redis({ url: gateway.url, token: gateway.token, timeout: 10_000 });
    redis.use((request, next) => {
      requests.push(JSON.stringify(request.body));
      return next(request);
    });
  });
  beforeEach(() => server.command("FLUSHALL"));

  function createUsers(name: string) {
    const users = { runs: 0, version: 1, load: async (id: string) => `${id}:${users.version}` };
    const instance = (waitUntil?: (refresh: Promise<unknown>) => void) =>
      cached(
        redis,
        name,
        (id: string) => {
          users.runs++;
          return users.load(id);
        },
        {
          key: (id) => id,
          fresh: 60,
          stale: 600,
          tags: (_user, id) => (id === "9" ? [] : [`team:${Number(id) % 2}`]),
          ...(waitUntil && { waitUntil }),
        },
      );
    return { users, instance };
  }

  /** Number of requests that a call takes. */
  async function countRequests(call: () => Promise<unknown>): Promise<number> {
    requests.length = 0;
    await call();
    return requests.length;
  }

  test("tags delete results of all slots", async () => {
    const { users, instance } = createUsers("user");
    const [one, other] = [instance(), instance()];
    const read = () => Promise.all(["1", "2", "3", "9"].map((id) => one(id)));
    expect(await read()).toEqual(["1:1", "2:1", "3:1", "9:1"]);
    users.version = 2;
    await other.deleteTag("team:1");
    expect(await read()).toEqual(["1:2", "2:1", "3:2", "9:1"]);
    users.version = 3;
    await other.deleteTag("unused");
    expect(await read()).toEqual(["1:2", "2:1", "3:2", "9:1"]);
    await other.delete("2");
    await server.command("DEL", "user:cached");
    expect(await read()).toEqual(["1:3", "2:3", "3:3", "9:1"]);
    expect(users.runs).toBe(9);
  });

  test("the requests of a call are as many as the page on caching states", async () => {
    const { instance } = createUsers("user");
    const { instance: inOneSlot } = createUsers("{user}");
    const [call, single] = [instance(), inOneSlot()];
    // The first request of a process is refused, and shows that the slots differ.
    expect(await countRequests(() => call("1"))).toBeGreaterThan(2);
    await single("1");
    const hit = await countRequests(() => call("1"));
    await call.deleteTag("team:0");
    const hitAfterDeletion = await countRequests(() => call("1"));
    await call.deleteTag("team:1");
    const deleted = await countRequests(() => call("1"));
    const missed = await countRequests(() => call("3"));
    expect({ hit, hitAfterDeletion, deleted, missed }).toEqual({
      hit: 1,
      hitAfterDeletion: 2,
      deleted: 4,
      missed: 2,
    });
    await single.deleteTag("team:1");
    expect(await countRequests(() => single("1"))).toBe(2);
    expect(await countRequests(() => single("1"))).toBe(1);
  });
});

const FLAG = "#!lua flags=allow-key-locking";

/** What a server does with scripts that begin with {@link FLAG}. */
const SERVERS = {
  Upstash: "locks their keys, and refuses access to others",
  "Redis 7": "refuses the flag",
  "an older Redis": "refuses the line",
} as const;

for (const [kind, reaction] of Object.entries(SERVERS)) {
  // The embedded engine refuses the flag with another error.
  const isReal = kind === "Redis 7";
  const options = isReal ? { tags: "redis-server" } : {};
  describe(`on an endpoint that is not warmline-gateway, with ${kind}, which ${reaction}`, options, () => {
    let server: Pick<EngineServer, "command" | "stop">;
    let endpoint: RawEndpoint;
    let redis: Redis;
    /** The scripts of Upstash's server by digest, each as one that refuses access to other keys. */
    let locking: Map<string, string>;
    beforeEach(async () => {
      server = forTest(await (isReal ? startRedis() : startEngineServer()));
      endpoint = await RawEndpoint.startForTest();
      locking = new Map();
      endpoint.onRequest = async ({ head, body, socket }) => {
        const given = JSON.parse(Buffer.from(body, "latin1").toString());
        const batch: string[][] | undefined = /^POST \/pipeline /.test(head) ? given : undefined;
        const results = await Promise.all((batch ?? [given]).map(run));
        const [text, isRefused] = [
          JSON.stringify(batch ? results : results[0]),
          !batch && "error" in results[0]!,
        ];
        socket.write(jsonResponse(text, {}, isRefused ? "400 Bad Request" : "200 OK"));
      };
      // On a busy machine the default may pass, and functions then run without the cache.
      redis = new Redis({ url: endpoint.url, token: "t", timeout: 10_000 });
    });

    async function run([name, script = "", ...args]: string[]): Promise<
      { result: unknown } | { error: string }
    > {
      const digest = name === "EVAL" ? createHash("sha1").update(script).digest("hex") : script;
      if (kind === "an older Redis" && script.startsWith("#!")) {
        const near = "user_script:1: unexpected symbol near '#'";
        return { error: `ERR Error compiling script (new function): ${near}` };
      }
      if (kind === "Upstash" && script.startsWith(FLAG)) {
        locking.set(digest, withLocks(script.slice(FLAG.length)));
      }
      const locked = locking.get(digest);
      const command = locked === undefined ? [name!, script, ...args] : ["EVAL", locked, ...args];
      return server.command(...command).then(
        (result) => ({ result }),
        (error: Error) => ({ error: error.message }),
      );
    }

    test("cached functions store, refresh and delete results", async () => {
      const users = { runs: 0, version: 1, error: undefined as Error | undefined };
      const refreshes: Promise<unknown>[] = [];
      const instance = () =>
        cached(
          redis,
          "user",
          async (id: string) => {
            users.runs++;
            if (users.error) throw users.error;
            return `${id}:${users.version}`;
          },
          {
            ...{ key: (id) => id, fresh: 60, stale: 600, tags: (_user, id) => [`team:${Number(id) % 2}`] },
            waitUntil: (promise) => refreshes.push(promise),
          },
        );
      const [one, other] = [instance(), instance()];
      const read = () => Promise.all(["1", "2", "3"].map((id) => other(id)));
      expect(await Promise.all([one("1"), one("2"), one("3"), one("1")])).toEqual([
        "1:1",
        "2:1",
        "3:1",
        "1:1",
      ]);
      users.version = 2;
      expect(await read()).toEqual(["1:1", "2:1", "3:1"]);
      await one.delete("2");
      expect(await read()).toEqual(["1:1", "2:2", "3:1"]);
      await one.deleteTag("team:1");
      expect(await read()).toEqual(["1:2", "2:2", "3:2"]);
      users.version = 3;
      await server.command("HINCRBY", "user:cached:1", "began", -61_000);
      expect(await one("1")).toBe("1:2");
      await Promise.all(refreshes.splice(0));
      expect([await one("1"), users.runs]).toEqual(["1:3", 7]);
      users.error = new Error("no database");
      await expect(one("4")).rejects.toBe(users.error);
      await Promise.all(refreshes);
      users.error = undefined;
      expect(await one("4")).toBe("4:3");
      // The first script is sent before the server is known.
      const scripts = endpoint.requests.filter(({ body }) => body.includes('["EVAL",'));
      expect(scripts.at(-1)!.body.includes(FLAG)).toBe(kind === "Upstash");
      expect(endpoint.count(FLAG)).toBeGreaterThan(0);
      expect(locking.size > 0).toBe(kind === "Upstash");
    });

    if (kind !== "Upstash") return;
    test("a script with the flag has its own keys alone", async () => {
      const script = `${FLAG}\nreturn redis.call("GET", "other")`;
      await expect(redis.eval(script, ["own"], [])).rejects.toThrow(/undeclared key/);
      expect(await redis.eval(script, ["other"], [])).toBeNull();
    });
  });
}

/** Returns a script that can use its own keys alone. */
function withLocks(script: string): string {
  return `local own, call = {}, redis.call
for _, key in ipairs(KEYS) do own[key] = true end
local redis = {call = function(name, key, ...)
if name ~= "TIME" and not own[key] then return error("ERR access to an undeclared key") end
if name == "TIME" then return call(name) end
return call(name, key, ...)
end}
${script}`;
}
