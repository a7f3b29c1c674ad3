import { describe, expect, test } from "vitest";
import { startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { describeEngines } from "../gateway/engines.js";
import { call, run } from "../gateway/http.js";
import { dataOf, type Listening, listen, numsub } from "./listen.js";

/** The id of a stream: the data of its first event. */
async function idOf(stream: Listening): Promise<string> {
  const [id] = await dataOf(stream, 1);
  expect(stream.text).toMatch(/^event: stream\ndata: [\w-]{22}\n\n/);
  return id!;
}

/** The reply of Redis to a command such as SUBSCRIBE, for a channel's name of one character. */
function confirmation(command: string, channel: string) {
  return {
    bytes: `*3\r\n$${command.length}\r\n${command.toLowerCase()}\r\n$1\r\n${channel}\r\n:1\r\n`,
  };
}

describeEngines("an event stream that changes", (setup) => {
  let gateway: Gateway;
  const begin = async (options?: Partial<GatewayOptions>) => {
    gateway = await setup.start({ shutdownTimeout: 0, ...options });
  };
  const events = async (body: object, token?: string) => {
    const options = { body: JSON.stringify(body), ...(token && { token }) };
    return forTest(await listen(gateway, "/events", options));
  };
  const change = (id: string, body: object | string, options: object = {}) =>
    call(gateway, `/events/${id}`, {
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...options,
    });

  test("an event stream begins with its id, and adds and removes channels of every kind", async () => {
    await begin();
    const stream = await events({ subscribe: ["a", "b"], psubscribe: ["p*"], ssubscribe: ["s"] });
    const id = await idOf(stream);
    expect(await run(gateway, "PUBLISH", "a", "1")).toBe(1);
    // A stream that has left a channel gets no message of it, even if Redis sent one before.
    await expect.poll(() => stream.data.at(-1)).toBe("message,a,1");
    const response = await change(id, {
      unsubscribe: ["a", "p*"],
      subscribe: ["c,d"],
      punsubscribe: ["p*"],
    });
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ result: 3 });
    expect(await run(gateway, "PUBLISH", "a", "2")).toBe(0);
    expect(await run(gateway, "PUBLISH", "pp", "3")).toBe(0);
    expect(await run(gateway, "PUBLISH", "c,d", "4")).toBe(1);
    expect(await run(gateway, "SPUBLISH", "s", "5")).toBe(1);
    const data = await dataOf(stream, 12);
    expect(data.slice(1)).toEqual([
      "subscribe,a,1",
      "subscribe,b,2",
      "psubscribe,p*,3",
      "ssubscribe,s,4",
      "message,a,1",
      "unsubscribe,a,3",
      "unsubscribe,p*,3",
      "punsubscribe,p*,2",
      "subscribe,c,d,3",
      "message,c,d,4",
      "smessage,s,5",
    ]);
    expect(stream.text).not.toContain("event: gap");
  });

  test("an event stream may begin empty, and shares subscriptions with others", async () => {
    await begin();
    const stream = await events({});
    const id = await idOf(stream);
    const other = forTest(await listen(gateway, "/subscribe/a"));
    expect((await change(id, { subscribe: ["a"] })).json).toEqual({ result: 1 });
    expect(await numsub(gateway, "a")).toBe(1);
    expect(await run(gateway, "PUBLISH", "a", "both")).toBe(1);
    await expect.poll(() => stream.data.at(-1)).toBe("message,a,both");
    await expect.poll(() => other.data.at(-1)).toBe("message,a,both");
    expect((await change(id, { unsubscribe: ["a"] })).json).toEqual({ result: 0 });
    expect(await numsub(gateway, "a")).toBe(1);
    await run(gateway, "PUBLISH", "a", "one");
    await expect.poll(() => other.data.at(-1)).toBe("message,a,one");
    expect(stream.data.at(-1)).toBe("unsubscribe,a,0");
    expect((await change(id, { subscribe: ["b"] })).json).toEqual({ result: 1 });
    stream.close();
    await expect.poll(() => numsub(gateway, "b")).toBe(0);
    await expect.poll(async () => (await change(id, { subscribe: ["b"] })).status).toBe(404);
  });

  test("many concurrent changes all take effect", async () => {
    await begin();
    const stream = await events({});
    const id = await idOf(stream);
    const names = Array.from({ length: 50 }, (_, i) => `c${i}`);
    const responses = await Promise.all(
      names.map((name, i) =>
        change(id, { subscribe: [name, "all"], ...(i % 2 ? { unsubscribe: [names[i - 1]] } : {}) }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
    for (const name of ["all", ...names]) await run(gateway, "PUBLISH", name, "x");
    const messages = () => stream.data.filter((line) => line.startsWith("message,"));
    await expect.poll(() => messages().includes("message,c49,x")).toBe(true);
    expect(messages()).toContain("message,all,x");
    for (let i = 1; i < 50; i += 2) expect(messages()).toContain(`message,c${i},x`);
  });

  test("an event stream belongs to its token, with its permissions", async () => {
    await begin({
      tokens: [
        { name: "app", token: "app", prefix: "app:" },
        { name: "page", token: "page", role: "read-only" },
        { name: "narrow", token: "narrow", commands: ["SUBSCRIBE", "GET"] },
        { name: "reader", token: "reader", commands: ["GET"] },
        { name: "metrics", token: "metrics", role: "metrics" },
      ],
    });
    const as = (token: string) => ({ token });
    const stream = await events({ subscribe: ["app:1"] }, "app");
    const id = await idOf(stream);
    for (const token of ["page", "narrow"])
      expect((await change(id, { subscribe: ["x"] }, as(token))).status).toBe(404);
    expect((await change(id, { subscribe: ["x"] }, { token: null })).status).toBe(401);
    const refused = await change(id, { subscribe: ["app:2", "x"] }, as("app"));
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatch(/^NOPERM /);
    for (const field of ["psubscribe", "ssubscribe"])
      expect((await change(id, { [field]: ["x"] }, as("app"))).json.error).toMatch(/^NOPERM /);
    expect((await change(id, { ssubscribe: ["app:2"] }, as("app"))).json).toEqual({ result: 2 });
    const opening = (token: string, body: object) =>
      call(gateway, "/events", { token, body: JSON.stringify(body) });
    expect((await opening("page", { psubscribe: ["*"] })).json.error).toMatch(/^NOPERM /);
    expect((await opening("page", { subscribe: ["__keyspace@0__:k"] })).json.error).toMatch(/^NOPERM /);
    expect((await opening("narrow", { ssubscribe: ["a"] })).json.error).toMatch(/^NOPERM /);
    for (const token of ["reader", "metrics"])
      expect((await opening(token, {})).json.error).toMatch(/^NOPERM /);
    expect((await call(gateway, "/ssubscribe/a", { token: "narrow" })).json.error).toMatch(/^NOPERM /);
    expect((await call(gateway, "/ssubscribe/a", { token: "app" })).json.error).toMatch(/^NOPERM /);
  });

  test("an event stream is limited in channels", async () => {
    await begin({ maxStreamChannels: 3 });
    const stream = await events({ subscribe: ["a", "b"] });
    const id = await idOf(stream);
    const json = { error: expect.stringMatching(/more than 3 channels.*maxStreamChannels/) };
    const tooMany = { status: 400, json };
    // 409: another stream may take them.
    expect(await change(id, { subscribe: ["c", "d"] })).toMatchObject({ status: 409, json });
    expect((await change(id, { subscribe: ["c", "d", "a"], unsubscribe: ["b"] })).json).toEqual({
      result: 3,
    });
    expect(await call(gateway, "/subscribe/a/b/c/d")).toMatchObject(tooMany);
    expect(await call(gateway, "/events", { body: '{"subscribe":["a","b","c","d"]}' })).toMatchObject(
      tooMany,
    );
    // Refused before each name is looked at, and before the stream is looked for.
    const unsubscribe = Array.from({ length: 7 }, (_, name) => String(name));
    expect(await change("none", { unsubscribe })).toMatchObject({ status: 409, json });
  });

  test.each([
    ["[]", /must be a JSON object/],
    ['{"subscribe":[""]}', /subscribe must be a list of names, none of them empty/],
    ['{"subscribed":["a"]}', /unknown field "subscribed"; known fields: subscribe, psubscribe, ssubscribe/],
  ])("the body %j opens and changes no event stream", async (body, message) => {
    await begin();
    const id = await idOf(await events({}));
    for (const path of ["/events", `/events/${id}`]) {
      const response = await call(gateway, path, { method: "POST", body });
      expect(response.status).toBe(400);
      expect(response.json.error).toMatch(message);
    }
  });

  test("/events takes only POST, and a new stream has nothing to unsubscribe from", async () => {
    await begin();
    const response = await call(gateway, "/events");
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("POST");
    const refused = await call(gateway, "/events", { body: '{"unsubscribe":["a"]}' });
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatch(/unknown field "unsubscribe"/);
    for (const id of ["x", "0-AAAAAAAAAAAAAAAAAAAAAA", "7-AAAAAAAAAAAAAAAAAAAAAA", "99999999999-a", ""])
      expect((await change(id, { subscribe: ["a"] })).status).toBe(404);
  });
});

describe("an event stream that changes", () => {
  test("an event stream reports a refusal or a missing confirmation of Redis, and continues", async () => {
    const fake = forTest(
      await startFakeRedis(({ name, args }) => {
        if (name === "SUBSCRIBE" && args[1] === "n") return { refuse: "NOPERM no" };
        if (name === "SUBSCRIBE" && args[1] === "l") return "lose";
        return /^(UN)?SUBSCRIBE$/.test(name) ? confirmation(name, args[1]!) : undefined;
      }),
    );
    const options = { redis: fake.url, port: 0, commandTimeout: 1_500, shutdownTimeout: 0 };
    const gateway = forTest(await createGateway(options));
    const stream = forTest(await listen(gateway, "/events", { body: '{"subscribe":["a"]}' }));
    const id = await idOf(stream);
    const change = (...names: string[]) =>
      call(gateway, `/events/${id}`, { body: JSON.stringify({ subscribe: names }) });
    const refused = await change("n", "b");
    expect(refused.status).toBe(400);
    expect(refused.json.error).toBe("NOPERM no");
    const late = await change("l");
    expect(late.status).toBe(503);
    expect(late.headers["warmline-outcome"]).toBe("unsent");
    expect(stream.data.slice(1)).toEqual(["subscribe,a,1", expect.stringMatching(/^subscribe,b,/)]);
    expect(stream.over).toBeUndefined();
  });

  test("a gap is reported although another connection of the stream's channels does not come back", async () => {
    let shards = 0;
    const fake = forTest(
      await startFakeRedis(({ name, args }) => {
        if (name === "SSUBSCRIBE" && ++shards > 1) return "lose";
        return /^S?SUBSCRIBE$/.test(name) ? confirmation(name, args[1]!) : undefined;
      }),
    );
    const gateway = forTest(await createGateway({ redis: fake.url, port: 0, shutdownTimeout: 0 }));
    const body = '{"subscribe":["a"],"ssubscribe":["s"]}';
    const stream = forTest(await listen(gateway, "/events", { body }));
    await dataOf(stream, 3);
    fake.resetConnections();
    await expect.poll(() => shards).toBe(2);
    await expect.poll(() => stream.text.match(/event: gap/g)).toHaveLength(1);
  });
});
