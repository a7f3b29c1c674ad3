import { afterEach, expect, test, vi } from "vitest";
import { channelTracer } from "../../../src/client/tracing-channels.js";
import { traced } from "../../../src/execution/trace.js";
import type { Endpoint } from "../../../src/options/endpoint.js";
import { collectTraces } from "../../support/traces.js";

// The context of a trace: without a subscriber there is none.

let stop: (() => void) | undefined;
afterEach(() => {
  stop?.();
  stop = undefined;
  vi.restoreAllMocks();
});

const ORIGIN = "http://[::1]:8080";
const run = async () => "secret reply";

/** A traced client whose endpoint counts how often a context is created from it. */
function createClient() {
  const read = vi.fn(() => ORIGIN);
  const endpoint = Object.defineProperty({}, "origin", { get: read }) as Endpoint;
  return { client: { tracer: channelTracer, endpoint }, read };
}

test("no context is created and nothing is published without a subscriber", async () => {
  const { client, read } = createClient();
  const trace = vi.spyOn(channelTracer, "trace");
  const promise = run();
  expect(
    traced(
      client,
      "command",
      () => promise,
      () => ({ command: "GET" }),
    ),
  ).toBe(promise);
  await promise;
  expect(read).not.toHaveBeenCalled();
  expect(trace).not.toHaveBeenCalled();
  const { events: heard, stop: unsubscribe } = collectTraces();
  stop = unsubscribe;
  await traced(client, "command", run, () => ({ command: "GET" }));
  expect(read).toHaveBeenCalledOnce();
  expect(trace).toHaveBeenCalledOnce();
  expect(heard).toHaveLength(4);
});

test("a command's message has the fields of ioredis' messages, the operation, and no database", async () => {
  const { events: heard, stop: unsubscribe } = collectTraces();
  stop = unsubscribe;
  await traced(createClient().client, "command", run, () => ({ command: "SET", args: ["key", "value"] }));
  const server = { serverAddress: "::1", serverPort: 8080 };
  expect(heard).toEqual(
    ["start", "end", "asyncStart", "asyncEnd"].map((event) => [
      `command ${event}`,
      // Node adds the field `result`, without a reply in it.
      {
        operation: "command",
        command: "SET",
        args: ["key", "value"],
        ...server,
        ...(event.startsWith("async") && { result: undefined }),
      },
    ]),
  );
  heard.length = 0;
  await traced(createClient().client, "command", run, () => ({ command: "MULTI", batchSize: 2 }));
  expect(heard[0]).toEqual([
    "command start",
    { operation: "command", command: "MULTI", batchSize: 2, ...server },
  ]);
});
