import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { handlerPath } from "../../bench/src/client/bench-client.js";
import { drive } from "../../bench/src/gateway/load.js";

test("a server that responds twice to some requests is measured, and they are counted", async () => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.write("+OK\r\n".repeat(++requests % 100 === 0 ? 2 : 1)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const target = { port, pid: process.pid, request: "PING\r\n" };
  const { surplus, perSecond } = await drive(handlerPath("load"), target, 5, 500);
  server.close();
  expect(surplus).toBeGreaterThan(0);
  expect(surplus).toBeLessThanOrEqual(requests / 100);
  expect(perSecond).toBeGreaterThan(100);
});
