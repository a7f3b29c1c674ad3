const { afterAll, beforeAll, beforeEach, expect, test } = require("@jest/globals");
const { Redis } = require("warmline");
const { useGateway } = require("warmline-gateway/testing");

const gateway = useGateway({ beforeAll, beforeEach, afterAll });

test("a transaction, a script and bytes, inside jest's own realm", async () => {
  const redis = new Redis({ url: gateway.url, token: gateway.token });
  expect(await redis.multi().incr("n").incr("n").exec()).toEqual([1, 2]);
  expect(await redis.eval("return redis.call('INCR', KEYS[1])", ["n"], [])).toBe(3);
  await redis.set("bytes", new Uint8Array([0, 255]));
  expect([...(await redis.with({ codec: "bytes" }).get("bytes"))]).toEqual([0, 255]);
});
