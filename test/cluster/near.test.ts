import { describe, expect, test } from "vitest";
import { type ClusterNode, connectRedis, startCluster, startSentinels } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { call } from "../integration/gateway/http.js";
import { forTest, sharedByTests } from "../support/lifetime.js";
import { failOver, gatewayAt, slotOf, until } from "./support.js";

/** The report in a response: its state, and the buckets that have changed, `*`, or `new` and the prefixes. */
async function report(gateway: Gateway, given: string): Promise<{ state: string; changes: string }> {
  const { headers } = await call(gateway, "/", { body: ["PING"], headers: { "Warmline-Near": given } });
  const [state = "", , ...changes] = String(headers["warmline-near"]).split(" ");
  return { state, changes: changes.join(" ") };
}

/** A report that knows of every change, as soon as there is one: tracking pauses while the nodes of a cluster change. */
async function settledReport(gateway: Gateway, given: string): Promise<{ state: string; changes: string }> {
  let settled = { state: "off", changes: "" };
  await until(async () => {
    settled = await report(gateway, given);
    return settled.state !== "off";
  });
  return settled;
}

/** A report of an epoch other than `before`. */
async function newEpoch(gateway: Gateway, before = "none"): Promise<string> {
  let state = "";
  await until(async () => {
    ({ state } = await report(gateway, `verify,${before}`));
    return state !== "off" && state.split(":")[0] !== before.split(":")[0];
  });
  return state;
}

const bucket = (key: string) => slotOf(key).toString(36);

describe("reports of changes in a cluster", { tags: "redis-server" }, () => {
  const options = { nearPrefix: ["near:"], logLevel: "silent" } as const;
  // One of the tests kills a primary.
  const cluster = sharedByTests(() => startCluster({ nodeTimeoutMs: 3_000 }));
  const gateway = sharedByTests(() => gatewayAt(cluster.url, options));

  /** Keys with the prefix that a node serves now. */
  async function keysAt(node: ClusterNode, count: number): Promise<string[]> {
    const keys: string[] = [];
    for (let i = 0; keys.length < count; i++) {
      const value = await node.command("GET", `near:${i}`).catch(() => undefined);
      if (value !== undefined) keys.push(`near:${i}`);
    }
    return keys;
  }

  test("a report that verifies has the acknowledged changes of every node", async () => {
    let state = await newEpoch(gateway);
    let listed = 0;
    for (const node of cluster.nodes.slice(0, 3)) {
      for (const key of await keysAt(node, 40)) {
        await node.command("SET", key, "1");
        const { changes, state: next } = await report(gateway, `verify,${state}`);
        // The nodes of a young cluster may still agree on their epochs, which begins one here too.
        if (next.split(":")[0] === state.split(":")[0]) {
          expect(changes).toBe(bucket(key));
          listed++;
        }
        state = next === "off" ? await newEpoch(gateway) : next;
      }
    }
    expect(listed).toBeGreaterThan(60);
  });

  test("changes at a primary without slots are reported before a slot is its own", async () => {
    const [from] = cluster.nodes as [ClusterNode];
    const empty = cluster.nodes[5]!;
    let state = await newEpoch(gateway);
    await empty.command("CLUSTER", "RESET", "HARD");
    for (const node of cluster.nodes.slice(0, 5)) {
      const listed = String(await node.command("CLUSTER", "NODES"));
      for (const line of listed.split("\n")) {
        if (line.includes(`:${empty.port}@`)) await node.command("CLUSTER", "FORGET", line.split(" ")[0]!);
      }
    }
    // A replica left, so the primaries are the same, and with the new one there are as many nodes as before.
    await empty.command("CLUSTER", "MEET", "127.0.0.1", from.port);
    const id = String(await empty.command("CLUSTER", "MYID"));
    for (const node of cluster.nodes.slice(0, 5)) {
      await until(async () => {
        const listed = String(await node.command("CLUSTER", "NODES"));
        return listed.includes(`${id} 127.0.0.1`) && !listed.includes("handshake");
      });
    }
    await until(async () => String(await empty.command("CLUSTER", "INFO")).includes("cluster_state:ok"));
    const [key] = (await keysAt(from, 1)) as [string];
    const slot = slotOf(key);
    await from.command("DEL", key);
    // From here on a report can only be one that knows of the new node.
    state = await newEpoch(gateway, state);
    await empty.command("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id);
    await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", id);
    const connection = await connectRedis({ port: empty.port });
    await connection.command("ASKING");
    await connection.command("SET", key, "moved");
    connection.close();
    const { changes, state: next } = await settledReport(gateway, `verify,${state}`);
    expect([bucket(key), "new near%3A"]).toContain(changes);
    await empty.command("CLUSTER", "SETSLOT", slot, "NODE", id);
    for (const node of cluster.nodes.slice(0, 3)) {
      await node.command("CLUSTER", "SETSLOT", slot, "NODE", id);
    }
    await newEpoch(gateway, next);
    expect((await call(gateway, "/", { body: ["GET", key] })).json.result).toBe("moved");
  }, 120_000);

  test("a new primary begins a new epoch, whether the old one died or was replaced in order", async () => {
    let state = await newEpoch(gateway);
    const replica = cluster.nodes[3]!;
    await until(async () => String(await replica.command("ROLE")).includes("connected"));
    await failOver(replica);
    // Until the primaries list the new one, a write there may be missed.
    const promoted = new RegExp(`^${replica.id} \\S+ (?:myself,)?master`, "m");
    for (const node of cluster.nodes.slice(0, 3)) {
      await until(async () => promoted.test(String(await node.command("CLUSTER", "NODES"))));
    }
    state = await newEpoch(gateway, state);
    const [key] = (await keysAt(replica, 1)) as [string];
    await until(async () => {
      const reply = await replica.command("SET", key, "1");
      return reply === "OK";
    });
    expect((await settledReport(gateway, `verify,${state}`)).changes).toMatch(
      new RegExp(`^(${bucket(key)}|new near%3A)$`),
    );
    state = await newEpoch(gateway);
    await replica.kill();
    await newEpoch(gateway, state);
  }, 120_000);
});

describe("reports of changes behind Sentinels", { tags: "redis-server" }, () => {
  test("a new primary begins a new epoch", async () => {
    const group = forTest(await startSentinels());
    const options = { nearPrefix: ["near:"], logLevel: "silent" } as const;
    const gateway = forTest(await gatewayAt(group.url, options));
    const state = await newEpoch(gateway);
    await call(gateway, "/", { body: ["SET", "near:a", "1"] });
    expect((await report(gateway, `verify,${state}`)).changes).toBe(bucket("near:a"));
    await group.primary.kill();
    const later = await newEpoch(gateway, state);
    await call(gateway, "/", { body: ["SET", "near:a", "2"] });
    expect((await report(gateway, `verify,${later}`)).changes).toBe(bucket("near:a"));
  }, 90_000);
});
