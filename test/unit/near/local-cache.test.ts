import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Command } from "../../../src/execution/command.js";
import type { NearClient } from "../../../src/execution/near-hooks.js";
import { LocalCache } from "../../../src/near/local-cache.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const get = (key: string) =>
  ({
    ...{ argv: ["GET", key], args: [key], write: false, bytes: false, wait: undefined },
    ...{ codec: { text: true }, spec: { name: "GET" } },
  }) as never as Command;

test("a read without a response does not let the reports of others pile up in memory", () => {
  const cache = new LocalCache({ matches: () => true, maxStale: 2_000, maxBytes: 1e6 });
  const settings = { near: true, timeout: 1_000 };
  const client = { settings, send: () => new Promise(() => {}) } as never as NearClient;
  const { onResponse } = cache.onRequest([]);
  onResponse("e:0 0 new a");
  void cache.run(client, get("a"));
  const report = (sequence: number) => {
    const buckets = Array.from({ length: 512 }, (_, at) => ((sequence * 512 + at) % 16_384).toString(36));
    onResponse(`e:${sequence} 0 ${buckets.join()}`);
  };
  report(1);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let sequence = 2; sequence < 1_000; sequence++) report(sequence);
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2e6);
});
