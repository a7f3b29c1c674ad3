import { beforeEach, expect, test, vi } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { jsonResponse, RawEndpoint } from "../../support/endpoint.js";

// Requests that middleware passes on, as an endpoint receives them.

const endpoint = RawEndpoint.forEachTest();
beforeEach(() => {
  endpoint.answer(jsonResponse('{"result":1}', { "upstash-sync-token": "token-1" }));
});

const client = (options: RedisOptions = {}) =>
  new Redis({ url: endpoint.url, token: "t", retry: false, responseFormat: "json", ...options });
const headsWith = (text: string) => endpoint.requests.filter(({ head }) => head.includes(text)).length;

/** A client whose middleware adds headers to each request. */
function withHeaders(headers: Record<string, string>): Redis {
  const redis = client();
  redis.use((request, next) => next({ ...request, headers }));
  return redis;
}

test("headers that middleware adds are sent besides the client's own", async () => {
  expect(await withHeaders({ traceparent: "00-1-2-01", "X-Tenant": "ada" }).incr("n")).toBe(1);
  const { head } = endpoint.requests[0]!;
  expect(head).toContain("\r\ntraceparent: 00-1-2-01\r\nX-Tenant: ada\r\n");
  expect(head).toContain("\r\nauthorization: Bearer t\r\n");
});

test.each([
  ["a header of the client's own", { Authorization: "Bearer other" }],
  ["the length of the body", { "content-length": "0" }],
  ["a line break in the value", { "x-tenant": "a\r\nhost: other" }],
  ["a line break in the name", { "x-tenant: a\r\nhost": "other" }],
])("%s rejects the command before anything is sent", async (_what, headers) => {
  const failure = { name: "ArgumentError", outcome: "unsent", command: "INCR" };
  await expect(withHeaders(headers as never).incr("n")).rejects.toMatchObject(failure);
  expect(endpoint.requests).toEqual([]);
});

test("a command that blocks without a limit waits behind middleware", async () => {
  const warn = vi.spyOn(process, "emitWarning");
  const redis = client({ timeout: Number.POSITIVE_INFINITY });
  redis.use((request, next) => next(request));
  const [first, second] = await Promise.all([redis.incr("n"), redis.exec(["BLPOP", "queue", "0"])]);
  expect([first, second]).toEqual([1, 1]);
  // Node warns of a timer with a longer wait than it can hold, and fires it at once.
  expect(warn.mock.calls.flat()).not.toContain("TimeoutOverflowWarning");
});

test("a read behind middleware sends the sync token of the write before it", async () => {
  const redis = client();
  redis.use((request, next) => next(request));
  await redis.incr("k");
  await redis.strlen("k");
  expect(redis.readYourWritesSyncToken).toBe("token-1");
  expect(headsWith("upstash-sync-token: token-1")).toBe(1);
});
