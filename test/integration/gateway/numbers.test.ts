import { beforeAll, expect, test } from "vitest";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { startRedis } from "../../../testbed/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";

// The rules of numbered requests (docs/gateway.md), tested with raw requests to one gateway.

const tokens = [{ name: "other", token: "another" }];
const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0, token: "one", tokens }));
let ticket: string;
beforeAll(async () => {
  ticket = (await send(["PING"])).instance!;
});

interface Options {
  readonly path?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly to?: Gateway;
}

/** Sends a request, with `number` in its path: `<instance>.<time>.<client>.<lane>.<sequence>.<nonce>`. */
async function send(
  body: unknown,
  number?: string,
  { path = "", token = "one", headers = {}, to = gateway }: Options = {},
) {
  const response = await fetch(`${to.url}${number ? `/n/${number}` : ""}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(body),
  });
  const { result, error } = ((await response.json()) ?? {}) as { result?: unknown; error?: string };
  const header = (name: string) => response.headers.get(`warmline-${name}`);
  const [instance, outcome, final] = [header("instance"), header("outcome"), header("number")];
  return { status: response.status, result, error, instance, outcome, final };
}

const refused = (outcome: string, final: string | null) => ({ status: 412, outcome, final });

test("a numbered request is run once, and each copy gets the response", async () => {
  const number = `${ticket}.a.0.1.5`;
  expect(await send(["INCR", "a"], number)).toMatchObject({ status: 200, result: 1 });
  expect(await send(["INCR", "a"], number)).toMatchObject({ status: 200, result: 1 });
  expect(await send(["INCR", "a"], `${ticket}.a.0.2.6`)).toMatchObject({ result: 2 });
});

test("a transaction of which two copies arrive together is run once", async () => {
  const commands = [
    ["INCR", "b"],
    ["INCR", "b"],
  ];
  const copy = () => send(commands, `${ticket}.b.0.1.5`, { path: "multi-exec" });
  expect((await Promise.all([copy(), copy()])).map(({ status }) => status)).toEqual([200, 200]);
  expect(await send(["GET", "b"])).toMatchObject({ result: "2" });
});

test("the response to a pipeline of many commands is kept", async () => {
  const commands = Array(2_001).fill(["INCR", "many"]);
  const copy = () => send(commands, `${ticket}.m.0.1.5`, { path: "pipeline" });
  expect((await copy()).status).toBe(200);
  expect((await copy()).status).toBe(200);
  expect(await send(["GET", "many"])).toMatchObject({ result: "2001" });
});

test("an error reply is kept, and is final", async () => {
  await send(["SET", "text", "x"]);
  const number = `${ticket}.c.0.1.5`;
  const first = await send(["INCR", "text"], number);
  expect(first).toMatchObject({ status: 400, final: "final" });
  expect(await send(["INCR", "text"], number)).toEqual(first);
});

test.each([
  ["a lower sequence of a lane", ["INCR", "d"], "d.0.4.5", {}, refused("unknown", "final")],
  ["the sequence with another nonce", ["INCR", "d"], "d.0.5.6", {}, refused("unsent", "final")],
  ["the number with another body", ["INCR", "e"], "d.0.5.5", {}, refused("unknown", "final")],
] as const)("%s is refused", async (_, body, number, options, expected) => {
  await send(["INCR", "d"], `${ticket}.d.0.5.5`);
  expect(await send(body, `${ticket}.${number}`, options)).toMatchObject(expected);
  expect(await send(["GET", "d"])).toMatchObject({ result: "1" });
});

test("the same number sent with another token is a different request", async () => {
  expect(await send(["INCR", "f"], `${ticket}.f.0.1.5`)).toMatchObject({ result: 1 });
  expect(await send(["INCR", "f"], `${ticket}.f.0.1.5`, { token: "another" })).toMatchObject({ result: 2 });
});

test("a number of another gateway process is not run; its outcome is unsent, or unknown behind a proxy", async () => {
  const number = "0123abcd.1.g.0.1.5";
  expect(await send(["INCR", "g"], number)).toMatchObject(refused("unsent", null));
  for (const [name, value] of [
    ["x-forwarded-for", "192.0.2.1"],
    ["via", "1.1 proxy"],
    ["forwarded", "for=192.0.2.1"],
  ] as const) {
    const headers = { [name]: value };
    expect(await send(["INCR", "g"], number, { headers })).toMatchObject(refused("unknown", null));
  }
  expect(await send(["GET", "g"])).toMatchObject({ result: null });
});

test.each([
  ["of a blocking command", ["BLPOP", "list", "1"], "h", "a"],
  ["of more than 64 KB", ["LPOP", "list"], "j", "b".repeat(65_536)],
])("the response %s is not kept, and the command is run once", async (_, body, lane, item) => {
  await send(["RPUSH", "list", item, "rest"]);
  const number = `${ticket}.${lane}.0.1.5`;
  expect(await send(body, number)).toMatchObject({ status: 200 });
  expect(await send(body, number)).toMatchObject(refused("unknown", "final"));
  expect(await send(["LRANGE", "list", "0", "-1"])).toMatchObject({ result: ["rest"] });
  await send(["DEL", "list"]);
});

test("a 401 is not final: a copy with a valid token is run", async () => {
  const number = `${ticket}.i.0.1.5`;
  expect(await send(["INCR", "i"], number, { token: "wrong" })).toMatchObject({ status: 401, final: null });
  expect(await send(["INCR", "i"], number)).toMatchObject({ result: 1 });
});

test("no token may publish on the channel of the gateways", async () => {
  const publish = ["PUBLISH", "warmline:gateways", "bye x"];
  const error = expect.stringContaining("only gateways may publish");
  for (const token of ["one", "another"]) {
    expect(await send(publish, undefined, { token })).toMatchObject({ status: 400, error });
    expect(await send([publish], undefined, { token, path: "multi-exec" })).toMatchObject({ error });
  }
});

test("a gateway offers numbers some seconds after its start, until another one uses its Redis", {
  tags: "redis-server",
}, async () => {
  const server = forTest(await startRedis());
  const start = async () => forTest(await createGateway({ redis: server.url, port: 0, token: "one" }));
  const offers = async (to: Gateway) => (await send(["PING"], undefined, { to })).instance !== null;
  const first = await start();
  expect(await offers(first)).toBe(false);
  await expect.poll(() => offers(first)).toBe(true);
  const second = await start();
  await expect.poll(() => offers(first)).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(await Promise.all([first, second].map(offers))).toEqual([false, false]);
});
