import { duplexPair } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { settingsOf } from "../../../../gateway/src/options.js";
import { ownEngine } from "../../../../gateway/src/upstream/redis-url.js";
import { upstreamsOf } from "../../../../gateway/src/upstream/upstreams.js";
import { commandsIn, sent } from "./fake-cluster.js";

afterEach(() => {
  vi.useRealTimers();
});

it("connections of a user end when they were not used for a minute; those of the gateway itself stay", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const engine = ownEngine({
    description: "a function",
    connect: () => {
      const [near, far] = duplexPair();
      far.on("data", (chunk: Buffer) => far.write("+OK\r\n".repeat(commandsIn(chunk).length)));
      return near;
    },
    close: async () => {},
  });
  const upstreams = upstreamsOf(engine, settingsOf());
  const [own, user] = [null, { username: "ann", password: "secret" }].map((each) => upstreams.of(each));
  for (const upstream of [own!, user!]) {
    expect(await sent((commands, receiver) => upstream.send(commands, receiver), ["GET k"])).toEqual(["+OK"]);
  }
  // What /metrics shows is of all users.
  expect(user!.counters).toBe(own!.counters);
  vi.advanceTimersByTime(59_000);
  expect(user!.connections.shared).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(user!.connections.shared).toBe(0);
  expect(own!.connections.shared).toBe(1);
  expect(await sent((commands, receiver) => user!.send(commands, receiver), ["GET k"])).toEqual(["+OK"]);
  upstreams.close();
});
