import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Engine } from "../../../gateway/src/engine/engine.js";
import { findServer, resolveServer } from "../../../gateway/src/engine/native/find-server.js";
import { startPrivateServer } from "../../../gateway/src/engine/native/private-server.js";
import { startEngine } from "../../../gateway/src/engine/start-engine.js";
import { isRunning } from "../../support/is-running.js";
import { sharedByTests } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { RawClient } from "./raw-client.js";

const server = findServer();

const scratch = newFolder("test");

/** A program that exists only in this test. */
function script(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The folder of a private server, found by asking it. */
async function folderOf(engine: Engine): Promise<string> {
  const redis = new RawClient(engine.connect());
  const [, socket] = (await redis.call("CONFIG", "GET", "unixsocket")) as [string, string];
  redis.stream.destroy();
  return dirname(socket);
}

async function processId(engine: Engine): Promise<number> {
  const redis = new RawClient(engine.connect());
  const info = (await redis.call("INFO", "server")) as string;
  redis.stream.destroy();
  return Number(/^process_id:(\d+)/m.exec(info)?.[1]);
}

describe("a private Redis", { tags: "redis-server" }, () => {
  const engine = sharedByTests(() => startPrivateServer(server as string));

  test("a private Redis replies to commands and reports its version", async () => {
    const redis = new RawClient(engine.connect());
    expect(await redis.call("SET", "k", "v")).toBe("OK");
    expect(await redis.call("GET", "k")).toBe("v");
    expect(engine.description).toMatch(/^(redis|valkey) \d+\.\d+\.\d+ \(started privately\)$/);
  });

  test("a private Redis opens no TCP port, writes nothing to disk, and is accessible to this user only", async () => {
    const redis = new RawClient(engine.connect());
    expect(await redis.call("CONFIG", "GET", "port")).toEqual(["port", "0"]);
    expect(await redis.call("CONFIG", "GET", "save")).toEqual(["save", ""]);
    expect(await redis.call("CONFIG", "GET", "appendonly")).toEqual(["appendonly", "no"]);
    expect(await redis.call("CONFIG", "GET", "appendfsync")).toEqual(["appendfsync", "everysec"]);
    const folder = await folderOf(engine);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "redis.sock")).mode & 0o077).toBe(0);
    expect(readdirSync(folder)).toEqual(["redis.sock"]);
  });

  test("closing a private Redis ends the process and removes its folder", async () => {
    const other = await startPrivateServer(server as string);
    const [folder, pid] = [await folderOf(other), await processId(other)];
    const open = new RawClient(other.connect());
    await open.call("PING");
    await Promise.all([other.close(), other.close()]);
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(folder)).toBe(false);
    await open.closed;
  });

  test("a private Redis and its folder are removed when this process is killed", async () => {
    const noted = join(scratch, "noted");
    const wrapper = script("noting-server", `{ echo $$; pwd; } > ${noted}; exec ${server} "$@"`);
    const cli = fileURLToPath(new URL("../../../gateway/dist/cli.js", import.meta.url));
    const child = spawn(process.execPath, [cli, "--engine", wrapper, "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, WARMLINE_GATEWAY_TOKEN: "t" },
    });
    await once(child.stdout, "data");
    const [pid, folder] = readFileSync(noted, "utf8").trim().split("\n") as [string, string];
    expect(isRunning(Number(pid)) && existsSync(join(folder, "redis.sock"))).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
    await expect.poll(() => existsSync(folder)).toBe(false);
  });

  test("a private Redis that exits is reported and restarted, empty, at the same place", async () => {
    const notices: string[] = [];
    const other = await startPrivateServer(server as string, {
      onNotice: (notice) => notices.push(notice),
    });
    const [folder, pid] = [await folderOf(other), await processId(other)];
    expect(await new RawClient(other.connect()).call("SET", "k", "v")).toBe("OK");
    const busy = { timeout: 10_000 };
    for (const at of [0, 1]) {
      process.kill(await processId(other), "SIGKILL");
      await expect.poll(() => notices.length, busy).toBe(at + 1);
      // One that is killed right after its first reply may not count as started.
      expect(notices[at]).toMatch(
        at === 0
          ? /^the private (redis|valkey) ended \(status 137\), and its data is lost; it is restarted in 100 ms$/
          : /^(the private \w+ ended \(status 137\), .*|\S+ did not start: it exited .*); it is restarted in 200 ms$/,
      );
      await expect.poll(() => new RawClient(other.connect()).call("GET", "k").catch(String), busy).toBeNull();
    }
    expect(await folderOf(other)).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const last = await processId(other);
    expect(last).not.toBe(pid);
    await other.close();
    expect(isRunning(last)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  test("a private Redis that can't be restarted is tried again until it is closed", async () => {
    const notices: string[] = [];
    const program = script("mortal-server", `exec ${server} "$@"`);
    const other = await startPrivateServer(program, { onNotice: (notice) => notices.push(notice) });
    const folder = await folderOf(other);
    script("mortal-server", "echo no more; exit 3");
    process.kill(await processId(other), "SIGKILL");
    await expect
      .poll(() => notices.at(-1), { timeout: 10_000 })
      .toBe(
        "mortal-server did not start: it exited with status 3; its output: no more; it is restarted in 400 ms",
      );
    await Promise.all([other.close(), other.close()]);
    expect(existsSync(folder)).toBe(false);
    const reported = notices.length;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(notices).toHaveLength(reported);
  });

  test("auto prefers a private Redis to the embedded engine", async () => {
    const chosen = await startEngine("auto");
    expect(chosen.description).toMatch(/started privately/);
    await chosen.close();
  });
});

describe("choosing a server", () => {
  test("redis-server is preferred, then valkey-server, on absolute PATH folders only", () => {
    expect(findServer("")).toBeUndefined();
    const valkey = script("valkey-server", "exit 0");
    expect(findServer(`relative:${scratch}`)).toBe(valkey);
    const redis = script("redis-server", "exit 0");
    expect(findServer(`/nowhere:${scratch}`)).toBe(redis);
    expect(findServer("relative")).toBeUndefined();
  });

  test("a path or a name that cannot be run is an error that names it", () => {
    writeFileSync(join(scratch, "not-a-program"), "");
    expect(() => resolveServer("/no/such/redis-server")).toThrow(
      "/no/such/redis-server is not a program that can be run",
    );
    expect(() => resolveServer(join(scratch, "not-a-program"))).toThrow("is not a program that can be run");
    expect(() => resolveServer(scratch)).toThrow("is not a program that can be run");
    expect(() => resolveServer("no-such-server")).toThrow("there is no no-such-server on PATH");
  });

  test("a server that exits at once is an error with its output, and leaves no folder", async () => {
    const broken = script("broken-server", "pwd; echo 'bad option' >&2; exit 3");
    const failure = await startPrivateServer(broken).catch((error: Error) => error.message);
    expect(failure).toMatch(
      /^broken-server did not start: it exited with status 3; its output: .*bad option/,
    );
    const folder = /output: (\S+)/.exec(failure as string)?.[1] as string;
    expect(folder).toMatch(/warmline-/);
    expect(existsSync(folder)).toBe(false);
  });

  test("a server that never replies is stopped and cleaned up", async () => {
    const pidFile = join(scratch, "silent.pid");
    const silent = script("silent-server", `echo $$ > ${pidFile}; exec sleep 600`);
    await expect(startPrivateServer(silent, { startTimeoutMs: 2_000 })).rejects.toThrow(
      "silent-server did not start: no response within 2 s",
    );
    expect(isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
  });

  test("auto falls back to the embedded engine with a notice", async () => {
    const path = process.env.PATH;
    const notices: string[] = [];
    process.env.PATH = mkdtempSync(join(scratch, "path-"));
    try {
      const none = await startEngine("auto");
      expect(none.description).toMatch(/^embedded/);
      await none.close();
      writeFileSync(join(process.env.PATH, "redis-server"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      const broken = await startEngine("auto", { onNotice: (notice) => notices.push(notice) });
      expect(broken.description).toMatch(/^embedded/);
      await broken.close();
    } finally {
      process.env.PATH = path;
    }
    expect(notices).toEqual([
      "redis-server did not start: it exited with status 1; using the embedded engine",
    ]);
  });
});
