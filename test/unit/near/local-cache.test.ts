import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Command } from "../../../src/execution/command.js";
import type { NearClient } from "../../../src/execution/near-hooks.js";
import { cacheableKeys } from "../../../src/near/cacheable.js";
import { LocalCache } from "../../../src/near/local-cache.js";
import { near } from "../../../src/near.js";
import { TextBulk } from "../../../src/protocol/bytes.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const read = (...argv: string[]) =>
  ({
    ...{ argv, args: argv.slice(1), write: false, bytes: false, wait: undefined },
    ...{ codec: { text: true }, name: argv[0], spec: { name: argv[0] } },
  }) as never as Command;

const settings = { near: true, timeout: 1_000, autoPipelining: true };

/** Returns by how many bytes the heap grows while a function runs. */
async function growthOf(run: () => void | Promise<void>): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  await run();
  collectGarbage();
  return process.memoryUsage().heapUsed - before;
}

test("a read without a response does not let the reports of others pile up in memory", async () => {
  const cache = new LocalCache({ matches: () => true, maxStale: 2_000, maxBytes: 1e6 });
  const client = { settings, send: () => new Promise(() => {}) } as never as NearClient;
  const { onResponse } = cache.onRequest([]);
  onResponse("e:0 0 new a");
  void cache.run(client, read("GET", "a"));
  const report = (sequence: number) => {
    const buckets = Array.from({ length: 512 }, (_, at) => ((sequence * 512 + at) % 16_384).toString(36));
    onResponse(`e:${sequence} 0 ${buckets.join()}`);
  };
  report(1);
  const growth = await growthOf(() => {
    for (let sequence = 2; sequence < 1_000; sequence++) report(sequence);
  });
  expect(growth).toBeLessThan(2e6);
});

test("at most 16 gateways are tracked, those of the last reports", () => {
  const cache = new LocalCache({ matches: () => true, maxStale: 2_000, maxBytes: 1e6 });
  for (let n = 0; n < 17; n++) cache.onRequest([]).onResponse(`e${n}:0 0 new a`);
  const tracked = cache.onRequest([]).header.split(",");
  expect([tracked.length, tracked[0]]).toEqual([16, "e1:0"]);
});

test("a read may miss a change by 2 s, and replies take 8 MB, by default", () => {
  expect(near({ match: "a" })).toMatchObject({ options: { maxStale: 2_000, maxBytes: 8_000_000 } });
});

test.each([
  [["JSON.GET", "a"], ["a"]],
  [["EVAL_RO", "return 1", "1", "a"], undefined],
  [["FCALL_RO", "f", "1", "a"], undefined],
  [["TS.GET", "a"], undefined],
])("%j is cached by the keys %j", (argv, keys) => {
  expect(cacheableKeys(read(...argv), () => true)).toEqual(keys);
});

test.each([
  ["one key each", 1, (key: string) => `${key} is short`],
  ["a hundred keys each", 100, (key: string) => key],
  ["text that takes two bytes for each character", 1, (key: string) => `\u{1f600}${key.repeat(100)}`],
])("replies take no more memory than maxBytes, about: %s", async (_name, count, textOf) => {
  const maxBytes = 3e6;
  const bulk = (key: string) => new TextBulk(Buffer.from(textOf(key)).toString());
  const client = {
    settings,
    send: async ({ argv, spec }: Command) =>
      argv[0] === "PTTL"
        ? -1
        : spec.reply(argv.slice(1).map((key) => bulk(key as string)) as never, String as never, {} as never),
    decode: () => undefined,
  } as never as NearClient;
  let next = 0;
  const fill = async () => {
    const cache = new LocalCache({ matches: () => true, maxStale: 2_000, maxBytes });
    while (cache.stats.dropped === 0) {
      const keys = Array.from({ length: count }, () => Buffer.from(`near:key:${next++}`).toString());
      await cache.run(client, read("MGET", ...keys));
    }
    return cache;
  };
  // The first one takes memory for compiled code, too.
  const caches = [await fill()];
  const growth = await growthOf(async () => {
    caches.push(await fill());
  });
  expect(caches.map(({ stats }) => stats.dropped)).toEqual([1, 1]);
  expect(growth).toBeLessThan(1.4 * maxBytes);
  expect(growth).toBeGreaterThan(0.6 * maxBytes);
});
