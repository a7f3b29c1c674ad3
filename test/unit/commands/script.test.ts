import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { Redis } from "../../../src/index.js";

const options = { url: "http://127.0.0.1:1", token: "t" };
const text = "return redis.call('GET', 'ü🌍')";
const digest = createHash("sha1").update(text).digest("hex");

test.each([{}, { readonly: true }])("a script on Node has its digest from the start: %j", (kind) => {
  expect(new Redis(options).createScript(text, kind).sha1).toBe(digest);
});

test("a script on the fetch entry has its digest soon after, without a call", async () => {
  const script = new FetchRedis(options).createScript(text);
  expect(script.sha1).toBe("");
  await expect.poll(() => script.sha1).toBe(digest);
});
