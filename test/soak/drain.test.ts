import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RedisServer, startRedis } from "warmline-testbed";
import { CliProcess } from "../integration/cli/cli-process.js";
import { readToEnd } from "../support/read-to-end.js";

const WORKERS = 3;
/** Long enough for all requests of the test on a busy machine, in ms. */
const DRAIN_DELAY = 5_000;
const SHUTDOWN_TIMEOUT = 20_000;
/** Several times what the kernel's buffers on loopback hold. */
const SIZE = 24_000_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A whole response, or the code of the error that a request failed with. */
interface Result {
  readonly status: number;
  readonly connection: string | undefined;
  readonly outcome: string | undefined;
  readonly text: string;
  readonly failure: string | null;
}

describe("--drain-delay with --workers", { tags: "redis-server" }, () => {
  let redis: RedisServer;
  let gateway: CliProcess;
  let port: number;
  const agents: Agent[] = [];
  const sockets: Socket[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    await redis.command("SETRANGE", "large", SIZE - 1, "x");
    gateway = new CliProcess([
      ...["--redis", redis.url, "--port", "0", "--token", "t", "--workers", String(WORKERS)],
      ...[
        "--drain-delay",
        `${DRAIN_DELAY}ms`,
        "--shutdown-timeout",
        `${SHUTDOWN_TIMEOUT}ms`,
        "--log-requests",
        "--log-level",
        "info",
      ],
    ]);
    port = Number((await gateway.printed(/ready http:\/\/127\.0\.0\.1:(\d+)/))[1]);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    for (const agent of agents) agent.destroy();
    await gateway?.stop();
    await redis?.stop();
  });

  /** Sends a request. Without an agent, on a connection of its own that asks to be kept. */
  function send(path: string, body?: unknown, agent = keepAlive()): Promise<Result> {
    return new Promise((resolve) => {
      const method = body === undefined ? "GET" : "POST";
      const headers = { authorization: "Bearer t" };
      const failed = ({ code }: NodeJS.ErrnoException) =>
        resolve({
          status: 0,
          connection: undefined,
          outcome: undefined,
          text: "",
          failure: code ?? "unknown",
        });
      const sent = request({ port, host: "127.0.0.1", path, method, headers, agent }, (response) => {
        let text = "";
        response.setEncoding("latin1").on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", failed);
        response.on("end", () => {
          const { connection, "warmline-outcome": outcome } = response.headers;
          const status = response.statusCode!;
          resolve({ status, connection, outcome: outcome as string | undefined, text, failure: null });
        });
      });
      sent.on("error", failed);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  function keepAlive(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    return agent;
  }

  /** The workers that have logged a request with this route and status. */
  const loggedBy = (route: string, status: number) =>
    new Set(
      gateway.stderr
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line))
        .filter((line) => line.route === route && line.status === status)
        .map(({ pid }) => pid as number),
    );

  test("each worker reports that it is closing and serves until the delay is over, and no request is lost", {
    retry: 0,
    timeout: 90_000,
  }, async () => {
    const { pid } = gateway.child;
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
    expect(workers).toHaveLength(WORKERS);
    const each = Array.from({ length: 4 * WORKERS });
    const ready = await Promise.all(each.map(() => send("/ready")));
    expect(ready.map(({ status }) => status)).toEqual(each.map(() => 200));
    const kept = each.map(keepAlive);
    const before = await Promise.all(kept.map((agent) => send("/incr/kept", undefined, agent)));
    expect(before.map(({ connection }) => connection)).toEqual(each.map(() => "keep-alive"));
    const blocked = each.map((_, at) => send("/", ["BLPOP", `list${at}`, 60]));
    const blockedClients = async () =>
      Number(/^blocked_clients:(\d+)/m.exec(String(await redis.command("INFO")))![1]);
    await expect.poll(blockedClients).toBe(each.length);
    // A reader that takes nothing until the drain delay is over.
    const slow = connect(port, "127.0.0.1");
    sockets.push(slow);
    slow.write(
      "GET /get/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nUpstash-Response-Format: resp2\r\n\r\n",
    );
    await new Promise((resolve) => slow.once("readable", resolve));

    // Clients that continue until the listener is closed, on one connection after another.
    const results: Result[] = [];
    let refusedAt = 0;
    const load = async () => {
      for (let agent = keepAlive(); ; ) {
        const result = await send("/incr/load", undefined, agent);
        if (result.failure === "ECONNREFUSED") {
          refusedAt ||= performance.now();
          return;
        }
        results.push(result);
        if (result.connection !== "keep-alive") agent = keepAlive();
        await sleep(5);
      }
    };
    const loads = [load(), load(), load()];
    await expect.poll(() => results.length).toBeGreaterThan(20);

    const began = performance.now();
    gateway.child.kill("SIGTERM");
    const closing = {
      status: 503,
      connection: "close",
      failure: null,
      text: expect.stringContaining('"closing"'),
    };
    await expect.poll(() => send("/ready")).toMatchObject(closing);
    for (const { status, connection, text } of await Promise.all(each.map(() => send("/ready"))))
      expect({ status, connection, text, failure: null }).toMatchObject(closing);
    await expect.poll(() => [...loggedBy("ready", 503)].sort()).toEqual([...workers].sort());
    // A connection from before is served once more, and ends.
    const after = await Promise.all(kept.map((agent) => send("/incr/kept", undefined, agent)));
    expect(after).toEqual(each.map(() => expect.objectContaining({ status: 200, connection: "close" })));

    await Promise.all(loads);
    expect(refusedAt - began).toBeGreaterThanOrEqual(DRAIN_DELAY - 10);
    // A connection that arrives while the port is closed is served, or ends: none waits for the slow reader.
    expect(performance.now() - began).toBeLessThan(DRAIN_DELAY + SHUTDOWN_TIMEOUT / 2);
    // The kernel resets those that it has not yet passed on when the port closes.
    const unserved = results.filter(({ status }) => status !== 200);
    expect(unserved).toEqual(unserved.map(() => expect.objectContaining({ failure: "ECONNRESET" })));
    for (const { status, outcome, text } of await Promise.all(blocked))
      expect([status, outcome, text]).toEqual([
        503,
        "unsent",
        expect.stringContaining("the gateway is closing"),
      ]);
    const { received, tail } = await readToEnd(slow);
    expect({ received, isWhole: received > SIZE, tail }).toEqual({
      received,
      isWhole: true,
      tail: "x\r\n\r\n0\r\n\r\n",
    });
    expect(await gateway.ended).toBe(0);

    // Each command that was applied has a whole response.
    const applied = results.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text).result);
    expect(Number(await redis.command("GET", "load"))).toBe(applied.length);
    expect(new Set(applied).size).toBe(applied.length);
    expect(Number(await redis.command("GET", "kept"))).toBe(2 * each.length);
  });
});
