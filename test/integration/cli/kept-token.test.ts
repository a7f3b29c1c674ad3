import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { loadOrCreateToken } from "../../../gateway/src/cli/kept-token.js";
import { forTest } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { CliProcess, post } from "./cli-process.js";

const scratch = newFolder("kept-token");

let folders = 0;
const stateFolder = () => join(scratch, `${folders++}`);
const fileIn = (folder: string) => join(folder, "warmline-gateway", "token");
const read = (folder: string) => loadOrCreateToken({ XDG_STATE_HOME: folder });

async function start(folder: string, args: readonly string[] = ["--engine", "embedded"]) {
  const cli = forTest(new CliProcess(["--port", "0", ...args], { XDG_STATE_HOME: folder }));
  const [, url] = await cli.printed(/^WARMLINE_URL=(\S+)$/m);
  const [, token] = args.includes("--token") ? [] : await cli.printed(/^WARMLINE_TOKEN=(\S+)$/m);
  return { cli, url: url!, token: token! };
}

test("the printed token is valid after a restart, and its file is named", async () => {
  const folder = stateFolder();
  const first = await start(folder);
  expect(first.cli.stdout).toContain(`\ntoken: kept in ${fileIn(folder)}\n`);
  await first.cli.stop();
  const second = await start(folder, ["--redis", "redis://127.0.0.1:1"]);
  expect(second.token).toBe(first.token);
  expect((await post(second.url, first.token, ["PING"])).status).not.toBe(401);
  expect(second.cli.stdout).toContain(`console: ${second.url}/#${first.token}\n`);
});

test("a given token is neither kept nor printed", async () => {
  const folder = stateFolder();
  const { cli, token } = await start(folder, ["--engine", "embedded", "--token", "secret-token"]);
  expect(token).toBeUndefined();
  expect(cli.stdout + cli.stderr).not.toMatch(/secret-token|token:/);
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ["linux", ".local/state"],
  ["win32", "AppData"],
])("the default file is in the folder of the user on %s", (platform, folder) => {
  const home = stateFolder();
  vi.stubEnv("HOME", home);
  vi.stubGlobal("process", { ...process, platform });
  const { description } = loadOrCreateToken({ LOCALAPPDATA: join(home, "AppData") });
  expect(description).toBe(`kept in ${fileIn(join(home, folder))}`);
});

test("only the owner can read the file and its folder", () => {
  const folder = stateFolder();
  read(folder);
  expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "warmline-gateway")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, "warmline-gateway"))).toEqual(["token"]);
});

test("a file that others can read is replaced by a new token", () => {
  const folder = stateFolder();
  const first = read(folder);
  expect(read(folder)).toEqual(first);
  chmodSync(fileIn(folder), 0o644);
  const second = read(folder);
  expect(second.token).not.toBe(first.token);
  expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
  expect(readFileSync(fileIn(folder), "utf8")).toBe(`${second.token}\n`);
});

test.each(["", "short\n", "two words that are no token of ours"])("a file with %j is replaced", (content) => {
  const folder = stateFolder();
  mkdirSync(join(folder, "warmline-gateway"), { recursive: true });
  writeFileSync(fileIn(folder), content, { mode: 0o600 });
  expect(readFileSync(fileIn(folder), "utf8")).toBe(content);
  const { token } = read(folder);
  expect(readFileSync(fileIn(folder), "utf8")).toBe(`${token}\n`);
});

test("gateways that start at the same time have one token", async () => {
  const folder = stateFolder();
  const started = await Promise.all([1, 2, 3].map(() => start(folder)));
  expect(new Set(started.map(({ token }) => token)).size).toBe(1);
});

test("a token that cannot be kept is for one run, and the ready lines give the reason", async () => {
  const folder = stateFolder();
  writeFileSync(folder, "");
  const { cli, url, token } = await start(folder);
  expect(cli.stdout).toContain(
    `\ntoken: for this run only, since ${fileIn(folder)} cannot be used (ENOTDIR)\n`,
  );
  expect((await post(url, token, ["PING"])).status).toBe(200);
});

// Only root can run a program as another user.
if (process.getuid?.() === 0) {
  test("a user without a home folder has a token for one run", async () => {
    const args = ["--engine", "embedded", "--port", "0"];
    const cli = forTest(
      new CliProcess(args, { XDG_STATE_HOME: undefined }, { uid: 54_321, gid: 54_321, cwd: "/" }),
    );
    await cli.printed(/^token: for this run only, since /m);
    await cli.printed(/^WARMLINE_TOKEN=\S{32}$/m);
  });
}
