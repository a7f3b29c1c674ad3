import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { denialReason, openedCommands } from "../../../../gateway/src/access/denial-reasons.js";
import { COMMANDS_OF } from "../../../../gateway/src/access/roles.js";
import { allCommandInfo } from "../../../../gateway/src/commands/command-info.js";
import { KeyLockingScripts } from "../../../../gateway/src/commands/key-locking.js";
import { ONCE_SCRIPTS, onceCallOf } from "../../../../gateway/src/commands/once.js";
import { argsOf } from "../../../../gateway/src/resp/args.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { facts } from "../../../../scripts/commands/check.js";
import { wrapInIdempotencyScript } from "../../../../src/execution/exactly-once/guard.js";
import { createScope } from "../../../../src/execution/exactly-once/scope.js";
import { CHECK_LEASE, CHECK_PATH, idempotencyScript } from "../../../../src/execution/exactly-once/script.js";

const SINGLE = { kind: "single", before: 0 } as const;

/** The commands that a role allows, one line for each group. */
function listed(names: ReadonlySet<string>): string[] {
  const groups = new Map<string, string[]>();
  for (const { name, group } of allCommandInfo()) {
    if (names.has(name)) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups].sort().map(([group, members]) => `${group}: ${members.join(", ")}`);
}

test("a role allows these commands and no others: a change here changes what tokens may do", () => {
  expect(listed(COMMANDS_OF["read-only"]!)).toMatchSnapshot("read-only");
  expect(listed(COMMANDS_OF.standard!)).toMatchSnapshot("standard");
});

test("a read-only role has no command that writes, runs code, or finds keys that were not named", () => {
  const names = COMMANDS_OF["read-only"]!;
  for (const { name, readonly } of allCommandInfo()) {
    if (!names.has(name)) continue;
    const more = facts[name]!.flags?.filter((flag) => flag === "write" || flag === "admin") ?? [];
    expect({ name, readonly, more }).toEqual({ name, readonly: true, more: [] });
  }
  const all = Array.from(allCommandInfo(), ({ name }) => name);
  // Each also stands for its subcommands.
  for (const denied of [
    ...["PUBLISH", "EVAL", "EVAL_RO", "FCALL_RO", "KEYS", "SCAN", "RANDOMKEY", "TS.MGET", "TS.MRANGE"],
    ...["SCRIPT FLUSH", "SLOWLOG RESET", "MEMORY PURGE", "ACL", "CONFIG", "DEBUG"],
  ]) {
    const named = all.filter((name) => name === denied || name.startsWith(`${denied} `));
    expect(named, denied).not.toEqual([]);
    expect(named.filter((name) => names.has(name))).toEqual([]);
  }
});

test("the client's own scripts are recognised in every form", () => {
  const scripts = new KeyLockingScripts();
  const checks = [
    ["", 0],
    [CHECK_PATH, 2],
    [CHECK_LEASE, 1],
  ] as const;
  const forms = checks.flatMap(([check, after]) =>
    [true, false].flatMap((upstash) => {
      const script = idempotencyScript(upstash, check);
      return [script, scripts.plain(command("EVAL", script, "0")).text(1)].map(
        (form) => [form, after] as const,
      );
    }),
  );
  const digests = forms.map(
    ([form, after]) => [createHash("sha256").update(form, "latin1").digest("hex"), after] as const,
  );
  expect(new Map(digests)).toEqual(ONCE_SCRIPTS);
});

test("the command inside an exactly-once write is recognised, with its keys", () => {
  const args = wrapInIdempotencyScript(["MSET", "app:a", "1", "app:b", "2"], 120_000, false).map(String);
  const call = onceCallOf(command(...args))!;
  expect(argsOf(call.wrapped)).toEqual(["MSET", "app:a", "1", "app:b", "2"]);
  expect(call.keys.map((place) => args[place]).slice(1)).toEqual(["app:a", "app:b"]);
  expect(args[call.keys[0]!]).toMatch(/^app:a:wl:/);
  const changed = args.with(1, `${args[1]} `);
  for (const other of [changed, args.with(2, "x"), args.with(2, "99"), ["GET", "a"], args.slice(0, 6)])
    expect(onceCallOf(command(...other))).toBeNull();
  expect(onceCallOf(command(...args.slice(0, 7), ...args))).toBeNull();
});

test("the command inside a write of a strict scope is recognised, with the key of the scope's record", () => {
  const scope = createScope("app:event", true);
  const args = wrapInIdempotencyScript(["SET", "app:a", "1"], 120_000, false, scope).map(String);
  const call = onceCallOf(command(...args))!;
  expect(argsOf(call.wrapped)).toEqual(["SET", "app:a", "1"]);
  expect(call.keys.map((place) => args[place]).slice(1)).toEqual(["app:a", "app:event:wl:path"]);
});

test("no token may publish on the channel of the gateways, not even by an exactly-once write", () => {
  const publish = ["PUBLISH", "warmline:gateways", "bye x"] as const;
  const once = wrapInIdempotencyScript(publish, 120_000, false).map(String);
  for (const each of [
    command(...publish),
    command("publish", ...publish.slice(1)),
    onceCallOf(command(...once))!.wrapped,
  ])
    expect(denialReason(each, SINGLE)).toBe(
      "NOPERM only gateways may publish on the channel warmline:gateways",
    );
  expect(denialReason(command("PUBLISH", "warmline:gateways:", "x"), SINGLE)).toBeNull();
});

test("refused commands can be allowed by name, except those that change a connection", () => {
  const opened = openedCommands(["config get", "CLIENT LIST", "debug"]);
  for (const args of [
    ["CONFIG", "GET", "x"],
    ["client", "list"],
    ["DEBUG", "SLEEP", "0"],
  ])
    expect(denialReason(command(...args), SINGLE, opened)).toBeNull();
  for (const args of [
    ["CONFIG", "SET", "x", "y"],
    ["CLIENT", "REPLY", "OFF"],
    ["CLIENT", "KILL", "x"],
    ["SHUTDOWN"],
    ["CLUSTER", "MEET", "a", "1"],
  ])
    expect(denialReason(command(...args), SINGLE, opened)).toMatch(/^NOPERM/);
  for (const name of ["MULTI", "SELECT", "CLIENT REPLY", "client", "SCRIPT DEBUG", "HELLO", "MONITOR"])
    expect(() => openedCommands([name])).toThrow(/^allowCommand: .* can't be allowed/);
  for (const name of ["GET", "nonsense", "CLUSTER INFO"])
    expect(() => openedCommands([name])).toThrow(/^allowCommand: .* is allowed already, or is not a command/);
});
