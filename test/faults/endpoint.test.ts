import { afterEach, expect, test } from "vitest";
import {
  ConnectionError,
  ProtocolError,
  Redis,
  type RedisError,
  type RedisOptions,
  TimeoutError,
  UnknownOutcomeError,
} from "warmline";
import { httpResponse, jsonResponse, RawEndpoint, resp2Response } from "../support/endpoint.js";
import { errorOf } from "../support/error-of.js";

// Faults that an endpoint, or a proxy in front of it, can cause, byte by byte.

const endpoint = RawEndpoint.forEachTest();
afterEach(() => client().close());

const client = (options: RedisOptions = {}) =>
  new Redis({ url: endpoint.url, token: "secret", timeout: 10_000, ...options });
const patient = { retry: { retries: 5, backoff: () => 1 } };

test("a 503 that the gateway marks as unsent every time is a ConnectionError with the reason", async () => {
  endpoint.answer(
    jsonResponse('{"error":"ERR no room for more requests"}', { "warmline-outcome": "unsent" }, "503 Busy"),
  );
  const error = await errorOf(client(patient).incr("n"));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ outcome: "unsent", command: "INCR" });
  expect(error.message).toMatch(/^INCR: not sent: ERR no room for more requests/);
  expect(endpoint.requests).toHaveLength(6);
});

test.each(["LOADING", "READONLY", "TRYAGAIN", "WRONGTYPE"])("reads reject with %s at once", async (code) => {
  const body = JSON.stringify([{ error: `${code} x` }, { result: "v" }]);
  endpoint.answer(jsonResponse(body));
  const read = client(patient).pipeline().get("a").get("b").exec();
  await expect(read).rejects.toMatchObject({ code, outcome: "answered" });
  expect(endpoint.requests).toHaveLength(1);
});

test("a 429 is sent again after the time in Retry-After", async () => {
  endpoint.onRequest = ({ socket }) => {
    if (endpoint.requests.length === 1)
      socket.write(jsonResponse('{"error":"slow down"}', { "retry-after": "1" }, "429 Too Many"));
    else socket.write(resp2Response(":1\r\n"));
  };
  const begun = performance.now();
  expect(await client().incr("n")).toBe(1);
  expect(performance.now() - begun).toBeGreaterThan(950);
});

test("a 429 with a Retry-After beyond the call's timeout rejects with its error", async () => {
  endpoint.answer(jsonResponse('{"error":"ERR daily limit"}', { "retry-after": "3600" }, "429 Too Many"));
  await expect(client().incr("n")).rejects.toMatchObject({ code: "ERR", outcome: "answered" });
});

test("a write behind middleware is sent again as its settings allow, unless middleware changed it", async () => {
  // A busy machine may add probes, which are not writes.
  const writes = () => endpoint.count("INCR");
  endpoint.onRequest = ({ socket, body }) => {
    if (body.includes("INCR") && writes() % 2 === 1) socket.destroy();
    else socket.write(jsonResponse('{"result":1}'));
  };
  const redis = client(patient);
  let change = false;
  redis.use((request, next) => next(change ? { body: ["INCR", "other"] } : request));
  const unknown = { name: "UnknownOutcomeError", command: "INCR" };
  await expect(redis.incr("n")).rejects.toMatchObject(unknown);
  expect(writes()).toBe(1);
  endpoint.requests.length = 0;
  expect(await redis.with({ writes: "at-least-once" }).incr("n")).toBe(1);
  expect(writes()).toBe(2);
  change = true;
  await expect(redis.with({ writes: "at-least-once" }).incr("n")).rejects.toMatchObject(unknown);
  expect(writes()).toBe(3);
});

test("a repeated 429 of a server that is not a Redis endpoint is an unsent error", async () => {
  endpoint.answer(
    httpResponse("<html>", { "content-type": "text/html", "retry-after": "0" }, "429 Too Many"),
  );
  const unsent = {
    name: "ConnectionError",
    outcome: "unsent",
    message: expect.stringMatching(/status 429, too many requests$/),
  };
  const redis = client({ retry: { retries: 2 } });
  await expect(redis.incr("n")).rejects.toMatchObject({ ...unsent, command: "INCR" });
  await expect(redis.get("k")).rejects.toMatchObject({ ...unsent, command: "GET" });
  expect(endpoint.requests).toHaveLength(6);
  const batch = await Promise.allSettled([redis.get("k"), redis.incr("n")]);
  expect(batch).toMatchObject([{ reason: unsent }, { reason: unsent }]);
  await expect(redis.multi().incr("n").exec()).rejects.toMatchObject(unsent);
});

test.each<[string, string]>([
  ["a page", httpResponse("<html>Welcome</html>", { "content-type": "text/html" })],
  ["an empty 200", httpResponse("", {})],
  ["bad JSON", jsonResponse('{"result":')],
  ["JSON of another server", jsonResponse('{"ok":true}')],
  ["a cut RESP2 reply", resp2Response("$10\r\nabc\r\n")],
  ["two replies", resp2Response(":1\r\n:2\r\n")],
  ["a reply of the wrong kind", resp2Response("*1\r\n:1\r\n")],
])("%s is a ProtocolError, never a value, and a write is not sent again", async (_what, bytes) => {
  endpoint.answer(bytes);
  const error = await errorOf(client(patient).incr("n"));
  expect(error).toBeInstanceOf(ProtocolError);
  expect(error.outcome).toBe("unknown");
  expect(endpoint.count("INCR")).toBe(1);
});

test.each<[string, string]>([
  ["truncated in its body", resp2Response("$5\r\nhello\r\n").slice(0, -4)],
  ["longer than its Content-Length", `${resp2Response(":1\r\n")}junk`],
  ["truncated in its head", "HTTP/1.1 200 OK\r\ncontent-le"],
  ["not HTTP", "garbage\r\n\r\n"],
])("a response %s never becomes a wrong value", async (_what, bytes) => {
  endpoint.onRequest = ({ socket }) => socket.end(bytes);
  const value = await client(patient)
    .incr("n")
    .catch((thrown) => thrown);
  // With a whole response before the junk, the value is right; otherwise the outcome is unknown.
  if (value !== 1) expect(value).toBeInstanceOf(UnknownOutcomeError);
  expect(endpoint.count("INCR")).toBe(1);
  endpoint.answer(resp2Response(":7\r\n"));
  expect(await client(patient).incr("n")).toBe(7);
});

test("an extra response is never the next command's value", async () => {
  endpoint.onRequest = ({ socket, body }) => {
    if (body.includes("first"))
      socket.write(resp2Response("$5\r\nfirst\r\n") + resp2Response("$5\r\nWRONG\r\n"));
    else socket.write(resp2Response("$6\r\nsecond\r\n"));
  };
  for (let i = 0; i < 10; i++) {
    expect(await client().get("first")).toBe("first");
    expect(await client().get("second")).toBe("second");
  }
  expect(endpoint.connections).toBe(11);
});

test("unexpected bytes in the kernel's buffer are not a response", async () => {
  const redis = client({ codec: "text" });
  endpoint.onRequest = ({ socket, body }) => {
    socket.write(resp2Response(`$1\r\n${/"k(.)"/.exec(body)?.[1]}\r\n`));
    setTimeout(() => socket.write(resp2Response("$5\r\nWRONG\r\n")), 5);
  };
  for (let i = 0; i < 5; i++) {
    expect(await redis.get(`k${i}`)).toBe(String(i));
    // This process neither polls nor runs timers until the next command is issued in the same tick.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  }
});

test("a server that never responds is a TimeoutError at `timeout`, with its outcome", async () => {
  endpoint.onRequest = () => {};
  const begun = performance.now();
  const error = await errorOf(client({ timeout: 150 }).incr("n"));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.outcome).toBe("unknown");
  expect(performance.now() - begun).toBeGreaterThan(140);
});

test.each([
  "NOGROUP No such key 'a secret's key' or consumer group 'secret' in XREADGROUP with GROUP option",
  "ERR unknown command 'LPUSHALL', with args beginning with: 'secret' 'more'",
  "ERR unknown subcommand 'secret'. Try OBJECT HELP.",
  "ERR Unknown subcommand or wrong number of arguments for 'secret'. Try XGROUP HELP.",
  "ERR Unsupported option secret",
  "ERR unknown argument: secret",
  "ERR Unknown argument secret",
  "ERR Unknown option given: secret",
  "ERR User 'secret' not found",
  "ERR Path '$[?(@.name==\"secret\")]' does not exist",
  "SEARCH_SYNTAX Syntax error at offset 7 near secret",
  "ERR Error compiling script (new function): user_script:1: '=' expected near 'secret'",
  "ERR Error compiling script (new function): user_script:1: unexpected symbol near '\"it's secret\"'",
  "ERR Error compiling function: user_function:2: malformed number near '3secret'",
  "ERR user_script:1: Script attempted to access nonexistent global variable 'secret' script: 37d7, on @user_script:1.",
  "ERR user_function:2: attempt to index field 'secret' (a nil value) script: h, on @user_function:2.",
  "ERR Error running script (call to f_37d7): @enable_strict_lua:15: user_script:1: Script attempted to access nonexistent global variable 'secret'",
  "ERR Unknown lua shebang option: secret=1",
  "ERR Unexpected flag in script shebang: secret",
  "ERR Invalid metadata value given: secret=b",
  "ERR Engine 'secret' not found",
  "ERR Error in ACL SETUSER modifier '#secret': The password hash must be exactly 64 characters",
])("arguments that Redis repeats are left out of the message: %s", async (reply) => {
  endpoint.answer(resp2Response(`-${reply}\r\n`, {}, "400 Bad Request"));
  const error: RedisError = await errorOf(client().incr("n"));
  expect(error.code).toBe(reply.split(" ")[0]);
  expect(JSON.stringify(error) + error.stack).not.toContain("secret");
});

test("a blocking command may block for its own timeout on top of `timeout`, and delays no other", async () => {
  endpoint.onRequest = ({ socket, body }) => {
    if (body.includes("BLPOP"))
      setTimeout(() => socket.write(resp2Response("*2\r\n$1\r\nk\r\n$1\r\nv\r\n")), 1_700);
    else socket.write(resp2Response("$1\r\nx\r\n"));
  };
  const redis = client({ timeout: 1_500 });
  const order: string[] = [];
  const popped = redis.blpop("k", 2).finally(() => order.push("popped"));
  expect(await redis.get("other").finally(() => order.push("got"))).toBe("x");
  expect(await popped).toEqual(["k", "v"]);
  expect(order).toEqual(["got", "popped"]);
  endpoint.onRequest = () => {};
  await expect(redis.blpop("k", 0.1)).rejects.toBeInstanceOf(TimeoutError);
});

test.each([
  ["a page", httpResponse("<html>Welcome</html>", { "content-type": "text/html" })],
  ["a number", httpResponse(":7\r\n", {})],
  ["JSON", jsonResponse('{"result":"Nw=="}')],
  ["an error", jsonResponse('{"error":"took too long"}', {}, "408 Timeout")],
])("%s is not taken for the response, and a write of bytes is sent once", async (_what, bytes) => {
  const redis = client(patient);
  await redis.set("known", "x");
  endpoint.onRequest = ({ socket, body }) =>
    socket.write(
      body.includes("stranger")
        ? bytes
        : resp2Response(body.startsWith("[[") ? "*2\r\n:1\r\n:2\r\n" : ":1\r\n"),
    );
  const error = await redis.append("stranger", new Uint8Array([0, 255])).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ProtocolError);
  expect(error.outcome).toBe("unknown");
  const sent = endpoint.requests.filter(({ head, body }) => `${head}${body}`.includes("stranger"));
  expect(sent).toHaveLength(1);
  expect(await Promise.all([redis.incr("a"), redis.incr("b")])).toEqual([1, 2]);
  expect(endpoint.requests.at(-1)?.head).toMatch(/upstash-response-format: resp2/i);
});

test("a transaction requests RESP2 from the gateway, and reads its errors and bytes", async () => {
  const redis = client(patient);
  await redis.set("known", "x");
  endpoint.answer(resp2Response("*3\r\n+OK\r\n-ERR not an integer\r\n$2\r\n\u00e9\r\n"));
  const results = await redis.multi().set("k", "v").incr("k").get("k").exec({ keepErrors: true });
  expect(endpoint.requests.at(-1)?.head).toMatch(/^POST \/multi-exec .*upstash-response-format: resp2/is);
  expect(results).toEqual([
    { result: "OK" },
    { error: expect.objectContaining({ code: "ERR", command: "INCR", index: 1 }) },
    { result: "\u00e9" },
  ]);
});

test("an endpoint without RESP2 requests gets bytes in the path, sent once", async () => {
  endpoint.onRequest = ({ socket, head }) => {
    if (/vnd.redis.resp2/i.test(head))
      socket.write(jsonResponse('{"error":"ERR not JSON"}', {}, "400 Bad Request"));
    else socket.write(jsonResponse('{"result":2}'));
  };
  expect(await client(patient).append("k", new Uint8Array([0, 255]))).toBe(2);
  expect(endpoint.requests).toHaveLength(2);
  expect(endpoint.requests[1]?.head).toMatch(/^POST \/append\/k/i);
});
