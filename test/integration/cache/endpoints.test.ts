import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { cached } from "warmline/cache";
import { type RedisServer, redisAvailable, startRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { httpResponse, RawEndpoint } from "../../support/endpoint.js";

// Cached functions on a cluster, whose entries and tags are in different slots, and on other endpoints than the gateway.

describe.skipIf(!redisAvailable())("on a cluster", () => {
  let server: RedisServer;
  let gateway: Gateway;
  let redis: Redis;
  const requests: string[] = [];
  beforeAll(async () => {
    // One node has all slots. It refuses keys in different ones all the same.
    server = await startRedis({ listen: "tcp", flags: ["--cluster-enabled", "yes"] });
    await server.command("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
    while (!String(await server.command("CLUSTER", "INFO")).includes("cluster_state:ok"))
      await new Promise((resolve) => setTimeout(resolve, 20));
    gateway = await createGateway({ redis: server.url, port: 0 });
    redis = new Redis({ url: gateway.url, token: gateway.token });
    redis.use((request, next) => {
      requests.push(JSON.stringify(request.body));
      return next(request);
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    await server.command("FLUSHALL");
  });

  function createUsers(name: string) {
    const users = { runs: 0, version: 1, load: async (id: string) => `${id}:${users.version}` };
    const instance = () =>
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

  test("a result whose tag was deleted during its computation is not returned to later calls", async () => {
    const { users, instance } = createUsers("user");
    const [one, other] = [instance(), instance()];
    let finish = () => {};
    users.load = () =>
      new Promise((resolve) => {
        finish = () => resolve("old");
      });
    const early = one("7");
    await expect.poll(() => users.runs).toBe(1);
    await other.deleteTag("team:1");
    const late = one("7");
    users.load = async () => "new";
    finish();
    expect([await early, await late, await other("7")]).toEqual(["old", "new", "new"]);
  });

  test("a stale result whose tag was deleted is not returned", async () => {
    const { users, instance } = createUsers("user");
    await instance()("7");
    await redis.hincrby("user:cached:7", "began", -61_000);
    await instance().deleteTag("team:1");
    users.version = 2;
    expect(await instance()("7")).toBe("7:2");
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

describe("on an endpoint that is not warmline-gateway", () => {
  const LOCKING = "#!lua flags=allow-key-locking";
  let endpoint: RawEndpoint;
  beforeEach(async () => {
    endpoint = await RawEndpoint.start();
    return () => endpoint.stop();
  });

  /** Replies to scripts as a server that has the result "stored", which may refuse the flag of Upstash's server. */
  function serve(takesFlag: boolean): void {
    const json = { "content-type": "application/json" };
    const reply = JSON.stringify({ result: ["fresh", 0, '"stored"', "id", 0, "", 0] });
    endpoint.onRequest = ({ body, socket }) => {
      const refusal =
        !takesFlag && body.includes(LOCKING) ? "ERR Unexpected flag in script shebang: x" : undefined;
      const error = refusal ?? (body.includes("EVALSHA") ? "NOSCRIPT No matching script." : undefined);
      if (error === undefined) socket.write(httpResponse(reply, json));
      else socket.write(httpResponse(JSON.stringify({ error }), json, "400 Bad Request"));
    };
  }

  test.each([
    ["Upstash", true],
    ["another server", false],
  ])(
    "scripts declare that they lock their keys alone where the server takes that: %s",
    async (_server, takesFlag) => {
      serve(takesFlag);
      const redis = new Redis({ url: endpoint.url, token: "t" });
      const call = cached(redis, "user", () => "computed", { key: () => "all", fresh: 60 });
      for (let i = 0; i < 3; i++) expect(await call()).toBe("stored");
      const scripts = endpoint.requests.filter(({ body }) => !body.includes("EVALSHA"));
      expect(scripts.at(-1)!.body.includes(LOCKING)).toBe(takesFlag);
      expect(endpoint.count(LOCKING)).toBeGreaterThan(0);
    },
  );
});
