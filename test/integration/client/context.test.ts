import { AsyncLocalStorage } from "node:async_hooks";
import { beforeEach, expect, test } from "vitest";
import { type CustomCodec, Redis } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { z } from "zod";
import { RawEndpoint, resp2Response } from "../../support/endpoint.js";

// User functions read a response in the asynchronous context of the command's caller.

const tenant = new AsyncLocalStorage<string>();
/** A codec that reads the context, as one that decrypts reads a tenant's key. */
const codec: CustomCodec = {
  encode: String,
  decode: (stored) => `${tenant.getStore()}: ${Buffer.from(stored).toString()}`,
};
const schema = z.string().transform((value) => `${tenant.getStore()}: ${value}`);

const endpoint = RawEndpoint.forEachTest();
beforeEach(() => {
  endpoint.onRequest = ({ socket, body }) => {
    const commands = JSON.parse(body) as string[] | string[][];
    const item = "$1\r\nv\r\n";
    const batch = Array.isArray(commands[0]);
    socket.write(resp2Response(batch ? `*${commands.length}\r\n${item.repeat(commands.length)}` : item));
  };
});

const cases = [
  ["a codec", (redis: Redis) => redis.with({ codec }).get("k")],
  ["a schema", (redis: Redis) => redis.with({ codec: "text" }).get("k", { schema })],
  ["a codec, in a pipeline", (redis: Redis) => redis.with({ codec }).pipeline().get("k").exec().then(String)],
] as const;

test.each(cases)("%s is isolated between calls, one by one and all in one tick", async (_what, read) => {
  const redis = new Redis({ url: endpoint.url, token: "t" });
  // By the first response the client detects warmline-gateway, which replies to pipelines in RESP2.
  await redis.get("k");
  for (const name of ["ada", "bob"]) expect(await tenant.run(name, () => read(redis))).toBe(`${name}: v`);
  const both = ["ada", "bob"].map((name) => tenant.run(name, () => read(redis)));
  expect(await Promise.all(both)).toEqual(["ada: v", "bob: v"]);
  redis.close();
});

test("a codec of the fetch entry is isolated between the requests of each tick", async () => {
  const redis = new FetchRedis({ url: endpoint.url, token: "t" });
  for (const name of ["ada", "bob"]) {
    expect(await tenant.run(name, () => redis.with({ codec }).get("k"))).toBe(`${name}: v`);
  }
});
