import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Redis } from "warmline";
import { useGateway } from "warmline-gateway/testing";

const gateway = useGateway({ before, beforeEach, after });

for (const round of [1, 2]) {
  test(`every test finds Redis empty: ${round}`, async ({ mock }) => {
    mock.timers.enable();
    assert.equal(process.env.WARMLINE_URL, gateway.url);
    assert.equal(await Redis.fromEnv().incr("n"), 1);
  });
}
