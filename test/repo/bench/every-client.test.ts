import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisAvailable } from "warmline-testbed";
import raw from "../../../bench/src/clients/raw.js";
import { clients } from "../../../bench/src/registry.js";
import { type Rig, startRig } from "../../../bench/src/rig/rig.js";

const all = await clients();
let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ rttMs: 0, tls: false, engine: "embedded", redis: redisAvailable() });
  await rig.command("SET", "short", "abc");
});
afterAll(() => rig.close());

test.each(all.map((client) => [client.name, client] as const))(
  "the client %s reads a value, and null for a missing key",
  async (_, { connect, protocol }) => {
    if (protocol === "tcp" && !redisAvailable()) return;
    for (const keepAlive of [true, false]) {
      const client = connect({ ...rig.direct, keepAlive });
      expect([await client.get("short"), await client.get("missing")]).toEqual(["abc", null]);
      expect((await client.pipeline(["missing", "short"])).at(-1)).toBe("abc");
      expect((await client.pipeline(["short", "missing"])).at(-1)).toBe(null);
      const bytes = (await client.bytes("short")) as string | Uint8Array;
      expect(Buffer.from(bytes as string).toString()).toBe("abc");
      await client.close();
    }
  },
);

describe("the client raw", () => {
  test("the client raw rejects on a connection that the server closed, and then connects again", async () => {
    const site = await rig.at({});
    const client = raw.connect({ ...site.endpoint, keepAlive: true });
    expect(await client.get("short")).toBe("abc");
    for (const connection of site.proxies[0]!.connections) connection.close();
    // Until the client has read the close.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(client.get("short")).rejects.toThrow(/closed|ECONNRESET/);
    expect(await client.get("short")).toBe("abc");
    await client.close();
    await site.close();
  });
});
