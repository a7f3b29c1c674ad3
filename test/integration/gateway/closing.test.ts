import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectRedis, startRedis } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { call } from "./http.js";
import { get, post, RawConnection } from "./raw-connection.js";

describe("a gateway that closes", { tags: "redis-server" }, () => {
  let gateway: Gateway;
  const server = sharedByTests(() => startRedis());
  const redis = sharedByTests(() => connectRedis({ path: server.path! }));
  beforeAll(async () => {
    await redis.command("ACL", "SETUSER", "plain", "on", ">pw", "~*", "+@all", "-client|unblock");
  });
  afterEach(() => redis.command("FLUSHALL"));
  const start = async (options: Partial<GatewayOptions> = {}) => {
    const plain = { name: "plain", token: "plain", user: { username: "plain", password: "pw" } };
    const tokens = [plain, { name: "other", token: "other" }];
    const common = { port: 0, redis: server.url, token: "t", tokens };
    gateway = forTest(await createGateway({ ...common, ...options }));
  };
  const open = (request?: string) => new RawConnection(gateway, request);
  const blocked = async () => Number(/^blocked_clients:(\d+)/m.exec(String(await redis.command("INFO")))![1]);

  test("a closing gateway reports it for the drain delay and continues to serve, each connection up to its response", async () => {
    await start({ drainDelay: 2_000 });
    const kept = open(get("/ready"));
    await expect.poll(kept.received).toMatch(/^HTTP\/1\.1 200 .*Connection: keep-alive.*"ready"/s);
    const silent = open();
    await sleep(50);
    const began = performance.now();
    let closed = false;
    const closing = gateway.close().then(() => {
      closed = true;
    });
    const fresh = open(get("/ready"));
    await expect.poll(fresh.received).toMatch(/^HTTP\/1\.1 503 .*Connection: close.*"closing"/s);
    expect(await fresh.closed).toBeUndefined();
    kept.socket.write(post(["SET", "k", "v"]));
    await expect.poll(kept.received).toMatch(/HTTP\/1\.1 200 [^{]*Connection: close[^{]*\{"result":"OK"\}$/);
    expect(await kept.closed).toBeUndefined();
    const waiting = open(post(["BLPOP", "none", "30"]));
    await expect.poll(blocked).toBe(1);
    silent.socket.write(post(["GET", "k"]));
    await expect.poll(silent.received).toContain('{"result":"v"}');
    expect(closed).toBe(false);
    await closing;
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_990);
    expect(waiting.received()).toMatch(/^HTTP\/1\.1 503 .*Warmline-Outcome: unsent/s);
    await expect(call(gateway, "/ready")).rejects.toThrow(/ECONNREFUSED/);
  });

  test("commands that Redis has not answered at the end of shutdownTimeout get a response with their outcome", async () => {
    const frozen = forTest(await startRedis());
    forTest({ close: () => process.kill(frozen.pid, "SIGCONT") });
    await start({ redis: frozen.url, shutdownTimeout: 200, redisConnections: 1 });
    const kept = open(get("/get/k"));
    await expect.poll(kept.received).toContain('{"result":null}');
    const blocking = open(post(["BLPOP", "list", "30"]));
    const blockedAt = async () => /^blocked_clients:1/m.test(String(await frozen.command("INFO")));
    await expect.poll(blockedAt).toBe(true);
    process.kill(frozen.pid, "SIGSTOP");
    kept.socket.write(post(["SET", "k", "v"]));
    const others = [
      open(post(["GET", "k"])),
      open(post([["INCR", "a"]], { path: "/multi-exec" })),
      open(post([["INCR", "a"]], { path: "/pipeline" })),
    ];
    const unfinished = open(post(["GET", "k"]).slice(0, -2));
    await sleep(100);
    // When this request, the last one, has its response, the gateway has read the others.
    await call(gateway, "/metrics");
    await gateway.close();
    expect(kept.received()).toMatch(/HTTP\/1\.1 503 [^{]*Connection: close[^{]*Warmline-Outcome: unknown/);
    expect(blocking.received()).toMatch(/^HTTP\/1\.1 503 .*Connection: close.*Warmline-Outcome: unknown/s);
    const [read, transaction, pipeline] = others.map(({ received }) => received()) as [
      string,
      string,
      string,
    ];
    expect(read).toMatch(/^HTTP\/1\.1 503 .*Warmline-Outcome: unknown/s);
    expect(transaction).toMatch(/^HTTP\/1\.1 503 .*Warmline-Outcome: (unsent|unknown)/s);
    expect(pipeline).toMatch(/\[\{"error":"UNKNOWNOUTCOME [^"]*"\}\]$/);
    const errors = [kept, blocking, ...others].map(({ closed }) => closed);
    expect(await Promise.all(errors)).toEqual(errors.map(() => undefined));
    expect(unfinished.received()).toBe("");
  });

  test("a closing gateway refuses new blocking commands and those queued for a connection", async () => {
    await start({ maxBlockingConnections: 1 });
    const first = open(post(["BLPOP", "list", "30"]));
    await expect.poll(blocked).toBe(1);
    const second = open(post(["BLPOP", "list", "30"], { token: "other" }));
    await sleep(100);
    // When this request, the last one, has its response, the gateway has read the others.
    await call(gateway, "/metrics");
    await gateway.close();
    for (const each of [first, second]) {
      expect(each.received()).toMatch(/^HTTP\/1\.1 503 .*Warmline-Outcome: unsent\r\n/s);
    }
  });
});

test("a closing gateway ends the blocking commands of the embedded engine within shutdownTimeout", async () => {
  const gateway = await createGateway({ port: 0, engine: "embedded", token: "t", shutdownTimeout: 1_000 });
  const waits = ["0", "30"].map((timeout) => call(gateway, "/", { body: ["BLPOP", "list", timeout] }));
  await expect
    .poll(async () => (await call(gateway, "/metrics")).text)
    .toContain('warmline_gateway_upstream_connections{use="blocking"} 2\n');
  const began = performance.now();
  await gateway.close();
  expect(performance.now() - began).toBeLessThan(5_000);
  const outcomes = (await Promise.all(waits)).map(({ status, headers }) => [
    status,
    headers["warmline-outcome"],
  ]);
  expect(outcomes).toEqual([
    [503, "unsent"],
    [503, "unsent"],
  ]);
});
