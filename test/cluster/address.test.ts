import { once } from "node:events";
import { connect, createServer } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { freePorts, type RedisServer, startRedis } from "warmline-testbed";
import type { Gateway, GatewayOptions } from "../../gateway/src/index.js";
import { call } from "../integration/gateway/http.js";
import { commands } from "../support/commands.js";
import { forTest } from "../support/lifetime.js";
import { gatewayAt, metric, pipeline, run, sleep, transaction, until } from "./support.js";

// A failover behind an address that stays, such as that of a cloud's endpoint or of a service of Kubernetes.

describe("one address that leads to a primary, and later to another one", { tags: "redis-server" }, () => {
  let servers: RedisServer[];
  let target: RedisServer;
  let url: string;
  let gateway: Gateway;

  beforeEach(async () => {
    const flags = ["--repl-diskless-sync-delay", "0"];
    servers = await Promise.all([1, 2].map(() => startRedis({ listen: "tcp", flags })));
    for (const server of servers) forTest(server);
    target = servers[0]!;
    await follow(servers[1]!, servers[0]!);
    const forwarder = createServer((client) => {
      const server = connect(target.port!, "127.0.0.1");
      client.pipe(server).pipe(client);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        one.on("error", () => {});
        one.on("close", () => other.destroy());
      }
    });
    const [port] = await freePorts(1);
    await once(forTest(forwarder).listen(port, "127.0.0.1"), "listening");
    url = `redis://127.0.0.1:${port}`;
  });

  const start = async (options: Partial<GatewayOptions> = {}) => {
    gateway = forTest(await gatewayAt(url, { commandTimeout: 20_000, ...options }));
  };

  /** Makes a server the replica of another, and waits until it has its data. */
  async function follow(replica: RedisServer, primary: RedisServer): Promise<void> {
    await replica.command("REPLICAOF", "127.0.0.1", primary.port!);
    await until(async () => String(await replica.command("INFO", "replication")).includes("link_status:up"));
  }

  /** The primary and its replica change their roles without losing a write. The address still leads to the former primary. */
  async function failOver(): Promise<void> {
    await servers[0]!.command("FAILOVER");
    await until(async () => String(await servers[1]!.command("ROLE")).startsWith("master"));
    await until(async () => String(await servers[0]!.command("ROLE")).startsWith("slave"));
  }

  test("commands of every kind wait for the new primary: no write is lost or doubled, and no client sees READONLY", async () => {
    await start();
    const users = [1, 2, 3, 4];
    const done = { single: 0, pipeline: 0, transaction: 0, script: 0 };
    const errors: unknown[] = [];
    let running = true;
    const load = async (kind: keyof typeof done, work: () => Promise<unknown>) => {
      while (running) {
        const result = await work();
        if (typeof result === "number") done[kind]++;
        else errors.push(result);
      }
    };
    const script = 'redis.call("GET", "x"); return redis.call("INCR", KEYS[1])';
    const [both, one] = [commands("INCR pipeline", "GET x"), commands("INCR transaction")];
    const loads = users.flatMap(() => [
      load("single", () => run(gateway, "INCR", "single")),
      load("pipeline", async () => (await pipeline(gateway, both))[0]!.result),
      load("transaction", async () => (await transaction(gateway, one)).json[0]?.result),
      load("script", () => run(gateway, "EVAL", script, 1, "script")),
    ]);
    const popped = run(gateway, "BLPOP", "queue", 20);
    await until(() => Object.values(done).every((count) => count > 20));
    await failOver();
    await sleep(700);
    const before = { ...done };
    target = servers[1]!;
    await until(() =>
      Object.entries(done).every(([kind, count]) => count > before[kind as keyof typeof done] + 20),
    );
    running = false;
    await Promise.all(loads);
    expect(errors).toEqual([]);
    for (const [kind, count] of Object.entries(done)) {
      expect(Number(await servers[1]!.command("GET", kind)), kind).toBe(count);
    }
    await run(gateway, "RPUSH", "queue", "x");
    expect(await popped).toEqual(["queue", "x"]);
    expect(await metric(gateway, "topology_changes_total")).toBe(1);
    // At the former primary, only the connection that runs CLIENT LIST is left.
    const clients = async () =>
      String(await servers[0]!.command("CLIENT", "LIST", "TYPE", "normal"))
        .trim()
        .split("\n");
    await expect.poll(clients).toHaveLength(1);
  }, 60_000);

  test("while there is no primary, commands fail as unsent after their time, and the gateway is not ready", async () => {
    await start({ commandTimeout: 1_000 });
    expect(await run(gateway, "SET", "k", "v")).toBe("OK");
    await failOver();
    const ready = () => call(gateway, "/ready");
    for (const refused of [
      await call(gateway, "/", { body: ["INCR", "n"] }),
      await transaction(gateway, [["INCR", "n"]]),
      await call(gateway, "/", { body: ["EVAL", 'return redis.call("INCR", KEYS[1])', 1, "n"] }),
    ]) {
      expect(refused.status).toBe(503);
      expect(refused.headers).toMatchObject({ "warmline-outcome": "unsent", "retry-after": "1" });
    }
    expect((await pipeline(gateway, [["INCR", "n"]]))[0]!.error).toMatch(/^UNSENT .*READONLY/);
    expect(await run(gateway, "GET", "k")).toBe("v");
    const { status, json } = await ready();
    expect([status, json.reason]).toEqual([503, expect.stringMatching(/refuses commands: READONLY/)]);
    target = servers[1]!;
    await expect.poll(async () => (await ready()).status).toBe(200);
    expect(await run(gateway, "INCR", "n")).toBe(1);
  }, 30_000);

  test("a number is run once across a move, and its reply is given to no copy that another process may have run", async () => {
    await start();
    const send = async (number?: string) => {
      const response = await fetch(`${gateway.url}${number ? `/n/${number}` : ""}/`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.token}` },
        body: JSON.stringify(["INCR", "n"]),
      });
      const { result } = (await response.json()) as { result?: number };
      return { status: response.status, result, instance: response.headers.get("warmline-instance") };
    };
    await until(async () => (await send()).instance !== null);
    const { instance, result } = await send();
    const number = `${instance}.a.0.1.5`;
    expect(await send(number)).toMatchObject({ status: 200, result: result! + 1 });
    expect(await send(number)).toMatchObject({ status: 200, result: result! + 1 });
    await failOver();
    const waiting = send(`${instance}.b.0.1.5`);
    await sleep(300);
    target = servers[1]!;
    // The gateway may have found out by itself that it is at a replica. Then it refuses earlier numbers.
    const { status } = await waiting;
    expect([200, 412]).toContain(status);
    // While the gateway moved, another one may have assumed that it had ended.
    await until(async () => (await send(number)).status === 412);
    expect(Number(await servers[1]!.command("GET", "n"))).toBe(result! + (status === 200 ? 2 : 1));
    await until(async () => (await send()).instance !== null);
  }, 60_000);

  test("a gateway at a replica offers no numbers", async () => {
    target = servers[1]!;
    await start();
    // One at a primary offers them after 3 s.
    for (let n = 0; n < 20; n++) {
      expect((await call(gateway, "/get/k")).headers["warmline-instance"]).toBeUndefined();
      await sleep(200);
    }
  });
});
