import { describe, expect, test } from "vitest";
import { startSentinels } from "warmline-testbed";
import { commands } from "../support/commands.js";
import { forTest, sharedByTests } from "../support/lifetime.js";
import { gatewayAt, metric, pipeline, pipelineOf, run, sleep, transaction, until } from "./support.js";

describe("a primary that Sentinels watch, with passwords for both", { tags: "redis-server" }, () => {
  const group = sharedByTests(() =>
    startSentinels({ password: "of-redis", sentinelPassword: "of-sentinels" }),
  );
  const gateway = sharedByTests(() => gatewayAt(group.url));

  test("the primary is found, and replaced when it dies under load: clients get unsent or unknown, then continue", async () => {
    expect(await run(gateway, "SET", "k", "v")).toBe("OK");
    const acknowledged = new Set<string>();
    const errors = new Set<string>();
    let running = true;
    let killed = false;
    let recovered = false;
    const load = async (worker: number) => {
      for (let n = 0; running; n++) {
        const name = `w${worker}:${n}`;
        const isAfter = killed;
        const [item, waited] = await pipeline(gateway, [
          ["SET", name, n],
          ["WAIT", 1, 1_000],
        ]);
        if (item!.error) errors.add(item!.error.split(" ")[0]!);
        else if (waited!.result >= 1) acknowledged.add(name);
        if (item!.result === "OK" && isAfter) recovered = true;
      }
    };
    const loads = [load(1), load(2)];
    await until(() => acknowledged.size > 50);
    await group.primary.kill();
    killed = true;
    await until(() => recovered, 60_000);
    await sleep(300);
    running = false;
    await Promise.all(loads);
    for (const code of errors) expect(["UNSENT", "UNKNOWNOUTCOME", "READONLY"]).toContain(code);
    const names = [...acknowledged];
    const values = await pipelineOf(gateway, names, (name) => ["EXISTS", name]);
    expect(names.filter((_, at) => values[at]!.result !== 1)).toEqual([]);
    expect(await metric(gateway, "topology_changes_total")).toBe(1);
  }, 90_000);

  test("an unknown group is named in the error", async () => {
    const url = group.url.replace("/main", "/nobody");
    const other = forTest(await gatewayAt(url, { commandTimeout: 500 }));
    await expect.poll(async () => (await run(other, "GET", "k")).error).toMatch(/no group "nobody"/);
  });

  test("the gateway sends nothing without the right passwords", async () => {
    for (const [right, wrong, text] of [
      ["of-redis", "wrong", /WRONGPASS/],
      [":of-redis@", "", /NOAUTH/],
      ["of-sentinels", "wrong", /no Sentinel returned .*WRONGPASS/],
      ["?sentinelPassword=of-sentinels", "", /no Sentinel returned .*NOAUTH/],
    ] as const) {
      const other = forTest(await gatewayAt(group.url.replace(right, wrong), { commandTimeout: 500 }));
      const refused = { status: 503, error: expect.stringMatching(text) };
      await expect.poll(() => run(other, "SET", "k", "stolen")).toEqual(refused);
    }
  });
});

describe("commands while there is no primary", { tags: "redis-server" }, () => {
  test("commands of every kind wait for the next primary within their timeout", async () => {
    const group = forTest(await startSentinels());
    const gateway = forTest(await gatewayAt(group.url, { commandTimeout: 20_000 }));
    await run(gateway, "SET", "k", "v");
    await pipeline(gateway, commands("RPUSH list a", "WAIT 1 1000"));
    await group.primary.kill();
    const impatient = forTest(await gatewayAt(group.url, { commandTimeout: 300 }));
    const [set, get, batch, waited, ran, popped, refused] = await Promise.all([
      run(gateway, "SET", "a", 1),
      run(gateway, "GET", "k"),
      pipeline(gateway, commands("SET b 1", "INCR b")),
      pipeline(gateway, commands("SET c 1", "WAIT 0 10")),
      transaction(gateway, commands("SET d 1", "INCR d")),
      run(gateway, "BLPOP", "list", 5),
      transaction(impatient, [["SET", "e", 1]]),
    ]);
    expect([set, get]).toEqual(["OK", "v"]);
    expect(batch).toEqual([{ result: "OK" }, { result: 2 }]);
    expect(waited).toEqual([{ result: "OK" }, { result: expect.any(Number) }]);
    expect(ran.json).toEqual([{ result: "OK" }, { result: 2 }]);
    expect(popped).toEqual(["list", "a"]);
    expect(refused.status).toBe(503);
    expect(refused.headers["warmline-outcome"]).toBe("unsent");
    expect(await run(gateway, "EXISTS", "e")).toBe(0);
  }, 60_000);
});
