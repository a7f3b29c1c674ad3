import { beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { markPageDynamic } from "../../../src/client/nextjs.js";
import { createRedisClass } from "../../../src/client/redis.js";
import { createStats, type Transport } from "../../../src/transport/transport.js";
import { commands } from "../../support/commands.js";

// While Next.js builds, each command waits for a fetch. The order of the calls is still kept.

let fetches = 0;
beforeEach(() => {
  vi.stubEnv("NEXT_RUNTIME", "nodejs");
  vi.stubEnv("NEXT_PHASE", "phase-production-build");
  fetches = 0;
  // The first to wait is ready last.
  vi.stubGlobal("fetch", () => new Promise((resolve) => setTimeout(resolve, 200 - 25 * (fetches++ % 8))));
});

/** Returns a client whose commands each wait before they are sent, and the commands sent. Each response arrives at once. */
function slowlyPrepared() {
  const bodies: unknown[] = [];
  const transport: Transport = {
    stats: createStats(),
    attempt(listener) {
      const sent: unknown[] = JSON.parse(String(listener.take().body));
      bodies.push(sent);
      const reply = { result: null };
      listener.onStart();
      listener.onResponse({
        status: 200,
        header: (name) => (name === "content-type" ? "application/json" : undefined),
        body: Buffer.from(JSON.stringify(Array.isArray(sent[0]) ? sent.map(() => reply) : reply)),
      });
      return { abort() {} };
    },
    onRetry() {},
  };
  const Slow = createRedisClass({
    env: () => ({}),
    beforeCalls: markPageDynamic,
    createTransport: () => transport,
  });
  return { bodies, redis: new Slow({ url: "http://127.0.0.1:2", token: "t" }) };
}

test("commands of a turn are sent in the order issued, after what they wait for", async () => {
  const { bodies, redis } = slowlyPrepared();
  await Promise.all([redis.set("k", 1), redis.exec(["SET", "k", "2"]), redis.get("k"), redis.set("k", 3)]);
  expect(bodies.splice(0)).toEqual([commands("SET k 1", "SET k 2", "GET k", "SET k 3")]);
  await Promise.all([redis.get("k"), redis.exec(["SET", "k", "2"]), redis.get("k", { schema: z.any() })]);
  expect(bodies.splice(0)).toEqual([commands("GET k", "SET k 2", "GET k")]);
  const own = redis.with({ timeout: 1_000 });
  await Promise.all([own.get("k", { schema: z.any() }), own.set("k", 4)]);
  expect(bodies.splice(0)).toEqual([commands("GET k", "SET k 4")]);
});

test("commands of different turns, as of different requests in one process, don't travel together", async () => {
  const ready: (() => void)[] = [];
  vi.stubGlobal("fetch", () => new Promise<void>((resolve) => ready.push(resolve)));
  const { bodies, redis: other } = slowlyPrepared();
  const one = [other.exec(["SET", "one", "1"]), other.get("one")];
  await new Promise(setImmediate);
  const ofOne = ready.splice(0);
  const two = [other.exec(["SET", "two", "2"]), other.get("two")];
  // The commands of the second tick are ready first.
  for (const resolve of ready) resolve();
  await expect.poll(() => bodies.length).toBe(1);
  for (const resolve of ofOne) resolve();
  await Promise.all([...one, ...two]);
  expect(bodies).toEqual([commands("SET two 2", "GET two"), commands("SET one 1", "GET one")]);
});

test("a command whose preparation fails rejects with its error, and the others are sent", async () => {
  const { bodies, redis } = slowlyPrepared();
  const controller = new AbortController();
  const gone = new Error("gone");
  const aborted = redis.with({ signal: controller.signal }).get("aborted");
  const late = redis.with({ timeout: 10 }).get("late");
  const sent = redis.get("sent");
  controller.abort(gone);
  await Promise.all([
    expect(aborted).rejects.toBe(gone),
    expect(late).rejects.toMatchObject({ name: "TimeoutError", outcome: "unsent" }),
    sent,
  ]);
  expect(bodies).toEqual([["GET", "sent"]]);
});
