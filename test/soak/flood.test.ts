import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "warmline-testbed";

let gateway: GatewayProcess;
const clients = new Set<Client>();
afterEach(async () => {
  for (const client of clients) client.socket.destroy();
  clients.clear();
  await gateway.stop();
});

/** One connection that sends PING. */
class Client {
  readonly socket: Socket = connect(gateway.port, "127.0.0.1");
  responses = 0;
  broken = false;
  #received = "";
  #answered: (() => void) | null = null;

  constructor() {
    clients.add(this);
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.broken = true;
      this.#answered?.();
    });
    this.socket.on("data", (chunk) => {
      this.#received += chunk;
      if (!this.#received.endsWith('{"result":"PONG"}')) return;
      this.responses++;
      this.#received = "";
      this.#answered?.();
    });
  }

  ping(): Promise<void> {
    this.socket.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.token}\r\nContent-Length: 8\r\n\r\n["PING"]`,
    );
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }
}

test("5,000 idle connections cost no connection to Redis", { timeout: 120_000 }, async () => {
  gateway = await startGatewayProcess();
  const idle: Client[] = [];
  for (let i = 0; i < 50; i++) {
    const some = Array.from({ length: 100 }, () => new Client());
    await Promise.all(some.map((client) => client.ping()));
    idle.push(...some);
  }
  await expect.poll(() => gateway.metric('warmline_gateway_connections{state="idle"}')).toBe(idle.length);
  const uses = await Promise.all(
    ["shared", "blocking", "transaction", "stream"].map((use) =>
      gateway.metric(`warmline_gateway_upstream_connections{use="${use}"}`),
    ),
  );
  expect(uses.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(16);
  await Promise.all(idle.map((client) => client.ping()));
  expect(idle.filter((client) => client.broken || client.responses !== 2)).toEqual([]);
});
