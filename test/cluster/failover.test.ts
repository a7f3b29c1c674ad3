import { describe, expect, test } from "vitest";
import { startCluster } from "warmline-testbed";
import { call } from "../integration/gateway/http.js";
import { sharedByTests } from "../support/lifetime.js";
import { gatewayAt, keyOfEachSlot, metric, pipeline, pipelineOf, run, sleep, until } from "./support.js";

// A primary dies under load. Its replica takes over after the cluster's own time; what was acknowledged by WAIT is there.

describe("a primary killed under load", { tags: "redis-server", retry: 0 }, () => {
  const keys = keyOfEachSlot().filter((_, slot) => slot % 64 === 0);
  const cluster = sharedByTests(() => startCluster({ nodeTimeoutMs: 2_000 }));
  const gateway = sharedByTests(() => gatewayAt(cluster.url));
  const replicas = sharedByTests(() => {
    const nodes = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join();
    return gatewayAt(`redis://${nodes}`, { readPolicy: "prefer-replica" });
  });

  test("a failover keeps acknowledged writes and ends within its timeout, and reads succeed throughout", async () => {
    const victim = cluster.nodes[0]!;
    await pipelineOf(gateway, keys, (key) => ["SET", `{${key}}r`, key]);
    await pipeline(gateway, [
      ["SET", keys[0], "0"],
      ["SET", keys[100], "0"],
      ["SET", keys[200], "0"],
      ["WAIT", 1, 5_000],
    ]);
    await until(async () => {
      const items = await pipelineOf(replicas, keys, (key) => ["GET", `{${key}}r`]);
      return items.every(({ result }, at) => result === keys[at]);
    });

    let running = true;
    const acknowledged = new Map<string, number>();
    const errors = new Set<string>();
    let lastError = 0;
    let recovered = 0;
    let killed = 0;
    const write = async (worker: number) => {
      for (let n = 1; running; n++) {
        const key = keys[(worker * 37 + n * 5) % keys.length]!;
        const name = `{${key}}w${worker}:${n}`;
        const isAfter = killed > 0;
        const [item, waited] = await pipeline(gateway, [
          ["SET", name, n],
          ["WAIT", 1, 1_000],
        ]);
        // On slots of the primary that died: its replica has taken over, and has no replica.
        if (isAfter && item!.result === "OK" && keys.indexOf(key) < 80) recovered ||= performance.now();
        if (item!.result === "OK" && waited!.result >= 1) acknowledged.set(name, n);
        else {
          if (item!.error) errors.add(item!.error.split(" ")[0]!);
          if (item!.error) lastError = performance.now();
        }
      }
    };
    let reads = 0;
    const badReads: unknown[] = [];
    const read = async () => {
      while (running) {
        const items = await pipelineOf(replicas, keys.slice(0, 50), (key) => ["GET", `{${key}}r`]);
        items.forEach((item, at) => {
          reads++;
          if (item.result !== keys[at]) badReads.push(item);
        });
      }
    };
    const load = [write(1), write(2), write(3), read()];
    await until(() => acknowledged.size > 100 && reads > 100);
    await victim.kill();
    killed = performance.now();
    await until(() => recovered > 0, 30_000);
    const back = recovered - killed;
    await sleep(1_500);
    running = false;
    await Promise.all(load);

    // The cluster's own time: the node's timeout, an election of up to some seconds, and our way of learning of it.
    expect(back).toBeLessThan(25_000);
    expect(lastError - killed).toBeLessThan(back + 10_000);
    // Unsent, or may have been applied: never a redirection.
    for (const code of errors) expect(["UNSENT", "UNKNOWNOUTCOME", "CLUSTERDOWN"]).toContain(code);
    expect(badReads.slice(0, 3)).toEqual([]);
    const names = [...acknowledged.keys()];
    const values = await pipelineOf(gateway, names, (name) => ["GET", name]);
    const missing = names.filter((name, at) => values[at]!.result !== String(acknowledged.get(name)));
    expect(missing).toEqual([]);
    expect(await metric(gateway, "upstream_ejections_total")).toBeGreaterThan(0);
    expect((await call(gateway, "/health")).status).toBe(200);
  }, 90_000);

  test("reads go to another node as soon as a replica is killed", async () => {
    await cluster.nodes[0]!.restart();
    await cluster.whenReady();
    await sleep(500);
    const victim = cluster.nodes[4]!;
    const items = () => pipelineOf(replicas, keys, (key) => ["GET", `{${key}}r`]);
    expect((await items()).every(({ result }, at) => result === keys[at])).toBe(true);
    await victim.kill();
    for (let round = 0; round < 20; round++) {
      const all = await items();
      expect(all.filter(({ result }, at) => result !== keys[at])).toEqual([]);
    }
    await victim.restart();
    await cluster.whenReady();
    expect(await run(replicas, "GET", `{${keys[0]}}r`)).toBe(keys[0]);
  }, 60_000);
});
