import { expect, test } from "vitest";
import { commands } from "../../support/commands.js";
import { forEachTest } from "../../support/lifetime.js";
import { describeEngines, realRedis } from "./engines.js";
import { call, metric, run } from "./http.js";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const LIMIT = 4;

describeEngines("commands that wait", (setup) => {
  // Each test has a gateway of its own, because idle connections count too.
  const gateway = forEachTest(() =>
    setup.start({ commandTimeout: 2_000, maxBlockingConnections: LIMIT, shutdownTimeout: 100 }),
  );

  /** The number of connections for blocking commands, lent or idle. */
  const blockingConnections = () => metric(gateway, 'upstream_connections{use="blocking"}');

  test("a blocking command is woken by another client, which is not delayed", async () => {
    const waiting = call(gateway, "/", { body: ["BLPOP", "l", "5"] });
    await expect.poll(blockingConnections).toBe(1);
    const began = performance.now();
    expect(await run(gateway, "RPUSH", "l", "value")).toBe(1);
    expect(performance.now() - began).toBeLessThan(2_500);
    expect((await waiting).json).toEqual({ result: ["l", "value"] });
  });

  test("a blocking command may block longer than commandTimeout, and not longer than its own timeout", async () => {
    const began = performance.now();
    const response = await call(gateway, "/", { body: ["BLPOP", "l", "2.3"] });
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ result: null });
    expect(performance.now() - began).toBeGreaterThan(2_280);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("a blocking command is cancelled with its client, and no element is lost", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ended = Promise.all(
      Array.from({ length: LIMIT }, () =>
        expect(call(gateway, "/", { body: ["BLPOP", "l", "0"], signal })).rejects.toThrow(/abort/i),
      ),
    );
    await expect.poll(blockingConnections).toBe(LIMIT);
    controller.abort();
    await ended;
    await expect.poll(blockingConnections).toBe(0);
    // The engine learns of a closed connection a moment later.
    if (setup.name === realRedis.name) {
      await expect.poll(() => run(gateway, "INFO", "clients")).toContain("blocked_clients:0\r\n");
    } else await sleep(1_000); // The embedded engine does not show it.
    await run(gateway, "RPUSH", "l", "value");
    expect(await run(gateway, "LRANGE", "l", 0, -1)).toEqual(["value"]);
  });

  test("blocking commands above the limit are refused as unsent after commandTimeout, and delay no other command", async () => {
    const waiting = Array.from({ length: LIMIT }, () => call(gateway, "/", { body: ["BLPOP", "l", "20"] }));
    await expect.poll(blockingConnections).toBe(LIMIT);
    const refused = await call(gateway, "/", { body: ["BLPOP", "l", "1"] });
    expect(refused.json.error).toContain("(setting maxBlockingConnections)");
    expect(refused.status).toBe(503);
    expect(refused.headers["warmline-outcome"]).toBe("unsent");
    expect(await blockingConnections()).toBe(LIMIT);
    expect((await call(gateway, "/multi-exec", { body: [["INCR", "n"]] })).json).toEqual([{ result: 1 }]);
    const queued = call(gateway, "/", { body: ["BLPOP", "other", "0.1"] });
    await run(gateway, "RPUSH", "l", "a");
    expect((await queued).json).toEqual({ result: null });
    await run(gateway, "RPUSH", "l", "b", "c", "d");
    const popped = (await Promise.all(waiting)).map((response) => response.json.result[1]);
    expect(popped.sort()).toEqual(["a", "b", "c", "d"]);
  });

  test("a blocking command keeps its place in a pipeline", async () => {
    const body = commands("SET k 1", "BLPOP l 0.5", "INCR k", "BLPOP l 0.5");
    const response = await call(gateway, "/pipeline", { body });
    expect(response.json).toEqual([{ result: "OK" }, { result: null }, { result: 2 }, { result: null }]);
  });

  test("a blocking command does not block inside a transaction", async () => {
    const began = performance.now();
    const response = await call(gateway, "/multi-exec", { body: commands("BLPOP l 5", "INCR n") });
    expect(response.json).toEqual([{ result: null }, { result: 1 }]);
    expect(performance.now() - began).toBeLessThan(2_500);
  });

  test("WAIT runs only in a pipeline, after another command", async () => {
    expect((await call(gateway, "/", { body: ["WAIT", 0, 10] })).json.error).toMatch(/^NOPERM .*pipeline/);
    const first = await call(gateway, "/pipeline", { body: [["WAIT", 0, 10]] });
    expect(first.json[0].error).toMatch(/^NOPERM .*pipeline/);
    const { json } = await call(gateway, "/pipeline", { body: commands("SET k v", "WAIT 0 10") });
    expect(json).toEqual([{ result: "OK" }, { result: 0 }]);
  });
});
