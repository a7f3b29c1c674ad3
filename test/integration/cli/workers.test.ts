import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "warmline-testbed";
import { type EngineServer, startEngineServer } from "../../support/engine-server.js";
import { readToEnd } from "../../support/read-to-end.js";
import { CliProcess } from "./cli-process.js";

const WORKERS = 2;

let gateway: CliProcess;
let url: string;
let token: string;

async function begin(...args: string[]): Promise<void> {
  gateway = new CliProcess(["--port", "0", "--workers", String(WORKERS), ...args]);
  url = (await gateway.printed(/^warmline-gateway ready (\S+)$/m))[1]!;
  token = (await gateway.printed(/^WARMLINE_TOKEN=(\S+)$/m))[1]!;
}

/** Sends a request on a connection of its own, so that every worker gets its share. */
const ask = (path: string, body?: unknown[]) =>
  fetch(url + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, connection: "close" },
    ...(body && { body: JSON.stringify(body) }),
  });
/** The pids of a gateway's workers. It needs /proc of Linux. */
const workers = ({ child: { pid } } = gateway) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
/** Asks /ready. Returns the status, or the code of the error. */
const readiness = () =>
  ask("/ready").then(
    ({ status }) => status,
    ({ cause }) => cause.code,
  );

describe("--workers", () => {
  let redis: EngineServer;
  beforeAll(async () => {
    redis = await startEngineServer();
    await begin("--redis", redis.url);
  });
  afterAll(async () => {
    await gateway?.stop();
    await redis?.stop();
  });

  test("workers share one port, one token, one Redis and the metrics", async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => ask("/", ["INCR", "n"])));
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await (await ask("/get/n")).json()).toEqual({ result: "12" });
    let [metrics, reads] = ["", 0];
    const read = async () => {
      reads++;
      metrics = await (await ask("/metrics")).text();
      return metrics;
    };
    // A worker counts a response once it has been sent.
    await expect.poll(read).toMatch(/^warmline_gateway_responses_total\{route="command",status="200"\} 13$/m);
    expect(metrics).toMatch(new RegExp(`^warmline_gateway_requests_total ${13 + reads}$`, "m"));
    expect(metrics).toMatch(/^warmline_gateway_request_duration_seconds_count\{route="command"\} 13$/m);
    expect(metrics).toMatch(/^warmline_gateway_request_size_bytes_sum\{route="command"\} 144$/m);
    expect(metrics).toMatch(/^warmline_gateway_request_size_bytes_bucket\{le="64",route="command"\} 13$/m);
    expect(metrics).toMatch(/^warmline_gateway_upstream_duration_seconds_count\{route="command"\} 13$/m);
    expect(metrics).toMatch(/^warmline_gateway_commands_total\{command="INCR"\} 12$/m);
    expect(metrics).toMatch(/^warmline_gateway_command_duration_seconds_count\{command="INCR"\} 12$/m);
    expect(metrics).toMatch(/^warmline_gateway_token_requests_total\{token="main"\} 13$/m);
    // Each of them has a connection to Redis.
    expect(metrics).toContain(`warmline_gateway_upstream_connections{use="shared"} ${WORKERS}\n`);
  });

  /** Waits until all workers run and are connected. */
  async function recovered(): Promise<void> {
    await expect.poll(workers, { timeout: 10_000 }).toHaveLength(WORKERS);
    await expect
      .poll(async () => (await ask("/metrics")).text(), { timeout: 10_000 })
      .toContain(`warmline_gateway_upstream_connections{use="shared"} ${WORKERS}\n`);
  }

  test("the list of commands states that it is of one worker of several", { tags: "full-run" }, async () => {
    const args = ["--redis", redis.url, "--port", "0", "--workers", "2", "--token", "t", "--console"];
    const other = new CliProcess(args);
    try {
      const [, at] = await other.printed(/^warmline-gateway ready (\S+)$/m);
      const { body } = await fetch(`${at}/console/commands`, { headers: { authorization: "Bearer t" } });
      const reader = body!.getReader();
      const { value } = await reader.read();
      expect(Buffer.from(value!).toString()).toMatch(/^event: workers\ndata: 2\n\n/);
      await reader.cancel();
    } finally {
      await other.stop();
    }
  });

  test("a worker that exits is replaced, and the others continue meanwhile", async () => {
    const before = workers();
    expect(before).toHaveLength(WORKERS);
    process.kill(before[0]!, "SIGKILL");
    await gateway.printed(/a worker exited \(SIGKILL\); a new one starts in 100 ms/, "stderr");
    expect((await ask("/get/n")).status).toBe(200);
    await recovered();
  });

  test("no counter decreases when workers are killed", { tags: "full-run" }, async () => {
    const counted = async (pattern: RegExp) =>
      Number(pattern.exec(await (await ask("/metrics")).text())?.[1]);
    const requests = () => counted(/^warmline_gateway_requests_total (\d+)$/m);
    const incremented = () => counted(/^warmline_gateway_commands_total\{command="INCR"\} (\d+)$/m);
    await Promise.all(Array.from({ length: 60 }, () => ask("/", ["INCR", "n"])));
    const sum = await incremented();
    let before = await requests();
    for (let round = 0; round < 2; round++) {
      const all = workers();
      process.kill(all[0]!, "SIGKILL");
      await expect.poll(() => workers().includes(all[0]!), { timeout: 10_000 }).toBe(false);
      for (let i = 0; i < 3; i++) {
        const now = await requests();
        expect(now).toBeGreaterThan(before);
        before = now;
        expect(await incremented()).toBe(sum);
      }
      await recovered();
    }
  });

  test("the limit of connections to Redis is shared by all workers", { tags: "full-run" }, async () => {
    const args = ["--redis", redis.url, "--port", "0", "--token", "t", "--workers", String(WORKERS)];
    const limits = ["--max-blocking-connections", String(WORKERS), "--command-timeout", "500ms"];
    const other = new CliProcess([...args, ...limits]);
    const [, at] = await other.printed(/^warmline-gateway ready (\S+)$/m);
    const headers = { authorization: "Bearer t", connection: "close" };
    const waiting = Array.from({ length: 3 * WORKERS }, () => fetch(`${at}/blpop/none/2`, { headers }));
    const statuses = (await Promise.all(waiting)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(WORKERS).fill(200), ...Array(2 * WORKERS).fill(503)]);
    await other.stop();
  });

  test("a worker that is just starting does not delay the exit after SIGTERM", {
    tags: "full-run",
  }, async () => {
    const args = ["--redis", redis.url, "--port", "0", "--workers", "2", "--shutdown-timeout", "20s"];
    const other = new CliProcess(args);
    await other.printed(/^warmline-gateway ready/m);
    const before = workers(other);
    process.kill(before[0]!, "SIGKILL");
    await expect
      .poll(() => workers(other).some((pid) => !before.includes(pid)), { timeout: 10_000 })
      .toBe(true);
    const begun = performance.now();
    expect(await other.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  test("a second SIGTERM ends the workers too, without the drain delay", { tags: "full-run" }, async () => {
    const args = ["--redis", redis.url, "--port", "0", "--workers", "2", "--drain-delay", "60s"];
    const other = new CliProcess(args);
    const ready = `${(await other.printed(/^warmline-gateway ready (\S+)$/m))[1]}/ready`;
    other.child.kill("SIGTERM");
    await expect
      .poll(async () => (await fetch(ready, { headers: { connection: "close" } })).status)
      .toBe(503);
    other.child.kill("SIGTERM");
    // The workers share its standard output, which closes when the last one has ended.
    expect(await other.ended).toBe(143);
  });

  test("the port is closed while no worker runs, and open again afterwards", {
    tags: "full-run",
  }, async () => {
    for (const pid of workers()) process.kill(pid, "SIGKILL");
    await expect.poll(readiness, { interval: 1 }).toBe("ECONNREFUSED");
    await expect.poll(readiness, { timeout: 10_000 }).toBe(200);
    await recovered();
  });

  test("the connections that a worker has not taken end with it", { tags: "full-run" }, async () => {
    const pids = workers();
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    const requests = Array.from({ length: 5 * WORKERS }, readiness);
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const pid of pids) process.kill(pid, "SIGKILL");
    const ends = await Promise.all(requests);
    expect(ends).toEqual(requests.map(() => expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/)));
    await expect.poll(() => ask("/ready").catch(() => ({ status: 0 }))).toMatchObject({ status: 200 });
    await recovered();
  });

  test("a client that has ended its side of the connection gets its response", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end(`GET /echo/half HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\{"result":"half"\}$/s);
  });

  test("workers serve TLS", { tags: "full-run" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "warmline-workers-"));
    const { cert, key, remove } = makeCertificate();
    const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    remove();
    const other = new CliProcess([
      ...["--redis", redis.url, "--port", "0", "--token", "t", "--workers", "2"],
      ...["--tls-cert", files.cert, "--tls-key", files.key],
    ]);
    try {
      const port = Number((await other.printed(/^warmline-gateway ready https:\S+:(\d+)$/m))[1]);
      for (let i = 0; i < 4; i++) {
        const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
        socket.end(
          "GET /ping HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nConnection: close\r\n\r\n",
        );
        expect(await text(socket)).toContain("PONG");
      }
    } finally {
      await other.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("a port error is reported once by several workers, without the drain delay", {
    tags: "full-run",
  }, async () => {
    const second = new CliProcess([
      ...["--redis", redis.url, "--port", new URL(url).port, "--workers", "2", "--drain-delay", "60s"],
    ]);
    expect(await second.ended).toBe(1);
    expect(second.stderr).toMatch(/^warmline-gateway: port: \d+ is in use on 127\.0\.0\.1; [^\n]*\n$/);
  });

  // The last one: it stops the gateway.
  test("large responses in progress at SIGTERM arrive whole, with every end of a body", async () => {
    const size = 12_000_000;
    expect((await ask("/", ["SETRANGE", "large", size - 1, "x"])).status).toBe(200);
    const heads = ["HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n", "HTTP/1.0\r\n"];
    const format = "Upstash-Response-Format: resp2";
    const sockets = await Promise.all(
      heads.map(async (head) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1");
        socket.write(
          `GET /get/large ${head}Host: localhost\r\n${format}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        );
        await new Promise((resolve) => socket.once("readable", resolve));
        return socket;
      }),
    );
    gateway.child.kill("SIGTERM");
    // The listener is closed first.
    await expect
      .poll(() =>
        ask("/ready").then(
          () => "open",
          () => "closed",
        ),
      )
      .toBe("closed");
    const sizes = await Promise.all(
      sockets.map(async (socket) => {
        const { received, tail } = await readToEnd(socket);
        return { isWhole: received > size, tail };
      }),
    );
    expect(sizes).toEqual([
      { isWhole: true, tail: "x\r\n\r\n0\r\n\r\n" },
      { isWhole: true, tail: "x\r\n\r\n0\r\n\r\n" },
      { isWhole: true, tail: `${"\0".repeat(7)}x\r\n` },
    ]);
    expect(await gateway.ended).toBe(0);
  });
});

test("workers share one private Redis, finish running requests and end blocking ones at SIGTERM", {
  tags: "redis-server",
}, async () => {
  await begin();
  await gateway.printed(/^engine: \S+ [\d.]+ \(started privately\)$/m);
  const result = async (path: string) => ((await (await ask(path)).json()) as { result: unknown }).result;
  const counted = [];
  for (let i = 0; i < 4; i++) counted.push(await result("/incr/n"));
  expect(counted).toEqual([1, 2, 3, 4]);
  // When it dies it is started again for all of them.
  process.kill(Number(/^process_id:(\d+)/m.exec(String(await result("/info/server")))![1]), "SIGKILL");
  await gateway.printed(/its data is lost; it is restarted in 100 ms/, "stderr");
  for (let i = 0; i < 4; i++) await expect.poll(() => result("/get/n"), { timeout: 10_000 }).toBe(null);
  const waiting = Array.from({ length: WORKERS }, () => ask("/", ["BLPOP", "none", "30"]));
  await expect
    .poll(async () => (await ask("/metrics")).text())
    .toContain(`warmline_gateway_upstream_connections{use="blocking"} ${WORKERS}\n`);
  gateway.child.kill("SIGTERM");
  const ended = await Promise.all(waiting);
  expect(ended.map(({ status }) => status)).toEqual(Array(WORKERS).fill(503));
  expect(ended.every(({ headers }) => headers.get("warmline-outcome") === "unsent")).toBe(true);
  expect(await gateway.ended).toBe(0);
  await expect(ask("/ready")).rejects.toThrow();
});

test("several processes can't share the embedded engine", async () => {
  const refused = new CliProcess(["--port", "0", "--workers", "2", "--engine", "embedded"]);
  expect(await refused.ended).toBe(2);
  expect(refused.stderr).toMatch(/--workers: several processes cannot share the embedded engine/);
});
