import { expect, test } from "vitest";
import { isOutage } from "../../../src/cache/outage.js";
import { RedisError } from "../../../src/errors.js";

// Written out here because no test runs a Redis before version 7. With a real Redis: test/faults/cache.test.ts.

const inScript = (error: string) =>
  `ERR Error running script (call to f_6b1bf486c81ceb7edf3c093f4c48582e38c0e791): @user_script:4: @user_script: 4: ${error}`;

test.each([
  ["-OOM command not allowed when used memory > 'maxmemory'.", true],
  ["-READONLY You can't write against a read only replica.", true],
  [
    "-MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.",
    true,
  ],
  ["-NOREPLICAS Not enough good replicas to write.", true],
  ["WRONGTYPE Operation against a key holding the wrong kind of value", false],
])("an error that Redis before 7.0 wraps in a script error is recognised: %s", (error, expected) => {
  expect(isOutage(new RedisError(inScript(error), { command: "EVALSHA" }))).toBe(expected);
});

test.each([
  ["LOADING Redis is loading the dataset in memory", true],
  ["BUSY Redis is busy running a script.", true],
  ["BUSYGROUP Consumer Group name already exists", false],
  ["NOPERM this user has no permissions to run the 'evalsha' command", false],
  ["ERR value is OOM or READONLY", false],
])("an error reply is an outage if no command can run: %s", (reply, expected) => {
  expect(isOutage(new RedisError(reply, { command: "EVALSHA" }))).toBe(expected);
});

// Messages from Upstash's documentation. For the limits of a gateway token, see test/faults/cache.test.ts.
test.each([
  ["ERR max requests limit exceeded. Limit: 500000, Usage: 500000.", true],
  ["ERR max daily request limit exceeded. Limit: 10000, Usage: 10000.", true],
  ["ERR max concurrent connections exceeded", true],
  ["ERR DB capacity quota exceeded", true],
  ["ERR max request size exceeded. Limit: 1048576 bytes, Actual: 2097152 bytes", false],
  ["ERR max single record size exceeded", false],
  ["ERR max key size exceeded. Limit: 32768 bytes, Actual: 40000 bytes", false],
])("an exceeded plan limit is an outage, an exceeded size limit is not: %s", (reply, expected) => {
  expect(isOutage(new RedisError(reply, { command: "EVALSHA" }))).toBe(expected);
});
