import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePorts } from "warmline-testbed";
import { isFullRun } from "../../support/random-tests.js";
import { CliProcess } from "./cli-process.js";

/** A Redis that holds its replies back until {@link release} is called. */
class HeldRedis {
  readonly #server: Server;
  #held: (() => void)[] | null = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        const replies = "+OK\r\n".repeat(chunk.toString("latin1").match(/^\*\d+\r\n/gm)!.length);
        if (this.#held) this.#held.push(() => socket.write(replies));
        else socket.write(replies);
      });
    });
  }

  static async start(): Promise<HeldRedis> {
    const server = createServer({ noDelay: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new HeldRedis(server);
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with the next connection. */
  connected(): Promise<unknown> {
    return once(this.#server, "connection");
  }

  release(): void {
    for (const write of this.#held ?? []) write();
    this.#held = null;
  }

  close(): void {
    this.#server.close();
  }
}

describe("a signal during the start", () => {
  let redis: HeldRedis;
  let started: CliProcess | undefined;
  beforeEach(async () => {
    redis = await HeldRedis.start();
  });
  afterEach(async () => {
    redis.release();
    started?.child.kill("SIGKILL");
    await started?.ended;
    redis.close();
  });

  // Six processes take a while to start.
  const workers = isFullRun ? [1, 6] : [1];
  const signals = (["SIGTERM", "SIGINT"] as const).flatMap((signal) =>
    workers.map((count) => [signal, count] as const),
  );
  test.each(signals)(
    "%s with --workers %i lets a request finish, and the status is 0",
    async (signal, workers) => {
      const [port] = await freePorts(1);
      started = new CliProcess([
        "--redis",
        redis.url,
        "--token",
        "t",
        "--port",
        String(port),
        "--workers",
        String(workers),
      ]);
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
    },
  );

  test("a command that has not begun is not run", async () => {
    const connected = redis.connected();
    started = new CliProcess(["--redis", redis.url, "--token", "t", "--port", "0", "--", "echo", "it ran"]);
    await connected;
    started.child.kill("SIGTERM");
    expect(await started.ended).toBe(143);
    expect(started.stdout).toBe("");
    expect(started.stderr).not.toContain("ready");
  });
});
