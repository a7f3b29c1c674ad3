import { describe, expect, test } from "vitest";
import { type RedisCluster, startCluster, startRedis } from "warmline-testbed";
import { CliProcess } from "../integration/cli/cli-process.js";
import { commands as commandsOf } from "../support/commands.js";
import { forTest } from "../support/lifetime.js";
import { type Item, keyOfEachSlot, until } from "./support.js";

// Commands that block at Redis when the gateway gets SIGTERM, before each kind of deployment.

/** Sends a command to one server. */
type Send = (...args: (string | number)[]) => Promise<unknown>;

/** The servers behind a gateway. */
interface Deployment {
  readonly url: string;
  /** Keys that spread over all primaries. */
  readonly keys: readonly string[];
  /** The server that has a key. */
  of(key: string): Send;
  /** All servers that take writes. */
  readonly primaries: readonly Send[];
  /** Ends the server of the first key as a machine that dies. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const KEYS = 9;

async function oneRedis(): Promise<Deployment> {
  const { url, command, kill, stop } = await startRedis();
  const keys = Array.from({ length: KEYS }, (_, at) => `k${at}`);
  return { url, keys, of: () => command, primaries: [command], kill, stop };
}

async function cluster(): Promise<Deployment> {
  const { url, nodes, stop }: RedisCluster = await startCluster();
  const bySlot = keyOfEachSlot();
  const keys = Array.from({ length: KEYS }, (_, at) => bySlot[Math.floor(((at + 0.5) * 16_384) / KEYS)]!);
  const primaries = nodes.filter(({ role }) => role === "primary").map(({ command }) => command);
  return {
    url,
    keys,
    primaries,
    of: (key) => primaries[Math.floor((bySlot.indexOf(key) * primaries.length) / 16_384)]!,
    kill: () => nodes[0]!.kill(),
    stop,
  };
}

const deployments: [name: string, start: () => Promise<Deployment>][] = [
  ["one Redis", oneRedis],
  ["a cluster", cluster],
];

describe.each(deployments)("SIGTERM before %s", { tags: "redis-server" }, (_name, startDeployment) => {
  let deployment: Deployment;
  let gateway: CliProcess;
  let url: string;

  async function start(...flags: string[]): Promise<void> {
    deployment = forTest(await startDeployment());
    await startGateway(deployment.url, ...flags);
  }

  async function startGateway(redis: string, ...flags: string[]): Promise<void> {
    gateway = forTest(new CliProcess(["--redis", redis, "--port", "0", "--token", "t", ...flags]));
    url = (await gateway.printed(/^warmline-gateway ready (\S+)$/m))[1]!;
  }

  /** Sends a request on a connection of its own. */
  async function post(body: unknown, path = "/", token = "t") {
    const headers = { authorization: `Bearer ${token}`, connection: "close" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const { status } = response;
    return {
      status,
      outcome: response.headers.get("warmline-outcome"),
      json: (await response.json()) as any,
    };
  }

  async function blocked(): Promise<number> {
    const counts = await Promise.all(
      deployment.primaries.map(async (send) =>
        Number(/^blocked_clients:(\d+)/m.exec(String(await send("INFO", "clients")))![1]),
      ),
    );
    return counts.reduce((sum, count) => sum + count);
  }

  test("a gateway ends blocking commands of every kind with 503, as not applied, and exits with 0", async () => {
    await start("--shutdown-timeout", "20s");
    const { keys, of } = deployment;
    const [k0, k1, k2, k3, k4, k5, k6, k7, k8] = keys as readonly string[];
    await of(k4!)("XGROUP", "CREATE", k4!, "group", "$", "MKSTREAM");
    const commands = [
      ["BLPOP", k0, "60"],
      ["BRPOP", k1, "0"],
      ["BLMOVE", k2, `{${k2}}to`, "LEFT", "LEFT", "0"],
      ["XREAD", "BLOCK", "0", "STREAMS", k3, "$"],
      ["XREADGROUP", "GROUP", "group", "me", "BLOCK", "60000", "STREAMS", k4, ">"],
      ["BZPOPMIN", k5, "0"],
      ["BLMPOP", "60", "1", k6, "LEFT"],
    ];
    const single = commands.map((command) => post(command));
    const several = commandsOf(`SET {${k7}}a 1`, `BLPOP ${k7} 60`, `INCR {${k7}}a`, `BRPOP ${k8} 60`);
    const mixed = post(several, "/pipeline");
    const waits = post(commandsOf(`SET {${k7}}b 1`, "WAIT 9 0"), "/pipeline");
    await until(async () => (await blocked()) >= commands.length + 2);
    gateway.child.kill("SIGTERM");
    for (const [at, response] of (await Promise.all(single)).entries()) {
      expect([commands[at]![0], response]).toMatchObject([
        commands[at]![0],
        {
          status: 503,
          outcome: "unsent",
          json: { error: expect.stringContaining("the gateway is closing") },
        },
      ]);
    }
    const unsent = { error: expect.stringMatching(/^UNSENT .*the gateway is closing/) };
    expect((await mixed).json).toEqual([{ result: "OK" }, unsent, { result: 2 }, unsent]);
    const [set, waited] = (await waits).json as Item[];
    expect(set).toEqual({ result: "OK" });
    // The number of replicas that have the write by now.
    expect([0, 1]).toContain(waited!.result);
    expect(await gateway.ended).toBe(0);
    expect(await blocked()).toBe(0);
    // None of them takes an element any more.
    for (const key of [k0, k1, k2, k6, k7, k8] as string[]) expect(await of(key)("RPUSH", key, "x")).toBe(1);
    expect(await of(k5!)("ZADD", k5!, 1, "m")).toBe(1);
    expect(await of(k5!)("ZCARD", k5!)).toBe(1);
  }, 60_000);

  test("a command that Redis does not let the gateway unblock has an unknown outcome", async () => {
    deployment = forTest(await startDeployment());
    const { keys, of, primaries } = deployment;
    for (const send of primaries)
      await send("ACL", "SETUSER", "plain", "on", ">pw", "~*", "&*", "+@all", "-client|unblock");
    const redis = deployment.url.replace("://", "://plain:pw@");
    await startGateway(redis, "--shutdown-timeout", "2s");
    const waiting = keys.slice(0, 4).map((key) => post(["BLPOP", key, 60]));
    await until(async () => (await blocked()) >= waiting.length);
    gateway.child.kill("SIGTERM");
    for (const { status, outcome } of await Promise.all(waiting))
      expect({ status, outcome }).toEqual({ status: 503, outcome: "unknown" });
    expect(await gateway.ended).toBe(0);
    await until(async () => (await blocked()) === 0);
    expect(await of(keys[0]!)("RPUSH", keys[0]!, "x")).toBe(1);
  }, 60_000);

  test("commands that wait for a server get 503 as not applied, or the reply of the next one", async () => {
    await start("--shutdown-timeout", "1s");
    const { keys, kill } = deployment;
    const key = keys[0]!;
    expect((await post(["SET", key, "v"])).status).toBe(200);
    await kill();
    const blocking = [
      post(["BLPOP", `{${key}}list`, 30]),
      post(["XREAD", "BLOCK", 0, "STREAMS", `{${key}}s`, "$"]),
    ];
    const others = [post(["SET", key, "w"]), post(["GET", key]), post([["SET", key, "x"]], "/multi-exec")];
    let settled = 0;
    for (const response of [...blocking, ...others]) void response.then(() => settled++);
    // A command that found a single server gone fails at once.
    const active = /^warmline_gateway_connections\{state="active"\} (\d+)$/m;
    await until(async () => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer t" } });
      // One of them is that of this request.
      return Number(active.exec(await response.text())![1]) + settled > blocking.length + others.length;
    });
    gateway.child.kill("SIGTERM");
    const unsent = { status: 503, outcome: "unsent" };
    for (const response of await Promise.all(blocking)) expect(response).toMatchObject(unsent);
    for (const response of await Promise.all(others)) {
      // The next primary may have come in time.
      if (response.status !== 200) expect(response).toMatchObject(unsent);
    }
    expect(await gateway.ended).toBe(0);
  }, 60_000);
});
