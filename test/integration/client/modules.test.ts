import { expect, expectTypeOf, test } from "vitest";
import { ArgumentError, ProtocolError, Redis } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { bf, ft, topk, ts } from "warmline/modules";
import { RawEndpoint, resp2Response } from "../../support/endpoint.js";
import { forTest } from "../../support/lifetime.js";

// The commands of `warmline/modules` on clients, pipelines and transactions.

const endpoint = RawEndpoint.forEachTest();

test.each([Redis, FetchRedis])("module commands work on a client of either entry", async (Client) => {
  const redis = forTest(new Client({ url: endpoint.url, token: "t" }));
  endpoint.answer(resp2Response(":1\r\n"));
  const added = bf(redis).add("seen", "x");
  expectTypeOf(added).toEqualTypeOf<Promise<0 | 1>>();
  expect(await added).toBe(1);
  expect(endpoint.requests[0]?.body).toBe('["BF.ADD","seen","x"]');
  endpoint.answer(resp2Response("*1\r\n:1\r\n"));
  await expect(bf(redis).add("seen", "x")).rejects.toBeInstanceOf(ProtocolError);
});

test("module commands work in a pipeline and a transaction, with their types", async () => {
  const redis = forTest(new Redis({ url: endpoint.url, token: "t" }));
  // By the first response the client detects warmline-gateway, which replies to pipelines in RESP2.
  await redis.ping();
  endpoint.answer(resp2Response("*3\r\n:1\r\n:1\r\n$1\r\nv\r\n"));
  const pipeline = redis.pipeline();
  const filled = bf(pipeline.strlen("k")).add("seen", "x").get<string>("k");
  const values = await filled.exec();
  expectTypeOf(values).toEqualTypeOf<[number, 0 | 1, string | null]>();
  expect(values).toEqual([1, 1, "v"]);
  expect(JSON.parse(endpoint.requests.at(-1)!.body)[1]).toEqual(["BF.ADD", "seen", "x"]);
  expect(topk(redis.multi()).list("k").length()).toBe(1);
});

test("arguments of module commands are checked like those of other commands", async () => {
  const redis = new Redis({ url: endpoint.url, token: "t" });
  await expect(bf(redis).add("seen", undefined as never)).rejects.toBeInstanceOf(ArgumentError);
  await expect(ts(redis).add("t", undefined as never, Number.NaN)).rejects.toBeInstanceOf(ArgumentError);
  expect(typeof ft(redis).search).toBe("function");
  await expect(redis.hset("h", undefined as never)).rejects.toBeInstanceOf(ArgumentError);
});
