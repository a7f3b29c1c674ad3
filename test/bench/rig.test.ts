import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Rig, type RigOptions, startRig } from "../../bench/src/rig/rig.js";

/** Returns the names of the processes that this process has started and that run. */
const children = (): string[] =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const status = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/status`, "utf8") : "";
      const isOwn = new RegExp(`^PPid:\\s+${process.pid}$`, "m").test(status);
      return isOwn && !/^State:\s+Z/m.test(status) ? [/^Name:\s+(.*)$/m.exec(status)![1]!] : [];
    } catch {
      return []; // The process has ended.
    }
  });

/** Starts a rig, calls `use`, and stops all that has started. Returns the result of `use`, or throws the error. */
async function startAndStop<T>(options: RigOptions, use: (rig: Rig) => Promise<T>): Promise<T> {
  const stops: (() => unknown)[] = [];
  try {
    return await use(await startRig(options, (stop) => stops.unshift(stop)));
  } finally {
    for (const stop of stops) await stop();
  }
}

test("if a rig fails to start, the servers that have started are stopped", {
  tags: ["redis-server", "linux"],
}, async () => {
  const before = children();
  const options = { rttMs: 0, redis: true };
  const start = (rigOptions: RigOptions) => startAndStop(rigOptions, async () => {});
  await expect(start({ ...options, tls: false, gatewayArgs: ["--nonsense"] })).rejects.toThrow("nonsense");
  expect(children()).toEqual(before);
  // `tls` is read once Redis and the gateway run.
  const broken = {
    ...options,
    get tls(): boolean {
      throw new Error("no certificate");
    },
  };
  await expect(start(broken)).rejects.toThrow("no certificate");
  expect(children()).toEqual(before);
});

test("a path with TLS has a certificate, whether or not the rig has one", async () => {
  await startAndStop({ rttMs: 0, tls: false }, async (rig) => {
    expect(rig.trust).toEqual({});
    expect((await rig.at({ tls: true })).trust).toEqual({ NODE_EXTRA_CA_CERTS: expect.any(String) });
  });
});
