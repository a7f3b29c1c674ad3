import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { InProgressError, idempotent } from "warmline/idempotent";
import { carries, closeBeforeReply, type Fault, loseReply, onRequest, startInstance } from "warmline-testbed";
import { describeEngines } from "../integration/gateway/engines.js";
import { forEachTest, forTest } from "../support/lifetime.js";
import { useBreakablePath } from "./support/breakable-path.js";

// Requests of an idempotent function that are lost, or that arrive after its lease has ended, and runs that are aborted.

const HANDLER = fileURLToPath(new URL("handlers/idempotent.mjs", import.meta.url));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const never = new Promise<never>(() => {});

describeEngines("idempotent functions under faults", (setup) => {
  const { name } = setup;
  const rig = useBreakablePath(setup);
  const redis = forEachTest(async () => rig.client());
  const direct = forEachTest(async () => rig.direct());
  beforeEach(() => direct.flushall());

  /** Applies the fault to the first request of each of the first `times` connections that carries `text`. */
  const fail = (text: string, fault: Fault, times = 1) =>
    rig.path.onConnection((number) => (number <= times ? onRequest(carries(text), fault) : undefined));

  /** The request reaches the server, the run's lease ends, and the response is lost. */
  const loseReplyAndLease: Fault = {
    response(connection, part) {
      if (part.last) void direct.del("event").then(() => connection.resetClient());
    },
  };

  describe("an idempotent function", () => {
    test.each([1, 3])("stores its result once if the response to it is lost %i times", async (times) => {
      fail("result:", loseReply(), times);
      const call = () => idempotent(redis, "event", (guarded) => guarded.incr("n"));
      expect(await call()).toBe(1);
      // Each loss took a connection. On a busy machine a read may be sent on one more.
      expect(rig.path.connectionsOpened).toBeGreaterThan(times);
      expect(await call()).toBe(1);
      expect(await direct.get("n")).toBe(1);
    });

    test("runs once if each of its requests loses its first response", async () => {
      let runs = 0;
      rig.path.onConnection((number) =>
        number < 5 ? onRequest(number === 1 ? 1 : 2, loseReply()) : undefined,
      );
      const call = () =>
        idempotent(redis, "event", async (guarded) => {
          runs++;
          return [await guarded.incr("n"), await guarded.multi().incr("n").get("n").exec()];
        });
      expect(await call()).toEqual([1, [2, 2]]);
      expect(rig.path.connectionsOpened).toBeGreaterThanOrEqual(5);
      expect(await call()).toEqual([1, [2, 2]]);
      expect([runs, await direct.get("n")]).toEqual([1, 2]);
    });

    test("releases its lease when it throws, even if the response to that DEL is lost", async () => {
      fail("DEL", loseReply(), 2);
      const failing = idempotent(redis, "event", () => Promise.reject(new Error("failed")));
      await expect(failing).rejects.toThrow("failed");
      expect(rig.path.connectionsOpened).toBeGreaterThanOrEqual(3);
      expect(await idempotent(redis, "event", () => "second")).toBe("second");
    });

    test("a write that is repeated after the lease has ended returns its first reply", async () => {
      fail("INCR", loseReplyAndLease);
      const replies: unknown[] = [];
      const run = idempotent(redis, "event", async (guarded) => {
        replies.push(await guarded.incr("n"));
        await guarded.incr("m");
      });
      // The next write is refused.
      await expect(run).rejects.toMatchObject({ code: "LEASELOST", command: "INCR" });
      expect(replies).toEqual([1]);
      expect(await direct.mget("n", "m")).toEqual([1, null]);
    });

    test.each(["pipeline", "multi"] as const)(
      "a %s that is repeated after the lease has ended returns its first results",
      async (kind) => {
        fail("INCR", loseReplyAndLease);
        let results: unknown;
        const run = idempotent(redis, "event", async (guarded) => {
          results = await guarded[kind]().incr("n").get("n").incr("n").exec();
        });
        // The result of the run is refused.
        await expect(run).rejects.toMatchObject({ code: "LEASELOST", command: "SET" });
        expect(results).toEqual([1, 1, 2]);
        expect(await direct.get("n")).toBe(2);
      },
    );

    test("a write that first arrives after the lease has ended is refused, and changes nothing", async () => {
      const lost = closeBeforeReply({ deliver: false });
      fail("INCR", {
        request: (connection, exchange) =>
          void direct.del("event").then(() => lost.request!(connection, exchange)),
      });
      const run = idempotent(redis, "event", (guarded) => guarded.incr("n"));
      await expect(run).rejects.toMatchObject({ name: "RedisError", code: "LEASELOST", outcome: "answered" });
      expect(rig.path.connectionsOpened).toBeGreaterThanOrEqual(2);
      expect(await direct.exists("n")).toBe(0);
    });

    // The freeze does not depend on the engine.
    if (name === "the embedded engine")
      test("a function that is frozen past its lease finds its next write refused", async () => {
        const env = { WARMLINE_URL: rig.path.url, WARMLINE_TOKEN: rig.gateway.token };
        const instance = forTest(await startInstance({ handler: HANDLER, timeoutMs: 20_000, env }));
        const frozen = instance.invoke("event");
        await expect.poll(() => direct.get("n")).toBe(1);
        await instance.freeze();
        const second = await idempotent(direct, "event", (guarded) => guarded.incr("n"), { wait: 10 });
        expect(second).toBe(1);
        await direct.set("go", 1);
        await instance.thaw();
        expect(await frozen).toMatchObject({ result: { code: "LEASELOST", command: "INCR" } });
        expect(await direct.mget("n", "late")).toEqual([1, null]);
        expect(await idempotent(redis, "event", () => "third")).toBe(1);
      });

    test("a signal ends the wait for another run at once, with its reason", async () => {
      void idempotent(direct, "event", () => never);
      await expect.poll(() => direct.exists("event")).toBe(1);
      const controller = new AbortController();
      const client = redis.with({ signal: controller.signal });
      let reason: unknown;
      idempotent(client, "event", () => 1, { wait: 60 }).catch((error) => {
        reason = error;
      });
      await pause(300);
      controller.abort("enough");
      await new Promise(setImmediate);
      expect(reason).toBe("enough");
    });

    test("a wait ends with InProgressError at the deadline", async () => {
      void idempotent(direct, "event", () => never);
      await expect.poll(() => direct.exists("event")).toBe(1);
      let left = 60_000;
      const client = redis.with({ deadline: { remaining: () => left } });
      const waiting = idempotent(client, "event", () => 1, { wait: 60 });
      waiting.catch(() => {});
      await pause(300);
      left = 0;
      await expect(waiting).rejects.toBeInstanceOf(InProgressError);
    });

    test("after an abort and its deadline, a run still releases its lease or stores its result", async () => {
      const limits = () => {
        const controller = new AbortController();
        let left = 60_000;
        const client = redis.with({ signal: controller.signal, deadline: { remaining: () => left } });
        const end = () => {
          controller.abort("enough");
          left = 0;
        };
        return { client, end };
      };
      const failing = limits();
      const failed = idempotent(failing.client, "event", async (guarded) => {
        failing.end();
        await guarded.incr("n");
      });
      await expect(failed).rejects.toBe("enough");
      expect(await direct.mget("event", "n")).toEqual([null, null]);
      const late = limits();
      const call = () => idempotent(late.client, "event", () => late.end());
      expect(await call()).toBeUndefined();
      expect(await idempotent(redis, "event", () => "second")).toBeUndefined();
    });

    test("a run that is aborted while it takes the lease releases it", async () => {
      const controller = new AbortController();
      fail("lease:", {
        response(_connection, part) {
          if (part.last) controller.abort("enough");
        },
      });
      const client = redis.with({ signal: controller.signal });
      await expect(idempotent(client, "event", () => 1)).rejects.toBe("enough");
      await expect.poll(() => direct.exists("event")).toBe(0);
    });
  });
});
