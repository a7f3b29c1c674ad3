import { afterEach, describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { encodeCommand } from "../../../testbed/src/redis/resp.js";
import { sharedByTests } from "../../support/lifetime.js";
import { RawClient } from "./raw-client.js";

const notices: string[] = [];
const clients: RawClient[] = [];

function client(): RawClient {
  const opened = new RawClient(engine.connect());
  clients.push(opened);
  return opened;
}

const engine = sharedByTests(() => startEmbeddedEngine({ onNotice: (message) => notices.push(message) }));

afterEach(async () => {
  await client().call("FLUSHALL");
  for (const opened of clients.splice(0)) opened.stream.destroy();
  // No test may make the engine replace its thread.
  expect(notices).toEqual([]);
});

describe("commands over the in-process connection", () => {
  test("the engine's description says what it is", () => {
    expect(engine.description).toBe("embedded (js-redis-server, in memory; for development and tests)");
  });

  test("a blocked pop whose connection was closed takes nothing, however soon the push comes", async () => {
    const pushing = client();
    for (let round = 0; round < 50; round++) {
      const queue = `queue${round}`;
      const waiting = client();
      const popped = waiting.call("BLPOP", queue, "5").catch(() => "closed");
      // After two round trips the pop waits.
      for (let turn = 0; turn < 2; turn++) await pushing.call("PING");
      waiting.stream.destroy();
      expect(await pushing.call("RPUSH", queue, "job")).toBe(1);
      expect(await popped).toBe("closed");
      expect(await pushing.call("LRANGE", queue, 0, -1)).toEqual(["job"]);
    }
  });

  test.each([
    ["a subscription", ["SUBSCRIBE", "news"]],
    ["MONITOR", ["MONITOR"]],
    ["a blocked stream read", ["XREAD", "BLOCK", "0", "STREAMS", "x", "$"]],
    ["a blocked move", ["BLMOVE", "a", "b", "LEFT", "RIGHT", "0"]],
    ["an open transaction", ["MULTI"]],
  ])("closing a connection in %s affects no other", async (_what, args) => {
    const leaving = client();
    const staying = client();
    const left = leaving.call(...args).catch(() => {});
    // After two round trips the command has begun.
    for (let turn = 0; turn < 2; turn++) await staying.call("PING");
    leaving.stream.destroy();
    await left;
    expect(await staying.call("PUBLISH", "news", "x")).toBe(0);
    expect(await staying.call("RPUSH", "a", "x")).toBe(1);
    expect(await staying.call("XADD", "x", "1-1", "f", "v")).toBe("1-1");
    expect(await staying.call("LLEN", "a")).toBe(1);
  });

  test("ten thousand commands written at once get their replies in order", async () => {
    const redis = client();
    const replies = await Promise.all(Array.from({ length: 10_000 }, () => redis.call("INCR", "n")));
    expect(replies).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
  });

  test("a pipeline gives way to other clients", async () => {
    const [long, other] = [client(), client()];
    await long.call("MSET", "a", "x".repeat(700), "b", "y".repeat(700));
    const replies = Array.from({ length: 100 }, () => long.call("LCS", "a", "b", "LEN"));
    expect(await Promise.race([replies.at(-1), other.call("PING")])).toBe("PONG");
    await Promise.all(replies);
  });

  test("a reader that stops reading delays only its own connection", async () => {
    const redis = client();
    await redis.call("SET", "large", "x".repeat(1024 * 1024));
    const slow = engine.connect();
    for (let index = 0; index < 100; index += 1) slow.write(encodeCommand(["GET", "large"]));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(slow.readableLength).toBeLessThan(32 * 1024 * 1024);
    expect(await redis.call("PING")).toBe("PONG");
    let bytes = 0;
    slow.on("data", (part: Buffer) => {
      bytes += part.length;
    });
    await expect.poll(() => bytes, { timeout: 20_000 }).toBe(100 * (1024 * 1024 + "$1048576\r\n\r\n".length));
    slow.destroy();
  });

  test("ending a connection delivers the replies to what was sent before", async () => {
    const redis = client();
    const last = redis.call("SET", "k", "v");
    redis.stream.end();
    expect(await last).toBe("OK");
    expect(await redis.closed).toBeUndefined();
  });

  test("bytes that are not RESP end the connection with an error reply", async () => {
    const redis = client();
    const reply = redis.call("PING");
    await reply;
    redis.stream.write("GET / HTTP/1.1\r\n\r\n");
    await expect.poll(() => redis.pushed.length).toBe(1);
    expect(String(redis.pushed[0])).toMatch(/Protocol error/);
    await redis.closed;
  });
});
