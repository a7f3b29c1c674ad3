import { expect, test } from "vitest";
import { resp2Response } from "../support/endpoint.js";
import { useEndpoint } from "./support/silent-connection.js";

// Responses that do not come on a connection that was used a moment ago.

const used = useEndpoint();
const { client, silenceFirst } = used;

test("a read without a response is sent again on a fresh connection", async () => {
  const redis = client();
  await redis.strlen("k");
  silenceFirst();
  const begun = performance.now();
  expect(await redis.strlen("k")).toBe(1);
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(used.endpoint.connections).toBe(2);
  // The other connection is closed.
  expect(redis.stats().closed).toBe(1);
});

// A late copy could undo a write that follows.
test.each(["at-most-once", "at-least-once"] as const)(
  "a write without a number is not: %s",
  async (writes) => {
    const redis = client({ timeout: 2_500, circuit: false, writes });
    await redis.strlen("k");
    silenceFirst();
    await expect(redis.incr("n")).rejects.toMatchObject({ name: "TimeoutError", outcome: "unknown" });
    expect(used.endpoint.count("INCR")).toBe(1);
  },
);

test("a command that was slow is not sent again the next time", async () => {
  const redis = client({ circuit: false, timeout: 10_000 });
  await redis.strlen("k");
  // The hedge is as slow, so the first connection is the one that responds.
  used.endpoint.onRequest = ({ socket }) =>
    void setTimeout(() => socket.write(resp2Response(":1\r\n")), 2_000);
  await redis.strlen("k");
  const sent = used.endpoint.count("STRLEN");
  await redis.strlen("k");
  expect(used.endpoint.count("STRLEN")).toBe(sent + 1);
});

test("few of many reads are sent again while nothing responds", async () => {
  const redis = client({
    timeout: 1_500,
    circuit: false,
    retry: false,
    maxConnections: 50,
    enableAutoPipelining: false,
  });
  await redis.strlen("k");
  used.endpoint.onRequest = () => {};
  await Promise.allSettled(Array.from({ length: 40 }, () => redis.strlen("k")));
  expect(used.endpoint.count("STRLEN") - 41).toBeLessThanOrEqual(4);
});

test("a read that may block is not sent again", async () => {
  const redis = client({ circuit: false });
  await redis.strlen("k");
  used.endpoint.onRequest = ({ socket }) =>
    void setTimeout(() => socket.write(resp2Response("*-1\r\n")), 2_000);
  await redis.xread("s", "0", { blockMS: 1_900 } as never).catch(() => {});
  expect(used.endpoint.count("XREAD")).toBe(1);
});
