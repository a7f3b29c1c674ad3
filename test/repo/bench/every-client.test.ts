import { afterAll, beforeAll, expect, test } from "vitest";
import { findRedisServer } from "warmline-testbed";
import type { BenchClient } from "../../../bench/src/client/bench-client.js";
import { clients } from "../../../bench/src/registry.js";
import { type Rig, startRig } from "../../../bench/src/rig/rig.js";

const all = await clients();
const stops: (() => unknown)[] = [];
let rig: Rig;
beforeAll(async () => {
  const options = { rttMs: 0, tls: false, redis: findRedisServer() !== undefined };
  rig = await startRig(options, (stop) => stops.unshift(stop));
  await rig.command("SET", "short", "abc");
});
const { fetch } = globalThis;
afterAll(async () => {
  // Clients without keep-alive replace it.
  globalThis.fetch = fetch;
  for (const stop of stops) await stop();
});

async function expectReads({ connect }: BenchClient) {
  for (const keepAlive of [true, false]) {
    const client = connect({ ...rig.direct, keepAlive });
    expect([await client.get("short"), await client.get("missing")]).toEqual(["abc", null]);
    expect((await client.pipeline(["missing", "short"])).at(-1)).toBe("abc");
    expect((await client.pipeline(["short", "missing"])).at(-1)).toBe(null);
    const bytes = (await client.bytes("short")) as string | Uint8Array;
    expect(Buffer.from(bytes as string).toString()).toBe("abc");
    await client.close();
  }
}

test.each(all.filter(({ protocol }) => protocol === "http"))(
  "the client $name reads a value, and null for a missing key",
  expectReads,
);

test.each(all.filter(({ protocol }) => protocol === "tcp"))(
  "the client $name reads a value, and null for a missing key",
  { tags: "redis-server" },
  expectReads,
);

test.each(all.filter(({ protocol }) => protocol === "http"))(
  "the client $name opens a connection for each command without keep-alive",
  async (each) => {
    const site = await rig.at({});
    const client = each.connect({ ...site.endpoint, keepAlive: false });
    for (const key of ["short", "missing", "short"]) await client.get(key);
    await client.close();
    expect(site.proxyOf(each).connectionsOpened).toBe(3);
  },
);
