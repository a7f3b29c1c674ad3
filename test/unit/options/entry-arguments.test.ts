import { MockAgent } from "undici";
import { expect, test } from "vitest";
import { cached } from "../../../src/cache.js";
import { ArgumentError, ConfigError } from "../../../src/errors.js";
import { idempotent } from "../../../src/idempotent.js";
import { Redis } from "../../../src/index.js";
import { warmlineConnector } from "../../../src/ioredis.js";
import { near } from "../../../src/near.js";
import { startLoopback } from "../../../src/node-redis.js";
import { createTracing, startTelemetry } from "../../../src/otel.js";
import { follow, produce } from "../../../src/streams.js";
import { undici } from "../../../src/undici.js";

const redis = new Redis({ url: "http://127.0.0.1:1", token: "t", retry: false });
const ownEndpoint = { url: "http://127.0.0.1:1", token: "t", preconnect: false };

type Call = (...args: any[]) => unknown;

/** Each function of an entry, with arguments that it takes. */
const FUNCTIONS: [name: string, call: Call, args: unknown[], kind: typeof ConfigError][] = [
  ["near", near, [{ match: "a" }], ConfigError],
  ["cached", cached, [redis, "user", () => 1, { key: () => "7", fresh: 60 }], ConfigError],
  ["undici", undici, [new MockAgent()], ConfigError],
  ["startTelemetry", startTelemetry, [{}], ConfigError],
  ["createTracing", createTracing, [{}], ConfigError],
  ["warmlineConnector", warmlineConnector, [ownEndpoint], ConfigError],
  ["startLoopback", startLoopback, [ownEndpoint], ConfigError],
  ["idempotent", idempotent, [redis, "key", () => 1, {}], ArgumentError],
  ["follow", follow, [redis, "log", {}], ArgumentError],
  ["produce", produce, [redis, "log", {}], ArgumentError],
];

/** Returns the error of a call that throws or rejects. */
async function errorOf(call: Call, ...args: unknown[]): Promise<unknown> {
  try {
    return await call(...args);
  } catch (error) {
    return error;
  }
}

test.each(FUNCTIONS)("%s refuses more arguments than it takes", async (name, call, args, kind) => {
  for (const surplus of [{ fresh: 1 }, undefined]) {
    const error = await errorOf(call, ...args, surplus);
    expect(error).toBeInstanceOf(kind);
    expect((error as Error).message).toBe(`${name}: too many arguments; it takes at most ${args.length}`);
  }
});

test.each(FUNCTIONS.filter(([, , args]) => Object.getPrototypeOf(args.at(-1)) === Object.prototype))(
  "%s refuses options that are no object",
  async (_name, call, args, kind) => {
    for (const options of [null, 1, "x"]) {
      const error = await errorOf(call, ...args.slice(0, -1), options);
      expect(error).toBeInstanceOf(kind);
      expect((error as Error).message).toMatch(/an object/);
    }
  },
);

test.each(FUNCTIONS.filter(([, , [first]]) => first === redis))(
  "%s refuses a first argument that is no client",
  async (name, call, [, ...args], kind) => {
    for (const first of [undefined, null, {}, "redis"]) {
      const error = await errorOf(call, first, ...args);
      expect(error).toBeInstanceOf(kind);
      expect((error as Error).message).toBe(
        `${name}: the first argument must be a client, such as new Redis()`,
      );
    }
  },
);

/** The numeric options of each function, and the text of what they must be. */
const NUMBERS: [name: string, option: string, wanted: string][] = [
  ["near", "maxStale", "a number of ms above 0 to 1000000000000"],
  ["near", "maxBytes", "a number of bytes above 0 to 9007199254740991"],
  ["cached", "fresh", "a number of seconds above 0 to 1000000000"],
  ["cached", "stale", "a number of seconds from 0 to 1000000000"],
  ["cached", "lease", "a number of seconds above 0 to 1000000000"],
  ["idempotent", "lease", "a number of seconds above 0 to 1000000000"],
  ["idempotent", "remember", "a number of seconds above 0 to 1000000000"],
  ["idempotent", "wait", "a number of seconds from 0 to 1000000000"],
  ["produce", "ttl", "a whole number above 0 to 1000000000"],
  ["produce", "maxLen", "a whole number above 0 to 9007199254740991"],
];

test.each(NUMBERS)("%s refuses a %s that is not finite or out of range", async (name, option, wanted) => {
  const [, call, args, kind] = FUNCTIONS.find((each) => each[0] === name)!;
  const values = [
    Infinity,
    -Infinity,
    Number.NaN,
    1e300,
    -1,
    "1",
    null,
    5n,
    ...(wanted.includes("above") ? [0] : []),
  ];
  for (const value of values) {
    const options = { ...(args.at(-1) as object), [option]: value };
    const error = await errorOf(call, ...args.slice(0, -1), options);
    expect(error).toBeInstanceOf(kind);
    expect((error as Error).message).toBe(`${name}: ${option} must be ${wanted}`);
  }
});
