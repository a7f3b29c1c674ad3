import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions, TimeoutError } from "warmline";
import { type Arrived, httpResponse, RawEndpoint, resp2Response } from "../support/endpoint.js";
import { pause } from "./support/rig.js";

// When a signal is aborted at any moment of a call, the call rejects with the signal's reason, an unsent command is
// never sent, and every other command still gets its own response.

const endpoint = RawEndpoint.forEachTest();
let controller: AbortController;
const reason = new Error("enough");
beforeEach(() => {
  controller = new AbortController();
});
afterEach(() => client().close());

const client = (options: RedisOptions = {}) =>
  new Redis({
    url: endpoint.url,
    token: "t",
    codec: "text",
    enableAutoPipelining: false,
    timeout: 10_000,
    ...options,
  });
const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
/** Responds to each command with its own key. */
const ownKey = ({ socket, body }: Arrived) => void socket.write(resp2Response(bulk(JSON.parse(body)[1])));
const abortSoon = () => setTimeout(() => controller.abort(reason), 20);

describe("before it is sent", () => {
  test.each([
    ["alone", (redis: Redis) => redis.get("k")],
    ["in a pipeline", (redis: Redis) => redis.pipeline().get("k").incr("n").exec()],
    ["in a transaction", (redis: Redis) => redis.multi().get("k").incr("n").exec()],
  ])("a command aborted before the call is never sent, %s", async (_how, send) => {
    controller.abort(reason);
    await expect(send(client().with({ signal: controller.signal }))).rejects.toBe(reason);
    await pause(50);
    expect(endpoint.requests).toHaveLength(0);
  });

  test("an abort in the same tick keeps the connection, and the next command gets its response", async () => {
    endpoint.onRequest = ownKey;
    await client().get("first");
    const aborted = client().with({ signal: controller.signal }).get("never");
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    expect(await client().get("second")).toBe("second");
    expect(endpoint.count("never")).toBe(0);
    expect(endpoint.connections).toBe(1);
  });

  test("an abort while the connection opens rejects, and nothing is sent", async () => {
    const redis = client({ url: endpoint.url.replace("http:", "https:"), signal: controller.signal });
    abortSoon();
    await expect(redis.incr("n")).rejects.toBe(reason);
    expect(redis.stats().opened).toBe(0);
    redis.close();
  });

  test("an abort while the only connection is busy drops only the aborted command", async () => {
    endpoint.onRequest = (request) => void setTimeout(() => ownKey(request), 60);
    const redis = client({ maxConnections: 1 });
    const before = redis.get("before");
    const queued = client({ maxConnections: 1, signal: controller.signal }).get("queued");
    const behind = redis.get("behind");
    abortSoon();
    await expect(queued).rejects.toBe(reason);
    expect(await before).toBe("before");
    expect(await behind).toBe("behind");
    expect(endpoint.count("queued")).toBe(0);
    expect(endpoint.connections).toBe(1);
  });

  // With an undici dispatcher, no connection is probed.
  if (process.env.WARMLINE_CONNECTION !== "undici")
    test("an abort while a suspect connection is probed sends nothing", async () => {
      endpoint.onRequest = ownKey;
      await client().get("first");
      // The probe arrives on the first connection.
      endpoint.onRequest = (request) => (request.connection > 1 ? ownKey(request) : controller.abort(reason));
      await pause(1_100);
      const aborted = client().with({ signal: controller.signal }).getdel("never");
      await expect(aborted).rejects.toBe(reason);
      expect(await client().getdel("next")).toBe("next");
      expect(endpoint.count("never")).toBe(0);
      expect(endpoint.count("next")).toBe(1);
    });

  test.each([
    ["between two attempts", 2, {}, "500 Oops"],
    ["while it waits for Retry-After", 1, { "retry-after": "5" }, "429 Too Many Requests"],
  ])("an abort %s rejects, and nothing is sent again", async (_what, attempts, headers, status) => {
    endpoint.answer(httpResponse("{}", headers, status));
    const redis = client({ signal: controller.signal, retry: { retries: 3, backoff: () => 1_000 } });
    const call = redis.get("k");
    call.catch(() => {});
    await expect.poll(() => endpoint.requests).toHaveLength(attempts);
    await pause(50);
    controller.abort(reason);
    // At once, not at the end of the wait.
    expect(await Promise.race([call.catch((error) => error), pause(0)])).toBe(reason);
    const sent = endpoint.requests.length;
    await pause(1_100);
    expect(endpoint.requests).toHaveLength(sent);
  });
});

test("an abort rejects a command, a batch and a pipeline with its reason, each sent once", async () => {
  endpoint.onRequest = () => {};
  const redis = client({ enableAutoPipelining: true }).with({ signal: controller.signal });
  const calls = [
    redis.incr("batched"),
    redis.get("batched"),
    redis.pipeline().incr("piped").exec(),
    redis.multi().incr("transacted").exec(),
  ];
  await expect.poll(() => endpoint.requests.length).toBe(3);
  controller.abort(reason);
  for (const settled of await Promise.allSettled(calls)) expect(settled).toMatchObject({ reason });
  await pause(50);
  for (const word of ["batched", "piped", "transacted"]) {
    expect(endpoint.requests.filter(({ body }) => body.includes(word))).toHaveLength(1);
  }
});

test("a call that timed out does not hold up the next", async () => {
  endpoint.onRequest = ({ socket, body }) =>
    !body.includes("slow") && socket.write(resp2Response(bulk("quick")));
  const redis = client({ maxConnections: 1, timeout: 500 });
  await expect(redis.get("slow")).rejects.toBeInstanceOf(TimeoutError);
  expect(await redis.with({ timeout: 10_000 }).get("quick")).toBe("quick");
});
