import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { sharedEngine } from "./engines.js";
import { call, metric, run } from "./http.js";
import { post, RawConnection } from "./raw-connection.js";

const engine = sharedEngine();
let gateway: Gateway;
const start = async (options: Partial<GatewayOptions> = {}) => {
  gateway = forTest(await createGateway({ engine, port: 0, token: "t", ...options }));
};
const open = () => new RawConnection(gateway);
const responses = (text: string) => [...text.matchAll(/\{"(?:result|error)":[^}]*\}/g)].map(([body]) => body);

describe("what is not HTTP", () => {
  test.each([
    ["garbage", "\x16\x03\x01\x02\0\x01\0\0", "400"],
    ["RESP", "*1\r\n$4\r\nPING\r\n", "400"],
    ["no method", "/get/k HTTP/1.1\r\n\r\n", "400"],
    ["no Host", "GET /get/k HTTP/1.1\r\n\r\n", "400"],
    ["a target that is too long", `GET /${"x".repeat(20_000)} HTTP/1.1\r\n`, "414"],
    ["too many headers", `GET / HTTP/1.1\r\nHost: localhost\r\n${"a:b\r\n".repeat(100)}\r\n`, "431"],
    ["a head without end", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}`, "431"],
    [
      "a length beyond sense",
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999999999999\r\n\r\n",
      "413",
    ],
    ["an unknown method", "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", "501"],
    ["another version", "GET / HTTP/1.2\r\nHost: localhost\r\n\r\n", "505"],
    ["another expectation", "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\n\r\n", "417"],
  ])("%s gets %3$s and the connection is closed", async (_, bytes, status) => {
    await start();
    const { socket, received, closed } = open();
    socket.write(bytes, "latin1");
    await closed;
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received().toLowerCase()).toContain("connection: close");
    expect(await run(gateway, "PING")).toBe("PONG");
  });

  test("a malformed request after one in flight waits for its response, and does not take its place", async () => {
    await start();
    const { socket, received, closed } = open();
    socket.write(`${post('["BLPOP","l","0.3"]')}\x16\x03\x01garbage`, "latin1");
    await closed;
    const [first, second] = responses(received());
    expect(first).toBe('{"result":null}');
    expect(second).toMatch(/not valid HTTP/);
  });
});

test("a client that ends its side with its last request gets the response", async () => {
  await start();
  const { socket, received, closed } = open();
  socket.end(post('["SET","halfway","open"]') + post('["GET","halfway"]'));
  await closed;
  expect(responses(received())).toEqual(['{"result":"OK"}', '{"result":"open"}']);
});

test("an HTTP/1.0 request gets a response, and the connection is closed", async () => {
  await start();
  const { socket, received, closed } = open();
  socket.write("GET /ping HTTP/1.0\r\nAuthorization: Bearer t\r\n\r\n");
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r\n.*\{"result":"PONG"\}$/s);
});

test("Connection: close makes a request the last on its connection", async () => {
  await start();
  const { socket, received, closed } = open();
  socket.write(post('["PING"]', { headers: "Connection: Keep-Alive, Close\r\n" }) + post('["INCR","after"]'));
  await closed;
  expect(responses(received())).toEqual(['{"result":"PONG"}']);
  expect(await run(gateway, "GET", "after")).toBeNull();
});

test("pipelined requests are limited, and get their responses in order", async () => {
  await start();
  const { socket, received } = open();
  const value = "x".repeat(50_000);
  const total = 200;
  socket.write(post('["BLPOP","ahead","0"]'));
  for (let i = 0; i < total; i++) socket.write(post(JSON.stringify(["SET", `ahead${i}`, value])));
  await sleep(200);
  expect(await run(gateway, "EXISTS", "ahead0")).toBe(0);
  // Far less than was sent has been taken off the client's hands.
  expect(socket.writableLength).toBeGreaterThan((total * value.length) / 3);
  await run(gateway, "RPUSH", "ahead", "go");
  await expect.poll(() => responses(received()).length, { timeout: 25_000 }).toBe(total + 1);
});

test("a client that reads no responses gets no more of them", async () => {
  await start({ bodyTimeout: 1_000 });
  await run(gateway, "SET", "large", "x".repeat(1_000_000));
  const { socket, closed } = open();
  socket.pause();
  for (let i = 0; i < 50; i++) socket.write(post('["GET","large"]'));
  socket.write(post('["INCR","behind"]'));
  await sleep(300);
  expect(await run(gateway, "GET", "behind")).toBeNull();
  // It had a minute, here a second, to take some.
  const stillOpen = () => metric(gateway, "connections_open");
  await expect.poll(stillOpen, { timeout: 10_000 }).toBe(1);
  socket.resume();
  await closed;
  expect(await run(gateway, "GET", "behind")).toBeNull();
});

test("OPTIONS * returns the methods of the server, and the connection stays open", async () => {
  await start();
  const { socket, received } = open();
  socket.write("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(received).toMatch(/^HTTP\/1\.1 204 .*Allow: HEAD, GET, POST, PUT, OPTIONS\r\n/s);
  socket.write(post('["PING"]'));
  await expect.poll(received).toContain('{"result":"PONG"}');
});

describe("time limits", () => {
  test("a connection opened ahead of its first request is kept", async () => {
    await start({ headersTimeout: 100 });
    const { socket, received } = open();
    await sleep(600);
    socket.write(post('["PING"]'));
    await expect.poll(received).toContain("PONG");
    await sleep(400);
    socket.write(post('["PING"]'));
    await expect.poll(() => responses(received()).length).toBe(2);
  });

  test("a head that does not end in time closes the connection", async () => {
    await start({ headersTimeout: 200 });
    const { socket, received, closed } = open();
    socket.write("POST / HTTP/1.1\r\nHost: loc");
    await closed;
    expect(received()).toBe("");
  });

  test("a body that does not end in time closes the connection, and nothing runs", async () => {
    await start({ bodyTimeout: 200 });
    const { socket, closed } = open();
    socket.write(post('["INCR","cut"]').slice(0, -1));
    await closed;
    expect(await run(gateway, "GET", "cut")).toBeNull();
  });

  test("an idle connection is closed", async () => {
    await start({ keepAliveTimeout: 1_000 });
    const fresh = open();
    const used = open();
    used.socket.write(post('["PING"]'));
    const began = performance.now();
    await Promise.all([fresh.closed, used.closed]);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(fresh.received()).toBe("");
    expect(used.received()).toContain("Keep-Alive: timeout=1\r\n");
  });

  test("a connection with a blocking command is not idle", async () => {
    await start({ keepAliveTimeout: 1_000, headersTimeout: 100, bodyTimeout: 100 });
    expect((await call(gateway, "/", { body: ["BLPOP", "none", "1.6"] })).json).toEqual({ result: null });
  });
});

describe("bodies", () => {
  test("a chunked body is read", async () => {
    await start();
    const { socket, received } = open();
    const head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const part of [head, '4\r\n["PI\r\n', '4\r\nNG"]\r\n', "0\r\n\r\n"]) {
      socket.write(part);
      await sleep(20);
    }
    await expect.poll(received).toContain('{"result":"PONG"}');
  });

  test("a chunked body that exceeds the limit is refused, and the response arrives", async () => {
    await start({ maxBodySize: 1_000 });
    const { socket, received, closed } = open();
    socket.write(
      "POST /set/k HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = `400\r\n${"x".repeat(0x400)}\r\n`;
    for (let i = 0; i < 50; i++) socket.write(chunk);
    await expect.poll(received).toMatch(/^HTTP\/1\.1 413 /);
    socket.write("0\r\n\r\n");
    await closed;
    expect(await run(gateway, "GET", "k")).toBeNull();
  });

  test("a body with a declared length above the limit is refused before it is sent", async () => {
    await start({ maxBodySize: 1_000 });
    const { socket, received } = open();
    socket.write(
      "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n",
    );
    await expect.poll(received).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("Expect: 100-continue gets 100 Continue", async () => {
    await start();
    const { socket, received } = open();
    const whole = post('["PING"]', { headers: "Expect: 100-continue\r\n" });
    const cut = whole.indexOf("\r\n\r\n") + 4;
    socket.write(whole.slice(0, cut));
    await expect.poll(received).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(whole.slice(cut));
    await expect.poll(received).toContain('{"result":"PONG"}');
  });

  test("Expect: 100-continue without the token gets no 100 Continue", async () => {
    await start();
    const { socket, received } = open();
    socket.write(
      "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 999999\r\n\r\n",
    );
    await expect.poll(received).toMatch(/^HTTP\/1\.1 401 /);
  });

  test("a body truncated by its sender runs nothing", async () => {
    await start();
    const { socket, closed } = open();
    socket.end(post('["INCR","half"]').slice(0, -1));
    await closed;
    expect(await run(gateway, "GET", "half")).toBeNull();
  });
});
