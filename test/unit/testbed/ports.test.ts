import { expect, test } from "vitest";
import { freePorts } from "../../../testbed/src/ports.js";

test("each port is given once, and is below those that a system gives to connections, as is that of a node's bus", async () => {
  const ports = [...(await freePorts(50)), ...(await freePorts(50))];
  expect(new Set(ports).size).toBe(100);
  for (const port of ports) {
    expect(port).toBeGreaterThan(1_023);
    expect(port + 10_000).toBeLessThan(32_768);
  }
});
