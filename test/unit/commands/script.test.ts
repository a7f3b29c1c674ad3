import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha1 } from "../../../src/client/sha1.js";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { Redis } from "../../../src/index.js";

const byNode = (text: string) => createHash("sha1").update(text).digest("hex");

// The lengths around which the padding takes another block.
test.each([0, 1, 55, 56, 63, 64, 119, 120, 10_000])(
  "the digest of a script of %i bytes is SHA-1",
  (length) => {
    const text = "x".repeat(length);
    expect(sha1(text)).toBe(byNode(text));
  },
);

test("the digest of any script is SHA-1", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => sha1(text) === byNode(text)),
  );
});

test.each([Redis, FetchRedis])("a script has its digest one tick after it was created", async (Client) => {
  const redis = new Client({ url: "http://127.0.0.1:1", token: "t" });
  // The entry on fetch has loaded the code for it by then.
  await redis
    .createScript("return 0")
    .exec()
    .catch(() => {});
  for (const options of [{}, { readonly: true }]) {
    const script = redis.createScript("return 1", options);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(script.sha1).toBe(byNode("return 1"));
  }
});
