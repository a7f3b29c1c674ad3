import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { type FakeAction, type FakeCommand, type FakeRedis, startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { listen } from "../subscribe/listen.js";
import { describeEngines } from "./engines.js";
import { call, type GatewayResponse, metric } from "./http.js";

const TOKENS: Partial<GatewayOptions> = {
  tokens: [
    { name: "app", token: "app" },
    { name: "page", token: "page", role: "read-only" },
    // Runs no commands, so that it has no share.
    { name: "scraper", token: "scraper", role: "metrics" },
  ],
};

/** A refusal names its limit, that nothing ran, and the time of the next attempt. */
function expectRefused({ status, headers, json }: GatewayResponse, message: RegExp): void {
  expect(status).toBe(429);
  expect(headers["retry-after"]).toBe("1");
  expect(headers["warmline-outcome"]).toBe("unsent");
  expect(json.error).toMatch(message);
}

describeEngines("shares of a token", (setup) => {
  let gateway: Gateway;
  const controllers: AbortController[] = [];
  const begin = async (options: Partial<GatewayOptions>) => {
    gateway = await setup.start({ shutdownTimeout: 0, ...options });
  };
  const open = async (token: string) => forTest(await listen(gateway, "/subscribe/c", { token }));
  afterEach(() => {
    for (const controller of controllers.splice(0)) controller.abort();
  });

  /** Number of connections that blocking commands have. */
  const taken = () => metric(gateway, 'upstream_connections{use="blocking"}', { token: "scraper" });

  /** Sends commands that block for ever. Returns the ones that were refused, once each is refused or blocks. */
  const block = async (token: string, count: number, path = "/"): Promise<GatewayResponse[]> => {
    const refused: GatewayResponse[] = [];
    const before = await taken();
    for (let i = 0; i < count; i++) {
      const controller = new AbortController();
      controllers.push(controller);
      const words = ["XREAD", "BLOCK", "0", "STREAMS", "s", "$"];
      const body = path === "/" ? words : [words];
      call(gateway, path, { token, body, signal: controller.signal }).then(
        (response) => refused.push(response),
        () => {},
      );
    }
    await expect.poll(async () => refused.length + (await taken()) - before).toBe(count);
    return refused;
  };

  test.each(["/", "/pipeline"])("a token gets at most half of the blocking connections: %s", async (path) => {
    await begin({ ...TOKENS, maxBlockingConnections: 8 });
    const refused = await block("page", 10, path);
    expect(refused.length).toBe(6);
    for (const each of refused) expectRefused(each, /4 of the 8 connections for blocking commands/);
    const began = performance.now();
    const waiting = call(gateway, "/", { token: "app", body: ["BLPOP", "l", "5"] });
    await sleep(50);
    await call(gateway, "/", { token: "app", body: ["RPUSH", "l", "value"] });
    expect((await waiting).json).toEqual({ result: ["l", "value"] });
    expect(performance.now() - began).toBeLessThan(2_000);
    // Commands that have ended no longer count.
    for (const controller of controllers.splice(0)) controller.abort();
    await expect
      .poll(async () => (await call(gateway, "/", { token: "page", body: XREAD_SHORT })).status)
      .toBe(200);
  });

  test("the only token that runs commands gets all blocking connections", async () => {
    await begin({
      tokens: [
        { name: "app", token: "app" },
        { name: "scraper", token: "scraper", role: "metrics" },
      ],
      maxBlockingConnections: 4,
    });
    expect(await block("app", 4)).toEqual([]);
  });

  test("a token opens at most half of the event streams", async () => {
    await begin({ ...TOKENS, maxStreams: 4 });
    const [first] = [await open("page"), await open("page")];
    const refused = await call(gateway, "/subscribe/c", { token: "page", method: "POST", body: [] });
    expectRefused(refused, /2 of the 4 event streams/);
    expect((await open("app")).status).toBe(200);
    first.close();
    await expect.poll(async () => (await open("page")).status).toBe(200);
  });
});

const XREAD_SHORT = ["XREAD", "BLOCK", "1", "STREAMS", "s", "$"];

describe("shares of a token, while Redis is slow", () => {
  let fake: FakeRedis;
  let gateway: Gateway;
  const begin = async (decide: (name: string, key: string) => FakeAction | undefined, options: object) => {
    const reply = ({ name, args }: FakeCommand) =>
      name === "PING" || name === "INFO" ? undefined : decide(name, args[1] ?? "");
    fake = forTest(await startFakeRedis(reply));
    const common = { redis: fake.url, port: 0, shutdownTimeout: 0, ...TOKENS };
    gateway = forTest(await createGateway({ ...common, ...options }));
  };

  const transactions: Record<string, FakeAction> = {
    MULTI: { bytes: "+OK\r\n" },
    DISCARD: { bytes: "+OK\r\n" },
    ECHO: { late: 100 },
    EXEC: { bytes: "*1\r\n$1\r\na\r\n" },
  };

  test("transactions of one token wait for each other, and not those of another", async () => {
    const options = { maxTransactionConnections: 2, commandTimeout: 10_000 };
    await begin((name) => transactions[name], options);
    const run = (token: string) => call(gateway, "/multi-exec", { token, body: [["ECHO", "a"]] });
    const order: string[] = [];
    const many = Array.from({ length: 10 }, () =>
      run("page").then(({ status }) => order.push(`page ${status}`)),
    );
    await sleep(20);
    await run("app").then(({ status }) => order.push(`app ${status}`));
    expect(order.length).toBeLessThan(5);
    await Promise.all(many);
    expect(order.filter((each) => each === "page 200").length).toBe(10);
    expect(order).toContain("app 200");
  });

  test("a transaction that waited too long for its token's share is unsent", async () => {
    await begin((name) => transactions[name], { maxTransactionConnections: 2, commandTimeout: 250 });
    const run = () => call(gateway, "/multi-exec", { token: "page", body: [["ECHO", "a"]] });
    const responses = await Promise.all(Array.from({ length: 6 }, run));
    // A transaction that began just before its timeout gets 503 or 504, depending on whether it was sent.
    const refused = responses.filter(({ status }) => ![200, 503, 504].includes(status));
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused) expectRefused(each, /1 of the 2 connections for transactions/);
    const unsent = responses.filter(({ headers }) => headers["warmline-outcome"] === "unsent").length;
    await expect.poll(() => fake.count("ECHO")).toBe(6 - unsent);
  });

  test("a token has at most half of the queued commands", async () => {
    let slow = true;
    await begin(
      (name) => {
        if (name !== "GET" || !slow) return undefined;
        slow = false;
        return { late: 1_500 };
      },
      { maxQueuedCommands: 20, commandTimeout: 10_000 },
    );
    const get = (token: string) => call(gateway, "/", { token, body: ["GET", "k"] });
    const many = Array.from({ length: 15 }, () => get("page"));
    await sleep(100);
    const other = await get("app");
    expect(other.status).toBe(200);
    const responses = await Promise.all(many);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.length).toBe(5);
    for (const each of refused) expectRefused(each, /10 of the 20 commands/);
    // A batch that is larger than the share goes alone.
    const body = Array.from({ length: 15 }, () => ["GET", "k"]);
    expect((await call(gateway, "/pipeline", { token: "page", body })).status).toBe(200);
  });
});
