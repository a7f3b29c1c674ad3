import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../../gateway/src/cli/settings.js";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import type { Engine } from "../../../gateway/src/engine/engine.js";
import { findServer } from "../../../gateway/src/engine/native/find-server.js";
import { lockFolder } from "../../../gateway/src/engine/persist/folder-lock.js";
import { startEngine } from "../../../gateway/src/engine/start-engine.js";
import { createGateway } from "../../../gateway/src/index.js";
import { commands } from "../../support/commands.js";
import { forTest } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { CliProcess, post } from "../cli/cli-process.js";
import { RawClient } from "./raw-client.js";

const scratch = newFolder("persist");
let folders = 0;
const dataFolder = () => join(scratch, `data ${folders++}`);

async function open(choice: string, persist: string, onNotice?: (message: string) => void): Promise<Engine> {
  return forTest(await startEngine(choice, { persist, onNotice }));
}

const BINARY = Buffer.from([0, 255, 13, 10, 128, 36]);
const WRITES: (string | number | Buffer)[][] = [
  ["SET", "text", "ä€😀"],
  ["SET", BINARY, BINARY],
  ["SET", "fleeting", "v", "PX", 80],
  ["SET", "lasting", "v", "EX", 1_000],
  ["HSET", "hash", "a", "1", BINARY, BINARY],
  ["HPEXPIRE", "hash", 1_000_000, "FIELDS", 1, "a"],
  ["RPUSH", "list", "a", "", "a", BINARY],
  ["SADD", "set", "x", "y", BINARY],
  ["ZADD", "zset", "inf", "high", "-inf", "low", "1.5", BINARY, "-0.1", "n"],
  ["XADD", "stream", "1-1", "f", "v"],
  ["XADD", "stream", "2-1", "f", BINARY],
  ["XDEL", "stream", "1-1"],
  ["XGROUP", "CREATE", "stream", "group", "0"],
  ["XREADGROUP", "GROUP", "group", "consumer", "STREAMS", "stream", ">"],
  ["PFADD", "hll", "a", "b", "c"],
  ["SETBIT", "bits", 77, 1],
  ["JSON.SET", "doc", "$", '{"a":[1,9007199254740993,{"__proto__":null}]}'],
  [
    "FUNCTION",
    "LOAD",
    "#!lua name=lib\nredis.register_function('f', function(keys) return redis.call('GET', keys[1]) end)",
  ],
];
const READS: (string | number | Buffer)[][] = [
  ["DBSIZE"],
  ["GET", "text"],
  ["GET", BINARY],
  ["GET", "fleeting"],
  ["PEXPIRETIME", "lasting"],
  ["TTL", "text"],
  ["HGET", "hash", BINARY],
  ["HPEXPIRETIME", "hash", "FIELDS", 1, "a"],
  ["LRANGE", "list", 0, -1],
  ["SISMEMBER", "set", BINARY],
  ["SCARD", "set"],
  ["ZRANGE", "zset", 0, -1, "WITHSCORES"],
  ["XRANGE", "stream", "-", "+"],
  ["XPENDING", "stream", "group"],
  ["PFCOUNT", "hll"],
  ["BITCOUNT", "bits"],
  ["JSON.GET", "doc"],
  ["FCALL", "f", 1, "text"],
];

async function all(engine: Engine, commands: readonly (string | number | Buffer)[][]): Promise<unknown[]> {
  const redis = new RawClient(engine.connect());
  // A command that an engine does not support is the same error before and after.
  const replies = await Promise.all(
    commands.map((words) => redis.call(...words).catch((error: Error) => error.message)),
  );
  redis.stream.destroy();
  return replies;
}
const one = async (engine: Engine, ...words: (string | number | Buffer)[]) => (await all(engine, [words]))[0];

const choices = [
  {
    choice: "embedded",
    tags: [],
    kept: /^\/.*\/embedded\.snapshot \(written every 10 s while it changes, and at the end\)$/,
  },
  {
    choice: findServer() ?? "redis-server",
    tags: ["redis-server"],
    kept: /^\/.*\/data \d+ \(append-only file, synchronized every second\)$/,
  },
];

describe.each(choices)("data that $choice keeps", ({ choice, tags, kept }) => {
  describe("in a folder", { tags }, () => {
    test("data of every type is kept, with its times to live", async () => {
      const folder = dataFolder();
      const first = await open(choice, folder);
      expect(first.data).toMatch(kept);
      await all(first, WRITES);
      // Redis counts an expired key until it is read.
      await expect.poll(() => one(first, "GET", "fleeting")).toBeNull();
      const before = await all(first, READS);
      await first.close();
      const second = await open(choice, folder);
      expect(await all(second, READS)).toEqual(before);
      expect(before.slice(0, 4)).toEqual([choice === "embedded" ? 11 : 10, "ä€😀", expect.anything(), null]);
      if (choice === "embedded") expect(before).toContain('{"a":[1,9007199254740993,{"__proto__":null}]}');
    });

    test("an empty engine stays empty, and removed data stays removed", async () => {
      const folder = dataFolder();
      const first = await open(choice, folder);
      await all(first, commands("SET a 1", "SET b 1", "DEL a"));
      await first.close();
      const second = await open(choice, folder);
      expect(await one(second, "KEYS", "*")).toEqual(["b"]);
      await one(second, "FLUSHALL");
      await second.close();
      expect(await one(await open(choice, folder), "DBSIZE")).toBe(0);
    });

    test("a second gateway on the same folder is refused until the first has closed", async () => {
      const folder = dataFolder();
      const first = await open(choice, folder);
      const refusal = /^persist: another gateway uses .*; each gateway needs a separate folder$/;
      await expect(startEngine(choice, { persist: folder })).rejects.toThrow(refusal);
      const cli = new CliProcess(["--port", "0", "--engine", choice, "--persist", folder]);
      expect(await cli.ended).toBe(1);
      expect(cli.stderr).toContain(`persist: another gateway uses ${folder} (process ${process.pid})`);
      await first.close();
      await open(choice, folder);
    });
  });
});

describe("--persist", () => {
  const start = async (folder: string, ...args: string[]) => {
    const cli = forTest(new CliProcess(["--port", "0", "--token", "t", "--persist", folder, ...args]));
    const [, url] = await cli.printed(/^warmline-gateway ready (\S+)$/m);
    return { cli, run: (...words: string[]) => post(url!, "t", words).then(({ body }) => body) };
  };

  test("everything that redis-server acknowledged is kept after SIGKILL of the gateway", {
    tags: "redis-server",
  }, async () => {
    const folder = dataFolder();
    const { cli, run } = await start(folder);
    await cli.printed(/^data: .*append-only file/m);
    let acknowledged = 0;
    const writing = (async () => {
      for (;;) {
        await run("RPUSH", "list", String(acknowledged));
        acknowledged++;
      }
    })().catch(() => {});
    await expect.poll(() => acknowledged, { timeout: 20_000 }).toBeGreaterThan(100);
    cli.child.kill("SIGKILL");
    await cli.ended;
    await writing;
    const again = await start(folder);
    const { result } = (await again.run("LRANGE", "list", "0", "-1")) as { result: string[] };
    expect(result.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, i) => String(i)));
    // The last one may have been written without its response having arrived.
    expect(result.length - acknowledged).toBeLessThan(2);
    expect(await again.cli.stop()).toBe(0);
  });

  test("a redis-server that dies is restarted with its data", { tags: "redis-server" }, async () => {
    const { cli, run } = await start(dataFolder());
    await run("SET", "k", "v");
    const { result } = (await run("INFO", "server")) as { result: string };
    process.kill(Number(/^process_id:(\d+)/m.exec(result)![1]), "SIGKILL");
    await cli.printed(/the private redis ended \(status \d+\); it is restarted in 100 ms/, "stderr");
    await expect.poll(() => run("GET", "k").catch(() => null), { timeout: 10_000 }).toEqual({ result: "v" });
    expect(cli.stderr).not.toContain("lost");
    await cli.stop();
  });

  test.each(["SIGTERM", "SIGHUP"] as const)("changes are written at exit, at %s too", async (signal) => {
    const folder = dataFolder();
    const { cli, run } = await start(folder, "--engine", "embedded");
    await run("SET", "k", "v");
    cli.child.kill(signal);
    expect(await cli.ended).toBe(0);
    const again = await start(folder, "--engine", "embedded");
    expect(await again.run("GET", "k")).toEqual({ result: "v" });
    await again.cli.stop();
  });

  test("--persist is refused with a running Redis", () => {
    const args = ["--persist", dataFolder(), "--redis", "redis://127.0.0.1:1"];
    expect(() => readSettings(args, {})).toThrow(
      /--persist: keeps the data of a Redis that the gateway starts, and redis names/,
    );
  });

  test("persist is an option of createGateway, and refused with a running Redis", async () => {
    const folder = dataFolder();
    const gateway = await createGateway({ port: 0, engine: "embedded", persist: folder });
    expect(gateway.data).toMatch(/embedded\.snapshot/);
    await gateway.close();
    const plain = await createGateway({ port: 0, engine: "embedded" });
    expect(plain.data).toBeNull();
    await plain.close();
    const engine = await open("embedded", dataFolder());
    await expect(createGateway({ port: 0, engine, persist: folder })).rejects.toThrow(
      "persist: keeps the data of a Redis that the gateway starts, and engine names another one",
    );
  });
});

describe("a folder that can't be used", () => {
  test("a persist folder that is a file, or not writable, is refused", async () => {
    const file = join(scratch, "file");
    writeFileSync(file, "");
    await expect(startEngine("embedded", { persist: file })).rejects.toThrow(
      `persist: ${file} is not a folder`,
    );
    await expect(startEngine("embedded", { persist: join(file, "below") })).rejects.toThrow(
      /persist: .* is not a folder/,
    );
    if (process.getuid?.() === 0) return;
    const folder = dataFolder();
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    await expect(startEngine("embedded", { persist: folder })).rejects.toThrow(
      /cannot be written to \(EACCES\)/,
    );
  });

  test("a persist folder with the other engine's data is refused, and auto takes the matching engine", async () => {
    const embedded = dataFolder();
    await (await open("embedded", embedded)).close();
    expect((await open("auto", embedded)).description).toMatch(/^embedded/);
    const server = dataFolder();
    mkdirSync(join(server, "appendonlydir"), { recursive: true });
    await expect(startEngine("embedded", { persist: server })).rejects.toThrow(
      /holds data of a redis-server/,
    );
  });

  test("redis-server refuses a persist folder with the data of the embedded engine", {
    tags: "redis-server",
  }, async () => {
    const folder = dataFolder();
    await (await open("embedded", folder)).close();
    await expect(startEngine(findServer()!, { persist: folder })).rejects.toThrow(
      /holds data of the embedded engine; set engine to embedded, or use another folder/,
    );
  });

  test("a damaged snapshot is reported, and left unchanged", async () => {
    const folder = dataFolder();
    const engine = await open("embedded", folder);
    await all(engine, WRITES);
    await engine.close();
    const file = join(folder, "embedded.snapshot");
    const whole = readFileSync(file);
    const cuts = [0, 20, Math.floor(whole.length / 2), whole.length - 1];
    const longer = Buffer.concat([whole, Buffer.from("x")]);
    for (const bytes of [...cuts.map((cut) => whole.subarray(0, cut)), longer]) {
      writeFileSync(file, bytes);
      await expect(startEngine("embedded", { persist: folder })).rejects.toThrow(
        /^persist: .*embedded\.snapshot can't be read: .*move it away to start empty$/,
      );
      expect(readFileSync(file).equals(bytes)).toBe(true);
    }
    writeFileSync(file, whole);
    writeFileSync(`${file}.tmp`, "half of another one");
    expect(await one(await open("embedded", folder), "GET", "text")).toBe("ä€😀");
    expect(existsSync(`${file}.tmp`)).toBe(false);
  });
});

test("an embedded engine whose thread is replaced continues with the last snapshot", async () => {
  const snapshot = join(dataFolder(), "embedded.snapshot");
  mkdirSync(join(snapshot, ".."));
  const first = await startEmbeddedEngine({ snapshot });
  await one(first, "JSON.SET", "texts", "$", JSON.stringify([`${"a".repeat(60)}!`]));
  await first.close();
  const notices: string[] = [];
  const engine = forTest(
    await startEmbeddedEngine({
      snapshot,
      stallTimeoutMs: 400,
      onNotice: (message) => notices.push(message),
    }),
  );
  // A regular expression that tries each way to divide the text.
  await one(engine, "JSON.GET", "texts", '$[?(@ =~ "^(a+)+$")]');
  expect(notices).toEqual([
    "the embedded engine did not respond for 0.4 s while it ran JSON.GET; it was restarted, and changes since the last snapshot are lost",
  ]);
  expect(await one(engine, "EXISTS", "texts")).toBe(1);
});

test("a snapshot that can't be written is reported, and the engine continues", async () => {
  const folder = dataFolder();
  mkdirSync(folder);
  const notices: string[] = [];
  const engine = await startEmbeddedEngine({
    snapshot: join(folder, "embedded.snapshot"),
    onNotice: (message) => notices.push(message),
  });
  await one(engine, "SET", "k", "v");
  rmSync(folder, { recursive: true });
  await engine.close();
  expect(notices).toEqual([
    expect.stringMatching(/data could not be written to .*embedded\.snapshot \(ENOENT\)$/),
  ]);
});

test("while a snapshot can't be written, /ready responds 503 with the reason, and 200 once one is", {
  tags: "full-run",
  timeout: 150_000,
}, async () => {
  const folder = dataFolder();
  mkdirSync(folder);
  const engine = await startEmbeddedEngine({ snapshot: join(folder, "embedded.snapshot") });
  const gateway = forTest(await createGateway({ engine, port: 0 }));
  const ready = async () => {
    const response = await fetch(`${gateway.url}/ready`);
    return [response.status, await response.json()];
  };
  const reason = expect.stringMatching(/data could not be written to .*embedded\.snapshot \(ENOENT\)$/);
  rmSync(folder, { recursive: true });
  await one(engine, "SET", "k", "v");
  await expect.poll(ready, { timeout: 60_000 }).toEqual([503, { status: "down", reason }]);
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  mkdirSync(folder);
  await expect.poll(ready, { timeout: 60_000 }).toEqual([200, { status: "ready" }]);
});

describe("the lock of a folder", () => {
  const folderWith = (lock: unknown) => {
    const folder = dataFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, "gateway.lock"), typeof lock === "string" ? lock : JSON.stringify(lock));
    return folder;
  };
  const old = (folder: string) => {
    const time = new Date(Date.now() - 60_000);
    utimesSync(join(folder, "gateway.lock"), time, time);
    return folder;
  };

  test("a lock of a dead process is ignored, even if its process number is reused", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    lockFolder(folderWith({ pid: child.pid, host: hostname(), started: "1" }))();
    lockFolder(folderWith({ pid: process.pid, host: hostname(), started: "1" }))();
    lockFolder(old(folderWith({ pid: 1, host: "elsewhere", started: "1" })))();
    lockFolder(old(folderWith("")))();
  });

  test("a lock without a start time holds while it is refreshed: its process number may be reused", () => {
    const lock = { pid: process.pid, host: hostname(), started: null };
    expect(() => lockFolder(folderWith(lock))).toThrow(/another gateway uses/);
    lockFolder(old(folderWith(lock)))();
  });

  test("a lock holds while its owner lives, or refreshes it", () => {
    expect(() => lockFolder(folderWith({ pid: 1, host: "elsewhere", started: "1" }))).toThrow(
      /\(on elsewhere\)/,
    );
    expect(() => lockFolder(folderWith(""))).toThrow(/another gateway uses/);
  });
});
