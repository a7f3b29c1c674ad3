import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "warmline-testbed";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const HARD = 500;
const IN_USE = 20;

let gateway: GatewayProcess;
const clients = new Set<Client>();
afterEach(async () => {
  for (const client of clients) client.socket.destroy();
  clients.clear();
  await gateway.stop();
});

/** An HTTP connection that sends PING. */
class Client {
  readonly socket: Socket = connect(gateway.port, "127.0.0.1");
  responses = 0;
  refused = false;
  broken = false;
  #received = "";
  #onResponse: (() => void) | null = null;

  constructor() {
    clients.add(this);
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.broken = true;
      this.#onResponse?.();
    });
    this.socket.on("data", (chunk) => {
      this.#received += chunk;
      this.refused ||= this.#received.startsWith("HTTP/1.1 503 ");
      if (!this.#received.endsWith('{"result":"PONG"}') && !this.refused) return;
      if (!this.refused) this.responses++;
      this.#received = "";
      this.#onResponse?.();
    });
  }

  ping(): Promise<void> {
    this.socket.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.token}\r\nContent-Length: 8\r\n\r\n["PING"]`,
    );
    return new Promise((resolve) => {
      this.#onResponse = resolve;
    });
  }

  /** Sends PING every `everyMs` until `isOver`, or until the gateway refuses or closes the connection. */
  async use(everyMs: number, isOver: () => boolean): Promise<void> {
    while (!isOver() && !this.broken && !this.refused) {
      await this.ping();
      await sleep(everyMs);
    }
  }
}

const memoryMb = async () => (await gateway.metric("warmline_gateway_process_resident_memory_bytes")) / 1e6;
const openConnections = () => gateway.metric("warmline_gateway_connections_open");

test(`a flood of ${2 * HARD} connections in ten seconds is held at the hard limit of ${HARD}`, {
  timeout: 120_000,
}, async () => {
  gateway = await startGatewayProcess({
    args: ["--max-connections", String(HARD), "--soft-max-connections", String(HARD - 100)],
  });
  let isTestOver = false;
  const inUse = Array.from({ length: IN_USE }, () => new Client());
  const used = inUse.map((client) => client.use(50, () => isTestOver));
  await expect.poll(() => inUse.every((client) => client.responses > 0)).toBe(true);
  const memoryBefore = await memoryMb();
  const responseCounts = () => inUse.map((client) => client.responses);
  const before = responseCounts();

  let isFloodOver = false;
  const flood: Client[] = [];
  const flooded: Promise<void>[] = [];
  for (let i = 0; i < 2 * HARD; i++) {
    const client = new Client();
    flood.push(client);
    flooded.push(client.use(500, () => isFloodOver));
    if (i % 10 === 9) await sleep(100);
  }
  await sleep(1_000);
  expect(await openConnections()).toBeLessThanOrEqual(HARD);
  const during = responseCounts();
  const memory = await memoryMb();
  isFloodOver = true;
  await Promise.all(flooded);
  const refused = flood.filter((client) => client.refused).length;
  for (const client of flood) client.socket.destroy();

  // All in use at once: each connection beyond the limit got a refusal, and none was cut off without a response.
  expect(refused).toBeGreaterThanOrEqual(HARD);
  expect(flood.filter((client) => !client.refused && client.responses === 0)).toEqual([]);
  expect(memory - memoryBefore).toBeLessThan(200);
  // One more for the connection that reads the metric.
  await expect.poll(openConnections, { timeout: 10_000 }).toBeLessThanOrEqual(IN_USE + 1);
  isTestOver = true;
  await Promise.all(used);
  // The connections in use got responses during the flood and after it.
  const after = responseCounts();
  expect(during.filter((count, i) => count <= before[i]! || count >= after[i]!)).toEqual([]);
  expect(inUse.filter((client) => client.broken || client.refused)).toEqual([]);
  expect((await gateway.health()).status).toBe("ok");
});

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
