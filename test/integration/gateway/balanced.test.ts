import { connect, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { Redis, UnknownOutcomeError } from "warmline";
import { startCluster, startGatewayProcess } from "warmline-testbed";
import { sharedByTests } from "../../support/lifetime.js";
import { type StartedServer, startServer } from "../../support/start-server.js";

/** A balancer for TCP: each connection goes to the next gateway that takes it. */
async function balance(ports: readonly number[]): Promise<StartedServer> {
  let next = 0;
  const server = createServer({ noDelay: true }, (client) => {
    client.on("error", () => {});
    const dial = (left: number) => {
      const behind = connect({ host: "127.0.0.1", port: ports[next++ % ports.length]!, noDelay: true });
      let isConnected = false;
      behind.once("connect", () => {
        isConnected = true;
        client.pipe(behind).pipe(client);
        for (const [one, other] of [
          [client, behind],
          [behind, client],
        ] as const) {
          one.on("close", () => other.destroy());
        }
      });
      behind.on("error", () => {
        if (!isConnected && left > 0) dial(left - 1);
        else client.destroy();
      });
    };
    dial(ports.length - 1);
  });
  return startServer(server);
}

describe("two gateways behind a balancer, over one cluster", { tags: "redis-server" }, () => {
  const token = "one-for-both";
  const cluster = sharedByTests(() => startCluster());
  const start = () =>
    startGatewayProcess({ args: ["--redis", cluster.url], env: { WARMLINE_GATEWAY_TOKEN: token } });
  const gateways = [sharedByTests(start), sharedByTests(start)];
  const balancer = sharedByTests(() => balance(gateways.map(({ port }) => port)));
  const redis = sharedByTests(async () => {
    const url = `http://127.0.0.1:${balancer.port}`;
    return new Redis({ url, token, enableAutoPipelining: false, maxConnections: 8 });
  });

  const keys = Array.from({ length: 40 }, (_, index) => `balanced:${index}`);

  test("two gateways share the load, every write is applied once, and connections to Redis do not grow with clients", async () => {
    for (let round = 0; round < 5; round++) await Promise.all(keys.map((key) => redis.incr(key)));
    expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual(keys.map(() => 5));
    for (const gateway of gateways) {
      expect(await gateway.metric("warmline_gateway_requests_total")).toBeGreaterThan(20);
      const shared = await gateway.metric('warmline_gateway_upstream_connections{use="shared"}');
      // One to each primary.
      expect(shared).toBeGreaterThan(0);
      expect(shared).toBeLessThanOrEqual(3);
    }
  });

  test("a gateway that dies fails its writes with their outcome, and the other continues; exactly-once ones are repeated there", async () => {
    const key = "balanced:after";
    const once = redis.with({ writes: "exactly-once", timeout: 20_000 });
    let repeated = 0;
    const repeat = async () => {
      for (let n = 0; n < 50; n++) {
        await once.incr("balanced:once");
        repeated++;
      }
    };
    let applied = 0;
    let unknown = 0;
    const write = async () => {
      for (let n = 0; n < 50; n++) {
        try {
          await redis.incr(key);
          // In the middle, however fast this machine is.
          if (++applied === 100) process.kill(gateways[0]!.pid, "SIGKILL");
        } catch (error) {
          expect(error).toBeInstanceOf(UnknownOutcomeError);
          unknown++;
        }
      }
    };
    // On all connections, some of which lead to the gateway that dies.
    await Promise.all(Array.from({ length: 8 }, () => Promise.all([write(), repeat()])));
    expect(await redis.get("balanced:once")).toBe(repeated);
    await redis.incr(key);
    const sum = await redis.get<number>(key);
    expect(sum).toBeGreaterThanOrEqual(applied + 1);
    expect(sum).toBeLessThanOrEqual(applied + 1 + unknown);
    expect(await redis.get("balanced:0")).toBe(5);
  });
});
