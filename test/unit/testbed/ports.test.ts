import { expect, test } from "vitest";
import { freePorts } from "../../../testbed/src/ports.js";

test("freePorts returns each port once, below the ports of connections, the cluster bus included", async () => {
  const ports = [...(await freePorts(50)), ...(await freePorts(50))];
  expect(new Set(ports).size).toBe(100);
  for (const port of ports) {
    expect(port).toBeGreaterThan(1_023);
    expect(port + 10_000).toBeLessThan(32_768);
  }
});
