import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { handlerPath } from "../../bench/src/client/bench-client.js";
import type { RecordedPhase, UsersMessage } from "../../bench/src/handlers/flood-users.js";
import { Child } from "../../bench/src/util/child.js";

test("users whose requests never return count as lost at the end of a phase", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const silent = sockets.push(socket) === 1;
    socket.on("error", () => {});
    socket.on("data", () => {
      if (!silent) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const users = await Child.start([process.execPath, handlerPath("flood-users")]);
  try {
    const start: UsersMessage = { start: { port, token: "t", users: 3, everyMs: 10, seed: 1 } };
    await users.request(start);
    const { latencies, lost } = await users.request<RecordedPhase>({ recordMs: 100 });
    expect(latencies.length).toBeGreaterThan(0);
    expect(lost).toBe(1);
  } finally {
    await users.end();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
