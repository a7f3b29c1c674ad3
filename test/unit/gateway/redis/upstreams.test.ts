import { duplexPair } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { ownEngine } from "../../../../gateway/src/redis/redis-url.js";
import type { Upstream } from "../../../../gateway/src/redis/upstream.js";
import { createUpstreams } from "../../../../gateway/src/redis/upstreams.js";
import { USER_IDLE } from "../../../../gateway/src/redis/users.js";
import { resolveSettings } from "../../../../gateway/src/settings/options.js";
import { commandsIn, sent } from "./fake-cluster.js";

afterEach(() => void vi.useRealTimers());

/** A Redis that replies OK to everything, to BLPOP on demand, and counts its connections. */
function start() {
  const state = { open: 0, popped: null as (() => void) | null };
  const engine = ownEngine({
    description: "a function",
    connect: () => {
      const [near, far] = duplexPair();
      state.open++;
      near.once("close", () => state.open--);
      far.on("data", (chunk: Buffer) => {
        for (const [name] of commandsIn(chunk)) {
          const response = () => far.write("+OK\r\n");
          if (name === "BLPOP") state.popped = response;
          else response();
        }
      });
      return near;
    },
    close: async () => {},
  });
  return { upstreams: createUpstreams(engine, resolveSettings()), state };
}

const get = (upstream: Upstream) =>
  sent((commands, receiver) => upstream.send(commands, receiver), ["GET k"]);

test("an unused user is forgotten once it has no command under way, and the gateway's own stays", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  const { upstreams, state } = start();
  const user = (number: number) => ({ username: `user${number}`, password: "secret" });
  const count = () => [...upstreams].length;
  expect(count()).toBe(1);
  const main = upstreams.of(null);
  const first = upstreams.of(user(0));
  for (const each of [main, first]) expect(await get(each)).toEqual(["+OK"]);
  // The numbers of /metrics cover all users.
  expect(upstreams.counters.commands).toBe(2);
  // This user has a blocked command, and must not be forgotten.
  const waiting = upstreams.of(user(1));
  const popped = sent(
    (commands, receiver) => void waiting.sendAlone(commands, [600_000], receiver),
    ["BLPOP k 600"],
  );
  await vi.waitFor(() => expect(state.popped).not.toBeNull(), 10_000);
  expect(upstreams.of(user(0))).toBe(first);
  expect(count()).toBe(3);
  for (let minute = 0; minute < 4; minute++) await vi.advanceTimersByTimeAsync(USER_IDLE);
  expect(upstreams.of(user(1))).toBe(waiting);
  state.popped!();
  expect(await popped).toEqual(["+OK"]);
  for (let minute = 0; minute < 4; minute++) {
    await vi.advanceTimersByTimeAsync(USER_IDLE);
    // A stream emits its close in a later tick.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(count()).toBe(1);
  expect([state.open, main.connections.shared]).toEqual([1, 1]);
  const again = upstreams.of(user(0));
  expect(again).not.toBe(first);
  expect(await get(again)).toEqual(["+OK"]);
  upstreams.close();
});
