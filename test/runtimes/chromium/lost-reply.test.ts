import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { carries, type Fault, httpResponse, loseReply, rewrite, startNetworkProxy } from "warmline-testbed";
import { runPage } from "../support/chromium.js";

// Chromium's fetch sends a POST again by itself when the response is lost on a connection that was used before, and
// when its status is 421.

test.each<[string, string, Fault]>([
  ["exactly-once", "the connection is closed", loseReply()],
  ["exactly-once", "the connection is reset", loseReply({ leave: "reset" })],
  ["exactly-once", "its status becomes 421", rewrite(httpResponse(421))],
  // The gateway gives these a number.
  ["at-most-once", "the connection is closed", loseReply()],
  ["at-most-once", "its status becomes 421", rewrite(httpResponse(421))],
])("an %s write delivered twice is applied once: %s", { tags: "chromium" }, async (writes, _, fault) => {
  const token = randomBytes(24).toString("base64url");
  const gateway = await createGateway({ port: 0, cors: ["*"], token });
  const path = await startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } });
  let delivered = 0;
  path.onConnection(() => ({
    exchange: (exchange) => (carries('"INCR"')(exchange) && ++delivered === 1 ? fault : undefined),
  }));
  try {
    expect(await runPage("chromium/lost-reply.js", { url: path.url, token, writes })).toEqual([
      null,
      1,
      2,
      2,
    ]);
    expect(delivered).toBe(3);
  } finally {
    await path.close();
    await gateway.close();
  }
});
