import { describe, expect, test } from "vitest";
import { denialReason } from "../../../gateway/src/access/denial-reasons.js";
import { Prefix } from "../../../gateway/src/access/prefix.js";
import { bearerOf } from "../../../gateway/src/access/token.js";
import { waitOf } from "../../../gateway/src/commands/blocking.js";
import { isRead } from "../../../gateway/src/commands/command-info.js";
import { redisAt } from "../../../gateway/src/redis/redis-url.js";
import { Command, command } from "../../../gateway/src/resp/command.js";
import { facts } from "../../../scripts/commands/check.js";
import { commands } from "../../support/commands.js";

const SINGLE = { kind: "single", before: 0 } as const;

describe("refused commands", () => {
  const names =
    `CLIENT select Multi EXEC DISCARD WATCH UNWATCH SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE
    SUNSUBSCRIBE MONITOR QUIT RESET HELLO AUTH READONLY READWRITE ASKING SYNC PSYNC REPLCONF SHUTDOWN DEBUG CONFIG MODULE
    REPLICAOF SLAVEOF FAILOVER MIGRATE RESTORE-ASKING POST Host:`.split(/\s+/);

  test.each(names)("the command %s is refused", (name) => {
    const text = `NOPERM this user has no permissions to run the '${name.toLowerCase()}' command`;
    expect(denialReason(command(name, "x"), SINGLE)?.split(";")[0]).toBe(text);
    expect(denialReason(command(name), { kind: "transaction", before: 0 })).not.toBeNull();
    expect(denialReason(command(name), { kind: "pipeline", before: 3 })).not.toBeNull();
  });

  test.each([
    [["CONFIG", "GET", "maxmemory"], "CONFIG GET"],
    [["config", "no-such", "secret"], "CONFIG"],
    [["SHUTDOWN"], "SHUTDOWN"],
    [["CLUSTER", "FAILOVER"], "CLUSTER FAILOVER"],
    [["CLIENT", "LIST"], "CLIENT LIST"],
  ])("the refusal of %j names --allow-command", (args, name) => {
    const [first, ...rest] = args as [string, ...string[]];
    const text = denialReason(command(first, ...rest), SINGLE)!;
    expect(text).toMatch(new RegExp(`; --allow-command "${name}" opens it to admin tokens$`));
    expect(text).not.toContain("secret");
  });

  test.each(["SELECT", "SUBSCRIBE", "AUTH"])("the refusal of %s, never allowed, names no setting", (name) => {
    expect(denialReason(command(name, "x"), SINGLE)).not.toContain("--allow-command");
  });

  test("refused commands are recognised as Redis would", () => {
    expect(denialReason(command("post\0x"), SINGLE)).not.toBeNull();
    expect(denialReason(command("script", "debug", "YES"), SINGLE)).not.toBeNull();
    expect(denialReason(command("script", "debug\0", "YES"), SINGLE)).not.toBeNull();
    expect(denialReason(command("script", "load", "return 1"), SINGLE)).toBeNull();
  });

  test("commands too long for an older Redis are refused", () => {
    expect(denialReason(new Command(Buffer.from("*1048577\r\n$3\r\nDEL\r\n"), 1_048_577), SINGLE)).toMatch(
      /^ERR .* arguments/,
    );
    expect(denialReason(new Command(Buffer.from("*1048576\r\n$3\r\nDEL\r\n"), 1_048_576), SINGLE)).toBeNull();
  });

  test("similar commands are not refused", () => {
    for (const name of ["GET", "CONFIGX", "toString", "__proto__", ""])
      expect(denialReason(command(name), SINGLE)).toBeNull();
  });

  test.each([
    ["WAIT", "1", "100"],
    ["WAITAOF", "0", "1", "100"],
  ])("%s is allowed only after a write in a pipeline", (...args) => {
    expect(denialReason(command(...args), SINGLE)).toMatch(/^NOPERM .*pipeline/);
    expect(denialReason(command(...args), { kind: "transaction", before: 0 })).toMatch(/^NOPERM/);
    expect(denialReason(command(...args), { kind: "pipeline", before: 0 })).toMatch(/^NOPERM/);
    expect(denialReason(command(...args), { kind: "pipeline", before: 1 })).toBeNull();
  });
});

test.each([
  [["GET", "k"], null],
  [["blpop", "a", "b", "1.5"], 1_500],
  [["BRPOP", "a", "0"], Number.POSITIVE_INFINITY],
  [["BRPOPLPUSH", "a", "b", "2"], 2_000],
  [["BLMOVE", "a", "b", "LEFT", "RIGHT", "3"], 3_000],
  [["BZPOPMIN", "a", "4"], 4_000],
  [["BZPOPMAX", "a", "4"], 4_000],
  [["BLMPOP", "5", "1", "a", "LEFT"], 5_000],
  [["BZMPOP", "5", "1", "a", "MIN"], 5_000],
  [["WAIT", "1", "250"], 250],
  [["WAITAOF", "1", "0", "250"], 250],
  [["XREAD", "COUNT", "2", "BLOCK", "300", "STREAMS", "s", "$"], 300],
  [["xread", "block", "0", "streams", "s", "$"], Number.POSITIVE_INFINITY],
  [["XREAD", "STREAMS", "BLOCK", "0"], null],
  [["XREADGROUP", "GROUP", "BLOCK", "7", "COUNT", "1", "STREAMS", "s", ">"], null],
  [["XREADGROUP", "GROUP", "g", "c", "NOACK", "BLOCK", "9", "STREAMS", "s", ">"], 9],
  [["BLPOP", "a", "-1"], 0],
  [["BLPOP", "a", "soon"], 0],
  [["BLPOP"], 0],
  [["constructor"], null],
])("the blocking time of %j is known", (args, expected) => {
  expect(waitOf(command(...args))).toBe(expected);
});

const blocking = Object.keys(facts).filter((name) => facts[name]!.flags?.includes("blocking"));
test.each(blocking.filter((name) => !name.startsWith("XREAD")))(
  "the gateway knows that %s may wait",
  (name) => {
    expect(waitOf(command(name, ...Array(6).fill("1")))).not.toBeNull();
  },
);

test.each([
  ["my-app:", "my-app:*", true],
  ["my-app:", "my\\-app:*", true],
  ["a[x]*", "a\\[x]\\**", true],
  ["a[x]*", "a[x]*", false],
  ["app:", "ap*", false],
  ["app:", "app", false],
  ["app:", "a?p:*", false],
  ["app:", "apq:*", false],
  ["a\\", "a\\", true],
])("whether the prefix %s covers the pattern %s: %s", (prefix, pattern, covers) => {
  expect(new Prefix(prefix).coversPattern(pattern)).toBe(covers);
});

test("tokens are read from the Authorization header", () => {
  expect(bearerOf("Bearer abc")).toBe("abc");
  expect(bearerOf("bearer abc")).toBe("abc");
  for (const other of ["", "Bearer", "Bearer ", "Basic abc", "abc"]) expect(bearerOf(other)).toBeNull();
});

test("reads are known by name, in any case, and unknown commands may write", () => {
  expect(["get", "MGET", "xread", "EVAL_RO"].every((name) => isRead(command(name)))).toBe(true);
  expect(
    ["set", "GETEX", "GETDEL", "XREADGROUP", "EVAL", "PUBLISH", "nope"].some((name) => isRead(command(name))),
  ).toBe(false);
});

describe("the URL of a Redis", () => {
  const said = (url: string) =>
    redisAt(url)
      .handshake(null)
      .map((entry) =>
        entry.bytes
          .toString()
          .split("\r\n")
          .filter((_, i) => i > 0 && i % 2 === 0),
      );

  test("the URL of a Redis contains the user and the database", () => {
    expect(said("redis://localhost")).toEqual([]);
    expect(said("redis://:p%40ss@localhost:6380/0")).toEqual([["AUTH", "p@ss"]]);
    expect(said("rediss://ann:secret@localhost/3")).toEqual(commands("AUTH ann secret", "SELECT 3"));
    for (const url of ["unix:///run/redis.sock?db=2", "redis://localhost?db=2", "redis://localhost/?db=2"])
      expect(said(url)).toEqual([["SELECT", "2"]]);
  });

  test("the URL of a Redis is described without its password", () => {
    expect(redisAt("redis://ann:secret@db.test/3").description).toBe("redis at db.test:6379");
    expect(redisAt("redis://[::1]:7000").description).toBe("redis at [::1]:7000");
  });

  test.each([
    "localhost:6379",
    "http://localhost",
    "redis://",
    "redis://localhost/x",
    "redis://:a%zz@localhost",
    "nonsense",
  ])("the URL %s is refused without being repeated", (url) => {
    expect(() => redisAt(url)).toThrow(TypeError);
    expect(() => redisAt(url)).toThrow(/^redis: /);
    expect(() => redisAt(url)).not.toThrow(/a%zz|nonsense/);
  });
});
