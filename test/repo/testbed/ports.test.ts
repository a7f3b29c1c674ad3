import { expect, test } from "vitest";
import { freePorts } from "../../../testbed/src/ports.js";

test("freePorts returns each port once, below the ports of connections, the cluster bus included", async () => {
  const ports = [...(await freePorts(50)), ...(await freePorts(50))];
  expect(new Set(ports).size).toBe(100);
  for (const port of ports) {
    expect(port).toBeGreaterThan(1_023);
    expect(port + 10_000).toBeLessThan(32_768);
    // The bus of a node with the lowest port.
    expect(port).toBeLessThan(21_000);
  }
});

test("freePorts returns no port that another process has received", async () => {
  const ports = await freePorts(300);
  // A second copy of the module has nothing in common with the first but the operating system.
  const copy = new URL("../../../testbed/src/ports.ts?copy", import.meta.url).href;
  const other: { freePorts: typeof freePorts } = await import(/* @vite-ignore */ copy);
  expect(other.freePorts).not.toBe(freePorts);
  const others = new Set(await other.freePorts(300));
  expect(ports.filter((port) => others.has(port))).toEqual([]);
});
