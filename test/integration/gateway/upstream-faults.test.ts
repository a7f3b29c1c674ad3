import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import {
  type FakeAction,
  type FakeCommand,
  type FakeRedis,
  freePorts,
  startFakeRedis,
} from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { commands } from "../../support/commands.js";
import { forTest } from "../../support/lifetime.js";
import { call, type GatewayResponse } from "./http.js";

const TWICE = commands("INCR n", "INCR n");
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let fake: FakeRedis;
let gateway: Gateway;

/** Starts a Redis whose replies `decide` tampers with, and a gateway before it. PING and INFO are never tampered with. */
async function start(
  decide: (command: FakeCommand) => FakeAction | undefined = () => undefined,
  {
    password,
    redisPort,
    ...options
  }: Partial<GatewayOptions> & { password?: string; redisPort?: number | undefined } = {},
): Promise<void> {
  const reply = (command: FakeCommand) =>
    command.name === "PING" || command.name === "INFO" ? undefined : decide(command);
  fake = forTest(await startFakeRedis(reply, redisPort === undefined ? {} : { port: redisPort }));
  const redis = password ? fake.url.replace("://", `://:${password}@`) : fake.url;
  const common = { redis, port: 0, commandTimeout: 300, shutdownTimeout: 0 };
  gateway = forTest(await createGateway({ ...common, ...options }));
}

const send = (...words: string[]) => call(gateway, "/", { body: words });

const expectOutcome = ({ status, headers }: GatewayResponse, expected: number, outcome: string) =>
  expect([status, headers["warmline-outcome"]]).toEqual([expected, outcome]);

/** Waits until the gateway has noticed that its connection to Redis has ended. */
const noticed = () => expect.poll(() => gateway.problem).toMatch(/cannot be reached/);

describe("a reply lost with its connection", () => {
  test.each(["close", "reset", { cut: 2 }] as const)("a command is not repeated after %j", async (action) => {
    await start(({ name, times }) => (name === "INCR" && times <= 2 ? action : undefined));
    for (let i = 1; i <= 2; i++) {
      const response = await send("INCR", "n");
      expectOutcome(response, 502, "unknown");
      expect(response.json.error).toMatch(/connection to Redis was lost/);
      expect(fake.count("INCR")).toBe(i);
    }
    expect((await send("INCR", "n")).json).toEqual({ result: 3 });
    await sleep(100);
    expect(fake.count("INCR")).toBe(3);
  });

  test("only the commands without a reply are unknown", async () => {
    await start(({ args }) => (args[1] === "bad" ? "close" : undefined));
    const body = ["a", "bad", "c"].map((text) => ["ECHO", text]);
    const { status, json } = await call(gateway, "/pipeline", { body });
    const unknown = { error: expect.stringMatching(/^UNKNOWNOUTCOME /) };
    expect([status, json]).toEqual([200, [{ result: "a" }, unknown, unknown]]);
    expect(fake.applied.filter(({ args }) => args[1] === "bad")).toHaveLength(1);
  });

  test("the unwritten rest of a batch that lost a reply is unsent, and does not run in its place", async () => {
    await start(({ args }) => (args[2] === "400" ? "close" : undefined));
    const body = Array.from({ length: 1_600 }, (_, at) => ["SET", "key", String(at)]);
    const { json } = await call(gateway, "/pipeline", { body });
    const outcomes: string[] = json.map(({ error }: { error?: string }) => error?.split(" ")[0] ?? "OK");
    const firstOf = (outcome: string) => outcomes.indexOf(outcome);
    expect(firstOf("UNKNOWNOUTCOME")).toBe(400);
    expect(firstOf("UNSENT")).toBeGreaterThan(400);
    expect(outcomes.lastIndexOf("OK")).toBe(399);
    expect(outcomes.lastIndexOf("UNKNOWNOUTCOME")).toBe(firstOf("UNSENT") - 1);
    expect(Number((await send("GET", "key")).json.result)).toBeLessThan(firstOf("UNSENT"));
  });

  test("a RESP2 batch that lost a reply is well-formed", async () => {
    await start(() => "close");
    const headers = { "upstash-response-format": "resp2" };
    const response = await call(gateway, "/pipeline", { body: [["INCR", "n"]], headers });
    expect(response.text).toMatch(/^\*1\r\n-UNKNOWNOUTCOME [^\r\n]+\r\n$/);
  });

  test("a transaction that lost its reply is unknown, and not run again", async () => {
    await start(({ name }) => {
      if (name === "EXEC") return "close";
      return { bytes: name === "INCR" ? "+QUEUED\r\n" : "+OK\r\n" };
    });
    const response = await call(gateway, "/multi-exec", { body: TWICE });
    expectOutcome(response, 502, "unknown");
    await sleep(100);
    expect(fake.count("EXEC")).toBe(1);
  });
});

test("a late reply is consumed in its place while another waits behind it", async () => {
  await start(({ args }) => (args[1] === "first" ? { late: 1_100 } : undefined), { commandTimeout: 1_000 });
  const first = send("ECHO", "first");
  await sleep(700);
  const second = send("ECHO", "second");
  expect((await first).status).toBe(504);
  expect((await second).json).toEqual({ result: "second" });
});

describe("no connection", () => {
  test("a command without a connection is unsent within commandTimeout, and not sent later", async () => {
    const [port] = await freePorts(1);
    await start(undefined, { redisPort: port });
    await fake.close();
    await noticed();
    const began = performance.now();
    const response = await send("INCR", "n");
    expect(performance.now() - began).toBeLessThan(3_000);
    expectOutcome(response, 503, "unsent");
    expect(response.headers["retry-after"]).toBe("1");
    expect(response.json.error).toMatch(/could not be reached: ECONNREFUSED/);
    const batch = await call(gateway, "/pipeline", { body: TWICE });
    expect(batch.status).toBe(200);
    const unsent = { error: expect.stringMatching(/^UNSENT /) };
    expect(batch.json).toEqual([unsent, unsent]);
    expectOutcome(await call(gateway, "/multi-exec", { body: TWICE }), 503, "unsent");
    expectOutcome(await send("BLPOP", "l", "1"), 503, "unsent");
    const health = await call(gateway, "/health");
    expect(health.status).toBe(503);
    expect(health.json.status).toBe("down");

    const received: string[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        received.push(chunk.toString());
        socket.write("+PONG\r\n");
      });
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    await expect.poll(() => received.length, { timeout: 5_000 }).toBeGreaterThan(0);
    await sleep(200);
    expect(received.join("")).not.toContain("INCR");
    await gateway.close();
    await new Promise((resolve) => server.close(resolve));
  });

  test("a command of a disconnected client is not sent", async () => {
    let refuse = false;
    await start(({ name }) => (refuse && name === "AUTH" ? "close" : undefined), {
      password: "secret",
      commandTimeout: 3_000,
    });
    // A Redis that was never reached is not waited for.
    await send("PING");
    refuse = true;
    fake.resetConnections();
    await noticed();
    const abort = new AbortController();
    const gone = call(gateway, "/", { body: ["INCR", "gone"], signal: abort.signal });
    const rejected = expect(gone).rejects.toThrow();
    const pending = async () =>
      /^warmline_gateway_upstream_queued_commands 1$/m.test((await call(gateway, "/metrics")).text);
    await expect.poll(pending).toBe(true);
    // A client that ends its side right after its request may still want the response.
    await sleep(100);
    abort.abort();
    await rejected;
    refuse = false;
    expect((await send("INCR", "here")).json).toEqual({ result: 1 });
    const increments = fake.applied.filter(({ name }) => name === "INCR");
    expect(increments.map(({ args }) => args[1])).toEqual(["here"]);
  });
});

describe("bytes that are not a response", () => {
  test("malformed bytes in place of a reply close the connection, and the command is unknown", async () => {
    await start(({ connection }) =>
      connection === 1 ? { bytes: "HTTP/1.1 400 Bad Request\r\n\r\n" } : undefined,
    );
    const response = await send("INCR", "n");
    expectOutcome(response, 502, "unknown");
    expect((await send("INCR", "n")).json).toEqual({ result: 2 });
    expect(fake.connectionsOpened).toBe(2);
  });

  test("unexpected bytes never become a reply", async () => {
    await start(({ connection }) =>
      connection === 1 ? { bytes: "$5\r\nfirst\r\n$6\r\nsecret\r\n" } : undefined,
    );
    expect((await send("ECHO", "first")).json).toEqual({ result: "first" });
    expect((await send("ECHO", "other")).json).toEqual({ result: "other" });
    expect(fake.connectionsOpened).toBe(2);
  });

  test("malformed bytes are distinguished from a reply that is too large", async () => {
    await start(
      ({ args }) => (args[1] === "big" ? { bytes: `$5000\r\n${"x".repeat(5_000)}\r\n` } : undefined),
      {
        maxReplySize: 1_000,
      },
    );
    const [big, small] = await Promise.all([send("ECHO", "big"), send("ECHO", "small")]);
    expect(big.status).toBe(502);
    expect(big.json.error).toMatch(/larger than the setting maxReplySize/);
    expect(small.json).toEqual({ result: "small" });
    expect(fake.connectionsOpened).toBe(1);
  });
});

test("commands above maxQueuedCommands are refused as unsent", async () => {
  await start(() => "lose", { maxQueuedCommands: 10, commandTimeout: 2_000 });
  const waiting = Array.from({ length: 10 }, () => send("GET", "k"));
  await expect.poll(() => fake.count("GET")).toBe(10);
  const response = await send("GET", "k");
  expectOutcome(response, 503, "unsent");
  expect(response.headers["retry-after"]).toBe("1");
  for (const each of await Promise.all(waiting)) expect(each.status).toBe(504);
});
