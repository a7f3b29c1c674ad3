import { describe, expect, test } from "vitest";
import { startRedis } from "warmline-testbed";
import { createGateway } from "../../../gateway/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { call, metric, run } from "./http.js";

describe("one client among many", { tags: "redis-server" }, () => {
  const redis = sharedByTests(() => startRedis());
  const gateway = sharedByTests(() => createGateway({ redis: redis.url, port: 0 }));

  test("a client can't end or change the shared connection", async () => {
    const lost = await metric(gateway, "upstream_connections_lost_total");
    const attempts =
      `POST|POST\0x|Host:|host:\0|QUIT|quit\0|RESET|HELLO 3|CLIENT REPLY OFF|CLIENT KILL TYPE normal|MULTI|SUBSCRIBE x|
MONITOR|SCRIPT DEBUG YES|SHUTDOWN NOSAVE|READONLY|SYNC|PSYNC ? -1|REPLCONF ACK 0|AUTH x|DEBUG SLEEP 1|select 1|sUnSubscribe`
        .split(/\|\n?/)
        .map((line) => line.split(" "));
    for (const args of attempts) {
      const responses = [
        await call(gateway, "/", { body: args }),
        await call(gateway, "/multi-exec", { body: [["PING"], args] }),
      ];
      const path = `/${args.map(encodeURIComponent).join("/")}`;
      // These paths are event streams, which have connections of their own.
      if (!/^\/(p?subscribe\/|monitor$)/i.test(path)) responses.push(await call(gateway, path));
      for (const response of responses) {
        expect(response.status, args.join(" ")).toBe(400);
        expect(response.json.error).toMatch(/NOPERM/);
      }
      const batch = await call(gateway, "/pipeline", { body: [["PING"], args, ["PING"]] });
      expect(batch.json).toEqual([
        { result: "PONG" },
        { error: expect.stringMatching(/^NOPERM/) },
        { result: "PONG" },
      ]);
    }
    expect(await metric(gateway, "upstream_connections_lost_total")).toBe(lost);
    expect(await run(gateway, "ECHO", "still here")).toBe("still here");
  });
});

test("a stall of the gateway itself does not count as silence of Redis", {
  tags: "redis-server",
}, async () => {
  const redis = forTest(await startRedis());
  const gateway = forTest(await createGateway({ redis: redis.url, port: 0, commandTimeout: 400 }));
  expect(await run(gateway, "PING")).toBe("PONG");
  const busy =
    "local start = redis.call('TIME') local function ms(t) return t[1] * 1000 + t[2] / 1000 end " +
    "while ms(redis.call('TIME')) - ms(start) < 250 do end return 'done'";
  const response = call(gateway, "/", { body: ["EVAL", busy, 0] });
  // Held up after polling: a timer that became due meanwhile runs before anything that arrived is read.
  const hold = () => {
    const until = performance.now() + 600;
    while (performance.now() < until) {}
  };
  setTimeout(() => setImmediate(hold), 100);
  expect((await response).json).toEqual({ result: "done" });
});
