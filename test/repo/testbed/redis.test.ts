import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { connectRedis, RespError, startRedis } from "warmline-testbed";
import { isRunning } from "../../support/is-running.js";

describe("a private server", { tags: "redis-server" }, () => {
  test("a private server listens on a UNIX socket in a folder that is removed", async () => {
    const redis = await startRedis();
    expect(redis.url).toBe(`unix://${redis.path}`);
    expect(statSync(dirname(redis.path!)).mode & 0o777).toBe(0o700);
    expect(await redis.command("SET", "k", Buffer.from([0x61, 0x62]))).toBe("OK");
    expect(await redis.command("GET", "k")).toBe("ab");
    expect(await redis.command("GET", "none")).toBeNull();
    expect(await redis.command("INCR", "n")).toBe(1);
    expect(await redis.command("MGET", "k", "none")).toEqual(["ab", null]);
    await expect(redis.command("LPUSH", "k", "x")).rejects.toThrow(RespError);
    await redis.stop();
    expect(existsSync(redis.path!)).toBe(false);
    expect(isRunning(redis.pid)).toBe(false);
  });

  test("a private server listens on TCP, and is restarted at the same address after a kill", async () => {
    const redis = await startRedis({ listen: "tcp", flags: ["--maxmemory", "50mb"] });
    expect(await redis.command("CONFIG", "GET", "maxmemory")).toEqual(["maxmemory", "52428800"]);
    const other = await connectRedis({ port: redis.port! });
    await redis.kill();
    await expect(other.command("PING")).rejects.toThrow();
    await redis.restart();
    expect(await redis.command("DBSIZE")).toBe(0);
    await redis.stop();
  });

  test("a private server ends when the process that started it is killed", async () => {
    const starter = spawn(process.execPath, [fileURLToPath(new URL("./starter.mjs", import.meta.url))], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [text] = await once(starter.stdout, "data");
    const [pid, path] = [Number(String(text).split(" ")[0]), String(text).trim().split(" ")[1]!];
    expect(existsSync(path)).toBe(true);
    expect(isRunning(pid)).toBe(true);
    starter.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { timeout: 5_000 }).toBe(false);
    await expect.poll(() => existsSync(dirname(path)), { timeout: 5_000 }).toBe(false);
  });
});
