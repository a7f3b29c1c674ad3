import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startRig } from "../../bench/src/rig/rig.js";

/** Returns the names of the processes that this process has started and that run. */
const children = (): string[] =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const status = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/status`, "utf8") : "";
      const isOwn = new RegExp(`^PPid:\\s+${process.pid}$`, "m").test(status);
      return isOwn && !/^State:\s+Z/m.test(status) ? [/^Name:\s+(.*)$/m.exec(status)![1]!] : [];
    } catch {
      return []; // It has ended.
    }
  });

test("a rig that fails to start stops the servers that have started", {
  tags: ["redis-server", "linux"],
}, async () => {
  const before = children();
  const options = { rttMs: 0, redis: true };
  await expect(startRig({ ...options, tls: false, gatewayArgs: ["--nonsense"] })).rejects.toThrow("nonsense");
  expect(children()).toEqual(before);
  // Read once Redis and the gateway run.
  const broken = {
    ...options,
    get tls(): boolean {
      throw new Error("no certificate");
    },
  };
  await expect(startRig(broken)).rejects.toThrow("no certificate");
  expect(children()).toEqual(before);
});

test("a rig without TLS has the certificate of a path with TLS that is opened later", async () => {
  const rig = await startRig({ rttMs: 0, tls: false });
  try {
    expect(rig.trust).toEqual({});
    await rig.at({ tls: true });
    expect(rig.trust).toEqual({ NODE_EXTRA_CA_CERTS: expect.any(String) });
  } finally {
    await rig.close();
  }
});
