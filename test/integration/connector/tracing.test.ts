import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { warmlineConnector } from "warmline/ioredis";
import { createGateway } from "warmline-gateway";
import { startFakeRedis } from "warmline-testbed";
import { startEngineServer } from "../../support/engine-server.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { IORedis, type IORedisClient, type RedisOptions } from "../../support/redis-clients.js";
import { collectTraces, type TraceEvent } from "../../support/traces.js";

// Traces of the commands of ioredis and node-redis, and of the requests that carry them.

const server = sharedByTests(() => startEngineServer());
const gateway = sharedByTests(() => createGateway({ port: 0, redis: server.url }));

let heard: TraceEvent[];
let unsubscribe: () => void;
let redis: IORedisClient;
beforeEach(async () => {
  ({ events: heard, stop: unsubscribe } = collectTraces());
  redis = await connect();
  heard.length = 0;
});
afterEach(() => {
  unsubscribe();
  redis.disconnect();
});

async function connect(options: RedisOptions = {}, { url, token } = gateway): Promise<IORedisClient> {
  const Connector = warmlineConnector({ url, token });
  const client = new IORedis({ Connector, enableReadyCheck: false, disableClientInfo: true, ...options });
  client.on("error", () => {});
  await client.get("warm");
  return client;
}

const serverFields = () => ({ serverAddress: "127.0.0.1", serverPort: Number(new URL(gateway.url).port) });
const startsOf = (channel: string) =>
  heard
    .filter(([event]) => event === `${channel} start`)
    .map(([, { command, batchSize }]) => [command, batchSize]);
const endedOf = (channel: string) => heard.filter(([event]) => event === `${channel} asyncEnd`).length;
const errorsOf = (channel: string) =>
  heard
    .filter(([event]) => event === `${channel} error`)
    .map(([, { command, error }]) => [command, (error as Error).name]);

test("a command of ioredis and its request are published from start to end", async () => {
  expect(await redis.set("secret-key", "secret-value")).toBe("OK");
  await expect.poll(() => heard.length).toBe(8);
  expect(heard.filter(([event]) => event.endsWith(" start")).map(([, context]) => context)).toEqual([
    { operation: "command", command: "SET", ...serverFields() },
    { operation: "request", command: "SET", ...serverFields() },
  ]);
  expect([endedOf("command"), endedOf("request")]).toEqual([1, 1]);
  expect(JSON.stringify(heard)).not.toContain("secret");
});

test("commands of a pipeline are published one by one, their request with its size", async () => {
  await redis.pipeline().set("a", 1).incr("a").get("a").exec();
  await expect.poll(() => endedOf("command")).toBe(3);
  expect(startsOf("command")).toEqual([
    ["SET", undefined],
    ["INCR", undefined],
    ["GET", undefined],
  ]);
  expect(startsOf("request")).toEqual([["PIPELINE", 3]]);
});

test("an error reply is published as an error of the command", async () => {
  await redis.set("text", "x");
  await expect(redis.lpush("text", "secret-value")).rejects.toThrow("WRONGTYPE");
  await expect.poll(() => errorsOf("command")).toEqual([["LPUSH", "RedisError"]]);
  expect(JSON.stringify(heard)).not.toContain("secret");
});

test("a lost reply is published as an unknown outcome of the command", async () => {
  const fake = forTest(await startFakeRedis(({ name }) => (name === "INCR" ? "close" : undefined)));
  const own = forTest(await createGateway({ port: 0, redis: fake.url }));
  const client = await connect({}, own);
  onTestFinished(() => client.disconnect());
  await expect(client.incr("secret-key")).rejects.toThrow("UNKNOWNOUTCOME");
  await expect.poll(() => errorsOf("command")).toEqual([["INCR", "UnknownOutcomeError"]]);
  expect(JSON.stringify(heard)).not.toContain("secret");
});

test("a command that is outstanding at disconnect() ends with an error", async () => {
  const client = await connect({ disconnectTimeout: 50 } as RedisOptions);
  heard.length = 0;
  const lost = client.blpop("none", 0).catch(({ message }) => message);
  await expect.poll(() => startsOf("request")).toEqual([["BLPOP", undefined]]);
  client.disconnect();
  expect(await lost).toBe("Connection is closed.");
  await expect.poll(() => errorsOf("command")).toEqual([["BLPOP", "Error"]]);
  await expect.poll(() => endedOf("request")).toBe(1);
});
