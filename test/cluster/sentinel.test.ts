import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisGroup, redisAvailable, startSentinels } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { gatewayAt, metric, pipeline, run, sleep, until } from "./support.js";

const passwords = { password: "of-redis", sentinelPassword: "of-sentinels" };

describe.skipIf(!redisAvailable()).each([
  ["a primary that Sentinels watch", {}],
  ["one for which passwords are wanted, as by the Sentinels", passwords],
])("%s", (_what, options) => {
  let group: RedisGroup;
  let gateway: Gateway;
  beforeAll(async () => {
    group = await startSentinels(options);
    gateway = await gatewayAt(group.url);
  });
  afterAll(async () => {
    await gateway?.close();
    await group?.stop();
  });

  it("is found, and replaced when it dies under load: clients see unsent or unknown, then go on", async () => {
    expect(await run(gateway, "SET", "k", "v")).toBe("OK");
    const acknowledged = new Set<string>();
    const errors = new Set<string>();
    let running = true;
    let killed = 0;
    let recovered = 0;
    const load = async (worker: number) => {
      for (let n = 0; running; n++) {
        const name = `w${worker}:${n}`;
        const [item, waited] = await pipeline(gateway, [
          ["SET", name, n],
          ["WAIT", 1, 1_000],
        ]);
        if (item!.error) errors.add(item!.error.split(" ")[0]!);
        else if (waited!.result >= 1) acknowledged.add(name);
        if (item!.result === "OK" && killed > 0 && performance.now() - killed > 1_000)
          recovered ||= performance.now();
      }
    };
    const loads = [load(1), load(2)];
    await sleep(500);
    killed = performance.now();
    await group.primary.kill();
    await until(() => recovered > 0, 30_000);
    await sleep(300);
    running = false;
    await Promise.all(loads);
    for (const code of errors) expect(["UNSENT", "UNKNOWNOUTCOME", "READONLY"]).toContain(code);
    expect(acknowledged.size).toBeGreaterThan(50);
    const names = [...acknowledged];
    const values = await pipeline(
      gateway,
      names.map((name) => ["EXISTS", name]),
    );
    expect(names.filter((_, at) => values[at]!.result !== 1)).toEqual([]);
    expect(await metric(gateway, "topology_changes_total")).toBe(1);
  }, 90_000);

  it("a group that they don't know is told by name", async () => {
    const other = await gatewayAt(group.url.replace("/main", "/nobody"), { operationTimeout: 500 });
    expect((await run(other, "GET", "k")).error).toMatch(/no group "nobody"/);
    await other.close();
  });

  if (options !== passwords) return;

  it("without the right passwords nothing is sent", async () => {
    for (const [right, wrong, text] of [
      ["of-redis", "wrong", /WRONGPASS/],
      [":of-redis@", "", /NOAUTH/],
      ["of-sentinels", "wrong", /no Sentinel said .*WRONGPASS/],
      ["?sentinelPassword=of-sentinels", "", /no Sentinel said .*NOAUTH/],
    ] as const) {
      const other = await gatewayAt(group.url.replace(right, wrong), { operationTimeout: 500 });
      expect(await run(other, "SET", "k", "stolen")).toEqual({
        status: 503,
        error: expect.stringMatching(text),
      });
      await other.close();
    }
  });
});
