import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePorts } from "warmline-testbed";
import { startServer } from "../../support/start-server.js";
import { CliProcess } from "./cli-process.js";

/** Starts a Redis that holds its replies back until `release` is called. */
async function startHeldRedis() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", async (chunk) => {
      await released;
      socket.write("+OK\r\n".repeat(chunk.toString("latin1").match(/^\*\d+\r\n/gm)!.length));
    });
  });
  const { port, close } = await startServer(server);
  return { url: `redis://127.0.0.1:${port}`, connected: once(server, "connection"), release, close };
}

describe("a signal during the start", () => {
  let redis: Awaited<ReturnType<typeof startHeldRedis>>;
  let started: CliProcess | undefined;
  beforeEach(async () => {
    redis = await startHeldRedis();
  });
  afterEach(async () => {
    redis.release();
    started?.child.kill("SIGKILL");
    await started?.ended;
    await redis.close();
  });

  test.each(["SIGTERM", "SIGINT"] as const)("%s lets a request finish; the status is 0", async (signal) => {
    const [port] = await freePorts(1);
    started = new CliProcess(["--redis", redis.url, "--token", "t", "--port", String(port)]);
    const url = `http://127.0.0.1:${port}`;
    const isOpen = () =>
      fetch(url, { method: "DELETE" }).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpen).toBe(true);
    const body = JSON.stringify(["SET", "k", "v"]);
    const headers = { authorization: "Bearer t", expect: "100-continue", "content-length": body.length };
    const req = request(url, { method: "POST", headers });
    const response = once(req, "response") as Promise<[IncomingMessage]>;
    req.flushHeaders();
    await once(req, "continue");
    started.child.kill(signal);
    req.end(body);
    redis.release();
    const [res] = await response;
    expect([res.statusCode, await text(res)]).toEqual([200, '{"result":"OK"}']);
    expect(await started.ended).toBe(0);
  });

  test("a command that has not begun is not run", async () => {
    started = new CliProcess(["--redis", redis.url, "--token", "t", "--port", "0", "--", "echo", "it ran"]);
    await redis.connected;
    started.child.kill("SIGTERM");
    expect(await started.ended).toBe(143);
    expect(started.stdout).toBe("");
    expect(started.stderr).not.toContain("ready");
  });
});

test("a terminal that closes stops the gateway as SIGTERM does, though it sends SIGHUP twice", async () => {
  const started = new CliProcess(["--engine", "embedded", "--port", "0", "--drain-delay", "2s"]);
  const [, url] = await started.printed(/^warmline-gateway ready (\S+)$/m);
  started.child.kill("SIGHUP");
  const ready = async () => (await fetch(`${url}/ready`)).text();
  await expect.poll(ready).toContain("closing");
  started.child.kill("SIGHUP");
  expect(await started.ended).toBe(0);
});

test("a second signal ends the process at once", async () => {
  const started = new CliProcess(["--engine", "embedded", "--port", "0", "--drain-delay", "1m"]);
  const [, url] = await started.printed(/^warmline-gateway ready (\S+)$/m);
  started.child.kill("SIGTERM");
  const ready = async () => (await fetch(`${url}/ready`)).text();
  await expect.poll(ready).toContain("closing");
  started.child.kill("SIGTERM");
  expect(await started.ended).toBe(143);
});
