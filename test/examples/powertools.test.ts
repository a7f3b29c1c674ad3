import { join } from "node:path";
import { expect, test } from "vitest";
import { Redis } from "warmline";
import { carries, loseReply, onRequest, startInstance, startNetworkProxy } from "warmline-testbed";
import { forTest } from "../support/lifetime.js";
import { useExample } from "./support/example.js";

const example = useExample("powertools");

test("Powertools runs a handler once per event, also when the response to its record is lost", async () => {
  const { folder, env, gateway } = example;
  const redis = forTest(new Redis({ url: gateway.url, token: gateway.token }));
  const path = forTest(await startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));
  path.onConnection((number) => (number === 1 ? onRequest(carries("INPROGRESS"), loseReply()) : undefined));
  const handler = join(folder, "handler.mjs");
  const instance = forTest(await startInstance({ handler, env: { ...env, WARMLINE_URL: path.url } }));
  await redis.set("stock:book", 10);
  const place = async (orderId: string) => (await instance.invoke({ orderId, item: "book" })).result;
  expect(await place("a")).toEqual({ orderId: "a", left: 9 });
  expect(path.connectionsOpened).toBeGreaterThan(1);
  expect(await place("a")).toEqual({ orderId: "a", left: 9 });
  expect(await place("b")).toEqual({ orderId: "b", left: 8 });
  expect(await redis.lrange("orders", 0, -1)).toEqual(["a", "b"]);
});
