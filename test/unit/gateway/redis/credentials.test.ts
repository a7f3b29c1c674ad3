import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Log } from "../../../../gateway/src/log/log.js";
import { AuthCommand } from "../../../../gateway/src/redis/credentials/auth-command.js";
import {
  Credentials,
  type LoginSource,
  type NewLogin,
} from "../../../../gateway/src/redis/credentials/credentials.js";
import { authErrorOf } from "../../../../gateway/src/redis/credentials/login.js";
import { PasswordFile } from "../../../../gateway/src/redis/credentials/password-file.js";
import { newFolder } from "../../../support/new-folder.js";
import { TestClock } from "../../../support/test-clock.js";

const MINUTE = 60_000;

let clock: TestClock;
let lines: string[];
beforeEach(() => {
  clock = new TestClock();
  lines = [];
});

/** A source that returns a numbered password each time, or fails. */
class Numbered implements LoginSource {
  readonly description = "the source";
  count = 0;
  failure: string | null = null;
  changed: (() => void) | null = null;
  constructor(
    readonly lifetime?: number,
    readonly isQuick = false,
  ) {}
  async read(): Promise<NewLogin> {
    this.count++;
    if (this.failure !== null) throw new Error(this.failure);
    return { username: "app", password: `p${this.count}`, lifetime: this.lifetime };
  }
  watch(onChange: () => void) {
    this.changed = onChange;
    return () => {
      this.changed = null;
    };
  }
}

function credentialsFrom(source: LoginSource): Credentials {
  const write = (line: string) => void lines.push(line);
  return new Credentials(source, { error: write, info: write } as unknown as Log, clock);
}

/** Lets promises settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("credentials", () => {
  test.each([
    { lifetime: 3, renewed: 2 },
    { lifetime: 15, renewed: 10 },
    { lifetime: 60, renewed: 55 },
  ])("a password is renewed before its end if a connection is open: %o", async ({ lifetime, renewed }) => {
    const source = new Numbered(lifetime * MINUTE);
    const credentials = credentialsFrom(source);
    const first = await credentials.get();
    const seen: string[] = [];
    const stop = credentials.onChange(first, ({ password }) => seen.push(password));
    clock.advance(renewed * MINUTE - 1);
    await settled();
    expect(seen).toEqual([]);
    clock.advance(1);
    await settled();
    expect(seen).toEqual(["p2"]);
    expect(credentials.isOutdated(first)).toBe(true);
    stop();
    clock.advance(60 * MINUTE);
    await settled();
    expect(source.count).toBe(2);
    expect(clock.timers).toBe(0);
    // The next connection waits for one that is accepted.
    expect((await credentials.get()).password).toBe("p3");
  });

  test("a connection made while the password changed learns of the new one at once", async () => {
    const source = new Numbered(undefined, true);
    const credentials = credentialsFrom(source);
    const first = await credentials.get();
    await credentials.get();
    const seen: string[] = [];
    const stop = credentials.onChange(first, ({ password }) => seen.push(password));
    expect(seen).toEqual(["p2"]);
    source.changed!();
    await settled();
    expect(seen).toEqual(["p2", "p3"]);
    stop();
    expect(source.changed).toBeNull();
  });

  test("a failure keeps the last password, is logged once and tried again, less and less often", async () => {
    const source = new Numbered(15 * MINUTE);
    const credentials = credentialsFrom(source);
    const first = await credentials.get();
    credentials.onChange(first, () => {});
    source.failure = "the source failed with status 1";
    for (let i = 0; i < 20 * 60; i++) {
      clock.advance(1_000);
      await settled();
    }
    expect(await credentials.get()).toBe(first);
    expect(lines).toEqual(["the source failed with status 1; the previous password stays in use"]);
    expect(source.count).toBeGreaterThan(10);
    expect(source.count).toBeLessThan(25);
    source.failure = null;
    clock.advance(MINUTE);
    await settled();
    expect((await credentials.get()).password).not.toBe("p1");
    expect(lines.at(-1)).toBe("the source can be used again");
  });

  test("a refused password is logged once, and asked for anew, but not for every connection", async () => {
    const source = new Numbered();
    const credentials = credentialsFrom(source);
    const first = await credentials.get();
    credentials.refused(first, "WRONGPASS invalid");
    credentials.refused(first, "WRONGPASS invalid");
    expect(lines).toEqual(["Redis refused the user and password of the source: WRONGPASS invalid"]);
    expect(await credentials.get()).toBe(first);
    clock.advance(5_000);
    expect((await credentials.get()).password).toBe("p2");
    clock.advance(5_000);
    expect((await credentials.get()).password).toBe("p2");
  });

  test("a server that repeats the arguments of AUTH in its error shows no password", () => {
    const reply = Buffer.from("-ERR unknown command 'AUTH', with args beginning with: 'app' 'hush' \r\n");
    expect(authErrorOf(reply)).toBe("ERR unknown command 'AUTH'");
  });
});

describe("sources", () => {
  const folder = newFolder("sources");
  let count = 0;
  const file = (text: string, mode = 0o600) => {
    const path = join(folder, `${count++}`);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const program = (script: string) => file(`#!${process.execPath}\n${script}`, 0o700);
  const print = (value: unknown) => program(`console.log(${JSON.stringify(JSON.stringify(value))})`);

  test("a file has the password, without the line break at its end", async () => {
    const path = file("p@ss word\r\n");
    const source = new PasswordFile(path, "app");
    expect(await source.read()).toEqual({ username: "app", password: "p@ss word" });
    writeFileSync(path, "\uFEFFmarked\r\n");
    expect(await source.read()).toEqual({ username: "app", password: "marked" });
    writeFileSync(path, "");
    await expect(source.read()).rejects.toThrow(/^redisPasswordFile: .*: the file is empty/);
    rmSync(path);
    await expect(source.read()).rejects.toThrow(/^redisPasswordFile: .*: there is no such file/);
    expect(() => new PasswordFile(path, "app")).toThrow(/there is no such file/);
  });

  test("a change of the file is noticed", async () => {
    const path = file("a");
    let changes = 0;
    onTestFinished(new PasswordFile(path, "").watch(() => changes++));
    await expect.poll(() => changes).toBe(1);
    writeFileSync(path, "longer");
    await expect.poll(() => changes).toBe(2);
  });

  test("a program prints a password, and may print the user and the end", async () => {
    const expires = new Date(Date.now() + MINUTE).toISOString();
    expect(await new AuthCommand(print({ password: "p" }), "app").read()).toEqual({
      username: "app",
      password: "p",
    });
    const read = await new AuthCommand(print({ password: "p", username: "other", expires }), "app").read();
    expect(read).toMatchObject({ username: "other", password: "p" });
    expect(read.lifetime).toBeGreaterThan(MINUTE / 2);
    expect(read.lifetime).toBeLessThanOrEqual(MINUTE);
    const seconds = Math.floor(Date.now() / 1_000) + 60;
    for (const end of [seconds, seconds + 0.5, String(seconds)]) {
      const other = await new AuthCommand(print({ password: "p", expires: end }), "").read();
      expect(other.lifetime).toBeGreaterThan(MINUTE / 2);
    }
  });

  test.each([
    ["a program that is not there", () => join(folder, "none"), /can't be run \(ENOENT\)$/],
    ["a file that is not a program", () => file("hush"), /can't be run \(EACCES\)$/],
    [
      "a status",
      () => program('console.log("hush"); console.error("hush"); process.exit(3)'),
      /failed with status 3$/,
    ],
    [
      "no JSON",
      () => program('console.log("hush")'),
      /printed no JSON; expected a JSON object with "password"/,
    ],
    ["no object", () => print("hush"), /printed another value/],
    ["no password", () => print({ secret: "hush" }), /printed no "password"/],
    ["another type of user", () => print({ password: "hush", username: 1 }), /"username" that is not text/],
    ["no time", () => print({ password: "hush", expires: "hush" }), /"expires" that is not a time/],
    ["an end that is over", () => print({ password: "hush", expires: 1 }), /a password that has expired/],
    ["too much", () => program('console.log("hush".repeat(100_000))'), /printed more than 65536 bytes/],
  ])("%s is an error without what was printed", async (_what, path, message) => {
    const source = new AuthCommand(path(), "app");
    const error = await source.read().catch((error) => error);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^redisAuthCommand: /);
    expect(error.message).not.toContain("hush");
  });

  test("a program that takes too long is ended", async () => {
    const source = new AuthCommand(program("setInterval(() => {}, 1000)"), "app", 500);
    await expect(source.read()).rejects.toThrow(/did not end within 500 ms$/);
  });

  test("a program that runs is ended when the gateway closes", async () => {
    const credentials = credentialsFrom(new AuthCommand(program("setInterval(() => {}, 1000)"), "app"));
    const login = credentials.get().catch((error) => error.message);
    credentials.close();
    expect(await login).toMatch(/^redisAuthCommand: .* was ended, since the gateway is closing$/);
  });
});
