import { afterAll, beforeAll, expect, test } from "vitest";
import { Redis } from "warmline/fetch";
import { RawEndpoint } from "../../support/endpoint.js";

let endpoint: RawEndpoint;
beforeAll(async () => {
  endpoint = await RawEndpoint.start();
});
afterAll(() => endpoint.stop());

test("`cache` is passed to the runtime's fetch by the fetch entry", async () => {
  const options = { url: endpoint.url, token: "t" };
  await new Redis(options).set("k", 1);
  await new Redis({ ...options, cache: "default" }).set("k", 1);
  const [plain, cached] = endpoint.requests.map(({ head }) => /^cache-control:/im.test(head));
  expect([plain, cached]).toEqual([true, false]);
});
