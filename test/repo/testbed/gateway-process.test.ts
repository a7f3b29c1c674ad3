import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "warmline-testbed";
import { rawClient } from "./raw.js";

let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

test("a gateway process starts, counts the connections of others and stops", async () => {
  gateway = await startGatewayProcess({ args: ["--engine", "embedded"] });
  const { url, port, token } = gateway;
  expect(await gateway.health()).toMatchObject({ status: "ok" });
  const before = await gateway.connectionsOpened();
  const clients = await Promise.all([rawClient(port), rawClient(port)]);
  for (const client of clients) {
    client.request();
    await client.until(({ text }) => text.startsWith("HTTP/1.1 401"));
  }
  expect((await gateway.connectionsOpened()) - before).toBe(2);
  const headers = { Authorization: `Bearer ${token}` };
  const reply = await fetch(url, { method: "POST", headers, body: '["SET","k","v"]' });
  expect(await reply.json()).toEqual({ result: "OK" });
  await expect(gateway.metric("no_such_metric")).rejects.toThrow("no_such_metric");
  for (const client of clients) client.socket.destroy();
  expect(await gateway.stop()).toBe(0);
});

test("a gateway process uses a given token", async () => {
  gateway = await startGatewayProcess({ args: ["--engine", "embedded", "--token", "mine"] });
  expect(gateway.token).toBe("mine");
  expect(await gateway.metric("warmline_gateway_connections_opened_total")).toBeGreaterThan(0);
});

describe("a program that is no gateway", () => {
  const cli = fileURLToPath(new URL("./starter.mjs", import.meta.url));

  test("a program that is no gateway is reported with its output when it exits early", async () => {
    await expect(startGatewayProcess({ cli: `${cli}-missing` })).rejects.toThrow(
      /not become ready:[\s\S]*starter/,
    );
  });
});
