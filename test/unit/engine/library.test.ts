import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import {
  ClientSession,
  CommandExecutor,
  CommandRegistry,
  RedisDatabase,
  RedisFunctionRegistry,
  RedisKeyspace,
  RedisLuaRuntime,
  RedisMutationBus,
  RedisPubSubBroker,
  RedisServerState,
  redisCommandDefinitions,
  SerialTurnQueue,
} from "js-redis-server/core";
import { expect, test } from "vitest";

// The embedded engine replaces parts of its library that are not made to be replaced. docs/architecture.md lists them. A new version
// of the library changes the text of some: read what is new there, run the comparison suites, and renew the hashes.

const require = createRequire(import.meta.url);

/** The class of the tracker that a command gets for a value of a type. */
function trackerOf(type: "Hash" | "List" | "Set" | "SortedSet" | "Stream"): unknown {
  let found: unknown;
  new RedisDatabase(0)[`update${type}`](Buffer.from("k"), (tracker: object) => {
    found = tracker.constructor;
  });
  return found;
}

const BORDERS: Readonly<Record<string, readonly unknown[]>> = {
  keyspace: [RedisKeyspace, RedisDatabase, RedisMutationBus],
  trackers: (["Hash", "List", "Set", "SortedSet", "Stream"] as const).map(trackerOf),
  turns: [SerialTurnQueue, ClientSession],
  commands: [
    CommandExecutor,
    CommandRegistry,
    ...redisCommandDefinitions
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap(({ name, execute, keys }) => [name, execute, keys]),
  ],
  scripts: [RedisLuaRuntime, RedisFunctionRegistry, RedisServerState],
  messages: [RedisPubSubBroker],
};

const hashOf = (parts: readonly unknown[]) =>
  createHash("sha256").update(parts.map(String).join("\n")).digest("hex").slice(0, 12);

test("the library is the one whose borders the engine knows", () => {
  const versions = ["js-redis-server", "lua-redis-wasm"].map((name) => {
    // Its package.json is no export.
    const path = require.resolve(name).replace(/([\\/]node_modules[\\/][^\\/]+)[\\/].*/, "$1/package.json");
    return `${name} ${require(path).version}`;
  });
  expect(versions).toEqual(["js-redis-server 0.3.0", "lua-redis-wasm 1.5.0"]);
});

test.each([
  ["keyspace", "d5d1d8d995ac"],
  ["trackers", "8197a8387d0f"],
  ["turns", "2c6a7a583894"],
  ["commands", "72f191dfef7a"],
  ["scripts", "e5483da2869a"],
  ["messages", "dd791a6c731a"],
])("the library is as before at the border: %s", (border, hash) => {
  expect(hashOf(BORDERS[border]!)).toBe(hash);
});
