import { createServer } from "node:net";
import { expect, test } from "vitest";
import { drive } from "../../bench/src/scenarios/gateway.js";
import { forTest } from "../support/lifetime.js";
import { startServer } from "../support/start-server.js";

test("a server that responds twice to some requests is measured, and they are counted", async () => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.write("+OK\r\n".repeat(++requests % 100 === 0 ? 2 : 1)));
  });
  const { port } = forTest(await startServer(server));
  const target = { port, pid: process.pid, request: "PING\r\n" };
  const { surplus, perSecond } = await drive(target, { connections: 5 }, 500);
  expect(surplus).toBeGreaterThan(0);
  expect(surplus).toBeLessThanOrEqual(requests / 100);
  expect(perSecond).toBeGreaterThan(100);
});

test("a response that is a byte longer than the first one is one response, also when it arrives in parts", async () => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      // As the gateway's header does, whose time is written in base 36.
      const age = ++requests < 500 ? "z" : "10";
      const response = `HTTP/1.1 200 OK\r\nWarmline-Instance: a.${age}\r\ncontent-length: 4\r\n\r\n+OK.`;
      // Some come in two parts: the head, and the body.
      const cut = requests % 7 === 0 ? -4 : response.length;
      socket.write(response.slice(0, cut));
      setImmediate(() => socket.write(response.slice(cut)));
    });
  });
  const { port } = forTest(await startServer(server));
  const target = { port, pid: process.pid, request: "GET / HTTP/1.1\r\n\r\n" };
  const { surplus, perSecond } = await drive(target, { connections: 5 }, 1_000);
  expect(surplus).toBe(0);
  // The first 500 are over long before the time that counts.
  expect(requests).toBeGreaterThan(1_000);
  expect(perSecond).toBeGreaterThan(500);
});

test("at a fixed rate, requests that are due while the server stalls count with their wait", async () => {
  const STALL_MS = 400;
  let stalledUntil = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      setTimeout(() => socket.write("+OK\r\n"), Math.max(0, stalledUntil - performance.now()));
    });
  });
  const { port } = forTest(await startServer(server));
  const target = { port, pid: process.pid, request: "PING\r\n" };
  // It stalls for two fifths of the time, again and again.
  const stalling = setInterval(() => {
    stalledUntil = performance.now() + STALL_MS;
  }, 1_000);
  const { p99, perSecond } = await drive(target, { connections: 5, rate: 200 }, 2_000);
  clearInterval(stalling);
  // Of 200 requests a second 80 wait, with five connections: in a closed loop five would.
  expect(p99).toBeGreaterThan(STALL_MS / 2);
  expect(perSecond).toBeLessThan(250);
});
