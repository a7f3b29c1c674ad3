import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type FakeCommand, type FakeRedis, startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { call, metric } from "./http.js";
import { RawConnection } from "./raw-connection.js";

const KB = 1024;
const MB = 1024 * KB;

let fake: FakeRedis;
let gateway: Gateway;

/** Starts a gateway with a budget of 4 MB by default, in front of a Redis that never replies to SET and MULTI. */
async function start(options: GatewayOptions = {}): Promise<void> {
  const reply = ({ name }: FakeCommand) => (/^(SET|MULTI)$/.test(name) ? { late: 60_000 } : undefined);
  fake = forTest(await startFakeRedis(reply));
  const common: GatewayOptions = {
    redis: fake.url,
    port: 0,
    token: "t",
    shutdownTimeout: 0,
    logLevel: "silent",
  };
  const limits = { maxBufferedBytes: 4 * MB, commandTimeout: 30_000 };
  gateway = forTest(await createGateway({ ...common, ...limits, ...options }));
}

const metrics = async () => (await call(gateway, "/metrics")).text;
const buffered = () => metric(gateway, "buffered_bytes");

/** Sends bytes of a request. */
function send(token: string, length: number, body: string, path = "/") {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${length}\r\n\r\n`;
  return new RawConnection(gateway, head + body).socket;
}

const BODY = JSON.stringify(["SET", "k", "x".repeat(200 * KB)]);

test.each([
  ["command", "/", BODY],
  ["pipeline", "/pipeline", `[${BODY}]`],
  ["transaction", "/multi-exec", `[${BODY}]`],
])("a %s counts until it has a reply or fails, even if its client has left", async (_, path, body) => {
  await start();
  const sent = Array.from({ length: 3 }, () => send("t", body.length, body, path));
  await expect.poll(metrics).toMatch(/_commands_total\{command="SET"\} 3\n/);
  // A client that ends its side sooner may still want the response.
  await sleep(100);
  for (const socket of sent) socket.destroy();
  await expect.poll(metrics).toMatch(/status="none"\} 3\n/);
  expect(await buffered()).toBeGreaterThanOrEqual(3 * 2 * body.length);
  fake.resetConnections();
  await expect.poll(buffered).toBe(0);
});

test("a body that is read only to be dropped is not kept", async () => {
  await start();
  const sent = Array.from({ length: 20 }, () => send("wrong", 60 * KB, "x".repeat(30 * KB)));
  await sleep(100);
  expect(await buffered()).toBe(0);
  for (const socket of sent) socket.write("x".repeat(30 * KB));
  await expect.poll(metrics).toMatch(/status="401"\} 20\n/);
});

test("a chunked body that does not fit is refused at once, as unsent", async () => {
  await start();
  send("t", MB, "[");
  await expect.poll(buffered).toBe(2 * MB);
  const began = performance.now();
  const headers = { authorization: "Bearer t" };
  const request = { method: "POST", headers, body: new Blob([BODY]).stream(), duplex: "half" } as RequestInit;
  const { status, headers: received } = await fetch(gateway.url, request);
  expect([status, received.get("warmline-outcome"), received.get("retry-after")]).toEqual([
    503,
    "unsent",
    "1",
  ]);
  // A body of known length would wait for 5 s.
  expect(performance.now() - began).toBeLessThan(4_000);
});

test("a body that can't fit in maxBufferedBytes is refused as too large, without Retry-After", async () => {
  await start();
  const { status, json, headers } = await call(gateway, "/", { body: ["SET", "k", "x".repeat(1.5 * MB)] });
  expect([status, json.error]).toEqual([
    413,
    `ERR the request is larger than ${MB} bytes, which is all that fits (setting maxBufferedBytes)`,
  ]);
  expect(headers["retry-after"]).toBeUndefined();
  expect((await call(gateway, "/", { body: ["ECHO", "x".repeat(MB - 100)] })).status).toBe(200);
});

test.each([
  ["/", 40 * KB],
  ["/multi-exec", 400 * KB],
])("a reply to %s that does not fit in maxBufferedBytes is 503, its outcome unknown", async (path, size) => {
  await start({ redis: undefined, engine: "embedded", maxBufferedBytes: 32 * KB });
  const command = ["EVAL", "return string.rep('x', ARGV[1])", 0, size];
  const { status, headers } = await call(gateway, path, { body: path === "/" ? command : [command] });
  expect([status, headers["warmline-outcome"]]).toEqual([503, "unknown"]);
  expect((await call(gateway, "/", { body: ["PING"] })).status).toBe(200);
});
