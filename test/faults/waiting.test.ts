import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { Agent } from "undici";
import { beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions, TimeoutError } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { undici } from "warmline/undici";
import { type Arrived, jsonResponse, RawEndpoint } from "../support/endpoint.js";

// Commands that are issued while several requests are under way wait for one of them, and travel together.

/** The number of requests at a time that is worthwhile near the server. */
const CROWD = 4;

const endpoint = RawEndpoint.forEachTest();
/** Requests without a response. */
let held: Arrived[];
beforeEach(() => {
  held = [];
  endpoint.onRequest = (request) => void held.push(request);
});

const connect = (options: RedisOptions = {}, Client: typeof Redis | typeof FetchRedis = Redis) =>
  new Client({
    url: endpoint.url,
    token: "t",
    responseFormat: "json",
    timeout: 10_000,
    circuit: false,
    ...options,
  });

const commandsOf = ({ body }: Arrived): string[][] => {
  const sent = JSON.parse(body) as string[] | string[][];
  return Array.isArray(sent[0]) ? (sent as string[][]) : [sent as string[]];
};
const keysOf = (request: Arrived) => commandsOf(request).map(([, key]) => key);

/** Replies to each command with its key. */
function reply(request: Arrived): void {
  const results = commandsOf(request).map(([, key]) => ({ result: key }));
  const body = JSON.stringify(request.body.startsWith("[[") ? results : results[0]);
  request.socket.write(jsonResponse(body, { "warmline-gateway": "0" }));
}
const replyToAll = () => {
  endpoint.onRequest = reply;
  for (const request of held.splice(0)) reply(request);
};
/** Checks often: nothing waits for a request that has been under way for 10 ms. */
const arrivals = (count: number) =>
  expect.poll(() => endpoint.requests.length, { interval: 1 }).toBeGreaterThanOrEqual(count);

/** Issues GETs, each in a turn of its own. */
async function getEach(redis: { get(key: string): Promise<unknown> }, keys: readonly string[]) {
  const calls: Promise<unknown>[] = [];
  for (const key of keys) {
    const call = redis.get(key);
    call.catch(() => {});
    calls.push(call);
    await turn();
  }
  return calls;
}
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

test("commands of many turns wait for responses, and travel together in the order issued", async () => {
  const redis = connect();
  const first = await getEach(redis, names("first", CROWD));
  const later = await getEach(redis, names("later", 60));
  await arrivals(CROWD);
  replyToAll();
  expect(await Promise.all(later)).toEqual(names("later", 60));
  expect(await Promise.all(first)).toEqual(names("first", CROWD));
  const together = endpoint.requests.map(keysOf).filter(([key]) => key?.startsWith("later"));
  const inOrder = [...together].sort(([a], [b]) => Number(a!.slice(5)) - Number(b!.slice(5)));
  expect(inOrder.flat()).toEqual(names("later", 60));
  // A machine that stops for 10 ms lets further ones go: see the next test.
  expect(together.length).toBeLessThan(30);
});

test("requests that get no response hold no others up", async () => {
  const redis = connect();
  const slow = await getEach(redis, names("slow", CROWD));
  const [call] = await getEach(redis, ["quick"]);
  await arrivals(CROWD + 1);
  expect(keysOf(endpoint.requests[CROWD]!)).toEqual(["quick"]);
  reply(endpoint.requests[CROWD]!);
  expect(await call).toBe("quick");
  replyToAll();
  await Promise.all(slow);
});

test("a command that blocks takes no other's place, and waits for none", async () => {
  const redis = connect({ timeout: 60_000 });
  const blocking = Array.from({ length: 3 * CROWD }, () => redis.blpop("queue", 30));
  const calls = await getEach(redis, names("k", CROWD));
  await arrivals(4 * CROWD);
  const last = redis.blpop("queue", 30);
  await arrivals(4 * CROWD + 1);
  expect(endpoint.requests.map(({ body }) => body.includes("BLPOP")).filter(Boolean)).toHaveLength(
    3 * CROWD + 1,
  );
  for (const call of [...blocking, last]) call.catch(() => {});
  for (const request of held.splice(0)) if (!request.body.includes("BLPOP")) reply(request);
  await Promise.all(calls);
});

test("a large command goes after those that have waited before it", async () => {
  const redis = connect();
  const first = await getEach(redis, names("first", CROWD));
  await arrivals(CROWD);
  const small = redis.get("small");
  await turn();
  const large = redis.set("large", "x".repeat(100_000));
  const after = redis.get("after");
  await arrivals(CROWD + 1);
  expect(keysOf(endpoint.requests[CROWD]!)).toEqual(["small"]);
  replyToAll();
  expect(await Promise.all([small, large, after])).toEqual(["small", "large", "after"]);
  expect(endpoint.requests.slice(CROWD).map(keysOf)).toEqual([["small"], ["large", "after"]]);
  await Promise.all(first);
  expect(await redis.get("next")).toBe("next");
});

test("an abort rejects its command while it waits, which is not sent", async () => {
  const signals = new AsyncLocalStorage<AbortSignal>();
  const redis = connect({ signal: () => signals.getStore() });
  const first = await getEach(redis, names("first", CROWD));
  const controller = new AbortController();
  const mine = signals.run(controller.signal, () => redis.get("mine"));
  const other = redis.get("other");
  controller.abort("gone");
  await expect(mine).rejects.toBe("gone");
  replyToAll();
  expect(await other).toBe("other");
  expect(endpoint.count('"mine"')).toBe(0);
  expect(await Promise.all(first)).toEqual(names("first", CROWD));
});

test("a deadline that ends while a command waits rejects it as unsent, and no other", async () => {
  const deadlines = new AsyncLocalStorage<number>();
  const redis = connect({ deadline: { remaining: () => deadlines.getStore() ?? 60_000 } });
  const first = await getEach(redis, names("first", CROWD));
  // 50 ms are left for the handler.
  const mine = deadlines.run(51, () => redis.incr("mine"));
  const other = redis.get("other");
  const until = performance.now() + 5;
  while (performance.now() < until);
  const error = await mine.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ outcome: "unsent" });
  replyToAll();
  expect(await other).toBe("other");
  expect(endpoint.count('"mine"')).toBe(0);
  await Promise.all(first);
});

test.each([
  ["fetch", () => connect({}, FetchRedis)],
  ["undici", () => connect({ circuit: undefined, transport: undici(new Agent()) })],
])("over %s nothing waits: each turn has a request of its own", async (_, create) => {
  const redis = create();
  const calls = await getEach(redis, names("k", 2 * CROWD));
  await arrivals(2 * CROWD);
  expect(endpoint.requests.map(keysOf).every(({ length }) => length === 1)).toBe(true);
  replyToAll();
  expect(await Promise.all(calls)).toEqual(names("k", 2 * CROWD));
});
