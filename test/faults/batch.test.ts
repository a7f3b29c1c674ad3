import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions, UnknownOutcomeError } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { commands } from "../support/commands.js";
import { type Arrived, RawEndpoint, resp2Response } from "../support/endpoint.js";

// Commands that travel together, and what becomes of each when the request fails.

const endpoint = RawEndpoint.forEachTest();
/** Replies to each command with its name and arguments, joined by spaces. */
const echo = ({ socket, body }: Arrived) => {
  const commands = JSON.parse(body) as string[] | string[][];
  const item = (args: string[]) => {
    const text = args.join(" ");
    return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
  };
  if (!Array.isArray(commands[0])) socket.write(resp2Response(item(commands as string[])));
  else socket.write(resp2Response(`*${commands.length}\r\n${(commands as string[][]).map(item).join("")}`));
};
beforeEach(async () => {
  endpoint.onRequest = echo;
  // By the first response the client detects warmline-gateway, which replies to pipelines in RESP2.
  await client().echo("hello");
  endpoint.requests.length = 0;
});
afterEach(() => client().close());

const client = (options: RedisOptions = {}) =>
  new Redis({
    timeout: 10_000,
    url: endpoint.url,
    token: "t",
    codec: "text",
    retry: { retries: 3, backoff: () => 1 },
    ...options,
  });

describe("an auto-pipeline", () => {
  test("commands of one tick share one request, in the order issued", async () => {
    const redis = client();
    const replies = await Promise.all([redis.get("a"), redis.set("a", 1), redis.get("a"), redis.echo("b")]);
    expect(replies).toEqual(["GET a", "SET a 1", "GET a", "ECHO b"]);
    expect(endpoint.requests).toHaveLength(1);
    await redis.get("alone");
    expect(endpoint.requests[1]?.head).toMatch(/^POST \/ /);
  });

  test("pipelines, transactions and commands of with() have requests of their own", async () => {
    const redis = client();
    await Promise.allSettled([
      redis.get("a"),
      redis.pipeline().get("b").exec(),
      redis.multi().incr("c").exec(),
      redis.with({ timeout: 5_000 }).get("d"),
      redis.get("e"),
    ]);
    const keys = endpoint.requests.map(({ body }) => [...body.matchAll(/"([a-e])"/g)].map(([, key]) => key));
    expect(keys.map((each) => each.join("")).sort()).toEqual(["ae", "b", "c", "d"]);
  });

  test("a request has at most 1,000 commands and at most 512 KB", async () => {
    const redis = client();
    await Promise.all(Array.from({ length: 2_500 }, (_, i) => redis.get(`k${i}`)));
    expect(endpoint.requests.map(({ body }) => JSON.parse(body).length)).toEqual([1000, 1000, 500]);
    endpoint.requests.length = 0;
    const large = "x".repeat(300_000);
    await Promise.all([redis.echo(large), redis.echo(large), redis.echo("y")]);
    expect(endpoint.requests.map(({ body }) => body.length > 300_000)).toEqual([true, true]);
  });

  test("a request beyond the limit is sent after the one before it has its response", async () => {
    const redis = client();
    const arrived: number[] = [];
    endpoint.onRequest = (request) => {
      arrived.push(endpoint.requests.length);
      setTimeout(() => {
        // Nothing has arrived meanwhile.
        arrived.push(endpoint.requests.length);
        echo(request);
      }, 50);
    };
    const order: number[] = [];
    await Promise.all(Array.from({ length: 2_100 }, (_, i) => redis.get(`k${i}`).then(() => order.push(i))));
    expect(endpoint.requests.map(({ body }) => JSON.parse(body)[0][1])).toEqual(["k0", "k1000", "k2000"]);
    expect(arrived).toEqual([1, 1, 2, 2, 3, 3]);
    expect(order).toEqual(Array.from({ length: 2_100 }, (_, i) => i));
  });

  test("a failed request does not hold up later ones, and all share the timeout of one call", async () => {
    const redis = client({ timeout: 1_000 });
    let arrived = 0;
    endpoint.onRequest = (request) => {
      if (request.body.includes("SET")) arrived++;
      if (arrived === 1) request.socket.destroy();
      else if (arrived === 2) echo(request);
    };
    const settled = await Promise.allSettled(Array.from({ length: 4_000 }, (_, i) => redis.set(`k${i}`, i)));
    // The fourth is not sent: the timeout ended while the third waited.
    expect(arrived).toBe(3);
    const samples = [0, 1_000, 2_000, 3_000].map((at) => settled[at]!);
    expect(samples).toMatchObject([
      { reason: { name: "UnknownOutcomeError", command: "SET" } },
      { value: "SET k1000 1000" },
      { reason: { name: "TimeoutError", outcome: "unknown" } },
      { reason: { name: "TimeoutError", outcome: "unsent", command: "SET" } },
    ]);
  });

  test("a failing command rejects its own promise and no other", async () => {
    endpoint.answer(resp2Response("*3\r\n+OK\r\n-WRONGTYPE no\r\n$1\r\nx\r\n"));
    const redis = client();
    const [ok, failed, other] = await Promise.allSettled([
      redis.get("a"),
      redis.lpush("b", 1),
      redis.get("c"),
    ]);
    expect(ok).toMatchObject({ value: "OK" });
    expect(failed).toMatchObject({ reason: { code: "WRONGTYPE", command: "LPUSH" } });
    expect(other).toMatchObject({ value: "x" });
  });

  test("after a lost reply the reads are sent again, and the writes reject", async () => {
    let arrived = 0;
    endpoint.onRequest = (request) => (arrived++ ? echo(request) : void request.socket.destroy());
    const redis = client();
    const settled = await Promise.allSettled([
      redis.get("a"),
      redis.incr("n"),
      redis.get("b"),
      redis.set("s", 1),
    ]);
    expect(settled[0]).toMatchObject({ value: "GET a" });
    expect(settled[2]).toMatchObject({ value: "GET b" });
    for (const [at, command] of [
      [1, "INCR"],
      [3, "SET"],
    ] as const) {
      const { reason } = settled[at] as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(UnknownOutcomeError);
      expect(reason).toMatchObject({
        outcome: "unknown",
        command,
        message: expect.stringMatching(`^${command}: `),
      });
    }
    expect(endpoint.count("INCR")).toBe(1);
    expect(endpoint.count("SET")).toBe(1);
    expect(endpoint.requests.map(({ body }) => JSON.parse(body).length)).toEqual([4, 2]);
  });

  test("a read is sent again at most `retries` times, whether the whole reply or only its own is lost", async () => {
    endpoint.onRequest = ({ socket }) =>
      endpoint.requests.length % 2 === 1
        ? void socket.destroy()
        : void socket.write(resp2Response("*1\r\n-UNKNOWNOUTCOME lost\r\n"));
    // Over fetch no slow read has a copy, which would be one more request.
    const retry = { retries: 3, backoff: () => 1 };
    const redis = new FetchRedis({ url: endpoint.url, token: "t", timeout: 10_000, retry });
    const unknown = { reason: { name: "UnknownOutcomeError", outcome: "unknown" } };
    expect(await Promise.allSettled([redis.get("a"), redis.incr("n")])).toMatchObject([unknown, unknown]);
    expect(endpoint.requests.map(({ body }) => JSON.parse(body).length)).toEqual([2, 1, 1, 1]);
  });

  test("commands that the gateway marks as not applied, and reads, are sent again", async () => {
    const errors: Record<string, string> = {
      lost: "UNKNOWNOUTCOME the connection was lost",
      full: "UNSENT no room",
    };
    endpoint.onRequest = (request) => {
      const commands = JSON.parse(request.body) as string[][];
      if (endpoint.requests.length > 1) return echo(request);
      const items = commands.map(([, key]) => (errors[key!] ? `-${errors[key!]}\r\n` : ":1\r\n"));
      request.socket.write(resp2Response(`*${items.length}\r\n${items.join("")}`));
    };
    const redis = client();
    const settled = await Promise.allSettled([
      redis.incr("fine"),
      redis.incr("lost"),
      redis.get("lost"),
      redis.set("full", 1),
      redis.get("full"),
    ]);
    expect(settled).toMatchObject([
      { value: 1 },
      { reason: { name: "UnknownOutcomeError", command: "INCR", outcome: "unknown" } },
      { value: "GET lost" },
      { value: "SET full 1" },
      { value: "GET full" },
    ]);
    expect(endpoint.count("INCR")).toBe(1);
    expect(redis.stats().retries).toBe(1);
  });

  test("an abort between two attempts of a batch rejects at once, and nothing is sent again", async () => {
    endpoint.answer(resp2Response("*2\r\n+OK\r\n-UNSENT no room\r\n"));
    const controller = new AbortController();
    const slow = { retries: 3, backoff: () => 5_000 };
    const redis = client({ retry: slow }).with({ signal: controller.signal });
    const both = Promise.allSettled([redis.get("a"), redis.incr("b")]);
    setTimeout(() => controller.abort("enough"), 50);
    const begun = performance.now();
    expect((await both)[1]).toEqual({ status: "rejected", reason: "enough" });
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(endpoint.requests).toHaveLength(1);
  });

  test("bytes share a request at an endpoint that accepts them", async () => {
    const redis = client();
    endpoint.answer(resp2Response("*2\r\n+OK\r\n+OK\r\n"));
    await Promise.all([redis.set("a", new Uint8Array([0, 255])), redis.get("b")]);
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]?.body).toContain("$2\r\n\u0000\u00ff\r\n");
  });
});

describe("a pipeline", () => {
  test("a pipeline is one request with values in order, and its error has the index", async () => {
    const redis = client();
    expect(await redis.pipeline().get("a").set("b", 1).exec()).toEqual(["GET a", "SET b 1"]);
    expect(endpoint.requests).toHaveLength(1);
    endpoint.answer(resp2Response("*2\r\n+OK\r\n-ERR no\r\n"));
    await expect(redis.pipeline().get("a").incr("b").exec()).rejects.toMatchObject({
      index: 1,
      command: "INCR",
    });
    const kept = await redis.pipeline().get("a").incr("b").exec({ keepErrors: true });
    expect(kept).toMatchObject([{ result: "OK" }, { error: { code: "ERR" } }]);
  });

  test("a pipeline of reads is sent again, one with a write is not", async () => {
    endpoint.onRequest = (request) =>
      request.number === 1 && endpoint.requests.length < 3 ? void request.socket.destroy() : echo(request);
    const redis = client();
    expect(await redis.pipeline().get("a").get("b").exec()).toEqual(["GET a", "GET b"]);
    endpoint.onRequest = ({ socket }) => void socket.destroy();
    await expect(redis.pipeline().get("a").incr("b").exec()).rejects.toBeInstanceOf(UnknownOutcomeError);
    expect(endpoint.count("INCR")).toBe(1);
  });

  test("the part of a pipeline that the gateway could not send is sent again, and values keep their places", async () => {
    endpoint.onRequest = (request) => {
      if (endpoint.requests.length > 1) return echo(request);
      request.socket.write(
        resp2Response("*4\r\n+OK\r\n-UNSENT no room\r\n-UNKNOWNOUTCOME lost\r\n-UNSENT no room\r\n"),
      );
    };
    const redis = client();
    const { retries } = redis.stats();
    const values = await redis.pipeline().get("a").psetex("b", 9, "x").get("c").set("d", 1).exec();
    expect(values).toEqual(["OK", "PSETEX b 9 x", "GET c", "SET d 1"]);
    expect(JSON.parse(endpoint.requests[1]!.body)).toEqual(commands("PSETEX b 9 x", "GET c", "SET d 1"));
    expect(redis.stats().retries - retries).toBe(1);
  });

  test("a lost write of a pipeline is not sent again, and its error has its index", async () => {
    endpoint.onRequest = (request) =>
      endpoint.requests.length > 1
        ? request.socket.write(resp2Response("*2\r\n-UNKNOWNOUTCOME lost\r\n-ERR no\r\n"))
        : request.socket.write(
            resp2Response("*3\r\n-UNKNOWNOUTCOME lost\r\n-UNKNOWNOUTCOME lost\r\n-UNSENT no room\r\n"),
          );
    const redis = client({ retry: { retries: 1, backoff: () => 1 } });
    const kept = await redis.pipeline().incr("a").get("b").set("c", 1).exec({ keepErrors: true });
    expect(kept).toMatchObject([
      { error: { name: "UnknownOutcomeError", command: "INCR", index: 0, outcome: "unknown" } },
      { error: { name: "UnknownOutcomeError", command: "GET", index: 1, outcome: "unknown" } },
      { error: { name: "RedisError", command: "SET", index: 2, outcome: "answered" } },
    ]);
    expect(endpoint.count("INCR")).toBe(1);
  });

  test("an empty pipeline rejects: Pipeline is empty", async () => {
    await expect(client().pipeline().exec()).rejects.toThrow("Pipeline is empty");
  });
});
