import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RawEndpoint, resp2Response } from "../support/endpoint.js";
import { describeEntries } from "../support/entries.js";

// Tests of programs that use the client put fake timers in the place of all timers and clocks, and may never move them.

describeEntries((Client) => {
  const endpoint = RawEndpoint.forEachTest();
  beforeEach(() => {
    // undici does not go on without the real setImmediate.
    if (process.env.WARMLINE_CONNECTION === "undici") vi.useFakeTimers({ toFake: ["setTimeout", "Date"] });
    else vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    client().close();
  });
  const client = () => new Client({ url: endpoint.url, token: "t", responseFormat: "json" });
  const ok = (times: number) =>
    resp2Response(times === 1 ? '{"result":"OK"}' : '[{"result":"OK"},{"result":"OK"}]', {
      "content-type": "application/json",
    });

  test("commands resolve, alone and together", async () => {
    endpoint.onRequest = ({ socket, body }) => void socket.write(ok(body.startsWith("[[") ? 2 : 1));
    expect(await client().set("a", 1)).toBe("OK");
    expect(await Promise.all([client().set("a", 1), client().set("b", 1)])).toEqual(["OK", "OK"]);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await client().set("a", 1)).toBe("OK");
    vi.setSystemTime(Date.now() - 7_200_000);
    expect(await client().set("a", 1)).toBe("OK");
  });

  test("retries wait by the real clock", async () => {
    endpoint.onRequest = ({ socket }) =>
      endpoint.requests.length < 3 ? socket.destroy() : void socket.write(ok(1));
    expect(await client().echo("a")).toBe("OK");
  });

  test("a server that sends nothing is a TimeoutError", async () => {
    endpoint.onRequest = () => {};
    await expect(client().with({ timeout: 1_000 }).get("a")).rejects.toMatchObject({
      name: "TimeoutError",
      outcome: "unknown",
    });
  });
});
