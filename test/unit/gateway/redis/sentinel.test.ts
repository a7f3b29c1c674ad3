import { duplexPair } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { redisAt } from "../../../../gateway/src/redis/redis-url.js";
import { createUpstreams } from "../../../../gateway/src/redis/upstreams.js";
import { resolveSettings } from "../../../../gateway/src/settings/options.js";
import { commandsIn, sent } from "./fake-cluster.js";

test.each([
  ["?sentinelPassword=hidden%26+seen", "AUTH hidden&+seen"],
  ["?sentinelUser=sam&sentinelPassword=hidden", "AUTH sam hidden"],
  ["", null],
])("%j signs in to Sentinels with %j, and to Redis with the user of the URL", async (search, auth) => {
  const received = new Map<number, string[]>();
  const engine = {
    ...redisAt(`redis+sentinel://ann:secret@one.test:26379/main${search}`),
    connectTo: ({ port }: { port: number }) => {
      const [near, far] = duplexPair();
      far.on("data", (chunk: Buffer) => {
        for (const args of commandsIn(chunk)) {
          received.set(port, [...(received.get(port) ?? []), args.join(" ")]);
          const isQuestion = args[0] === "SENTINEL";
          far.write(isQuestion ? "*2\r\n$9\r\n127.0.0.1\r\n$4\r\n6379\r\n" : "+OK\r\n");
        }
      });
      return near;
    },
  };
  expect(engine.description).not.toMatch(/hidden|secret/);
  const upstreams = createUpstreams(engine, resolveSettings());
  onTestFinished(() => upstreams.close());
  const upstream = upstreams.of(null);
  expect(await sent((commands, receiver) => upstream.send(commands, receiver), ["GET k"])).toEqual(["+OK"]);
  const question = "SENTINEL get-master-addr-by-name main";
  expect(received.get(26_379)!.slice(0, auth ? 3 : 2)).toEqual([...(auth ? [auth] : []), "PING", question]);
  expect(received.get(6_379)).toEqual(["AUTH ann secret", "PING", "GET k"]);
});

test.each([
  ["redis://a.test?sentinelPassword=hidden", /sentinelPassword is only for redis\+sentinel/],
  ["redis+sentinel://a.test/main?sentinelUser=sam", /sentinelUser but no sentinelPassword/],
])("%s is refused", (url, text) => {
  expect(() => redisAt(url)).toThrow(text);
  expect(() => redisAt(url)).not.toThrow(/hidden/);
});
