import { expect, test } from "vitest";
import { connectionsAtRedis } from "../../../bench/src/perf/connections.js";
import { startRig } from "../../../bench/src/rig/rig.js";

test("connections at Redis are those of one count alone", { tags: "redis-server" }, async () => {
  const rig = await startRig({ engine: "redis", redis: true, rttMs: 0, tls: false });
  try {
    const counts = [];
    for (const protocol of ["tcp", "tcp", "http", "tcp"] as const)
      counts.push(await connectionsAtRedis(rig, protocol, 300));
    // One of the gateway is for commands, one for news of other gateways.
    expect(counts).toEqual([300, 300, 2, 300]);
  } finally {
    await rig.close();
  }
});
