import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { Redis } from "../../../src/index.js";
import { httpResponse, RawEndpoint } from "../../support/endpoint.js";

describe.each([
  { entry: "Node", Client: Redis },
  { entry: "fetch", Client: FetchRedis },
])("one signal for many calls, on the entry for $entry", ({ Client }) => {
  const CALLS = 300;
  let endpoint: RawEndpoint;
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  beforeEach(async () => {
    endpoint = await RawEndpoint.start();
    const ok = httpResponse('{"result":"OK"}', { "content-type": "application/json" });
    endpoint.onRequest = ({ socket }) => void socket.write(ok);
    warnings.length = 0;
    process.on("warning", onWarning);
  });
  afterEach(async () => {
    process.off("warning", onWarning);
    await endpoint.stop();
  });
  const calls = (signal: AbortSignal) => {
    const { url } = endpoint;
    const redis = new Client({
      url,
      token: "t",
      enableAutoPipelining: false,
      responseFormat: "json",
      timeout: 20_000,
      signal,
    });
    return Array.from({ length: CALLS }, () => redis.get("a"));
  };
  const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

  test("many calls with one signal leak no listener", async () => {
    const { signal } = new AbortController();
    const running = calls(signal);
    expect(listeners(signal)).toBe(1);
    expect(new Set(await Promise.all(running))).toEqual(new Set(["OK"]));
    expect(listeners(signal)).toBe(0);
    // Warnings come a tick later.
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });
});
