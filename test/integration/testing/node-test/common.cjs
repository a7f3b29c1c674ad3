const assert = require("node:assert/strict");
const { after, before, beforeEach, test } = require("node:test");
const { Redis } = require("warmline");
const { useGateway } = require("warmline-gateway/testing");

const gateway = useGateway({ before, beforeEach, after });

for (const round of [1, 2]) {
  test(`every test finds Redis empty: ${round}`, async () => {
    assert.equal(process.env.WARMLINE_URL, gateway.url);
    assert.equal(await Redis.fromEnv().incr("n"), 1);
  });
}
