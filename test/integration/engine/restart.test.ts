import { existsSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";
import { afterEach, expect, test } from "vitest";
import { findServer } from "../../../gateway/src/engine/native/find-server.js";
import { startPrivateServer } from "../../../gateway/src/engine/native/private-server.js";
import { RawClient } from "./raw-client.js";

const { mkdir } = fs;
afterEach(() => {
  fs.mkdir = mkdir;
  syncBuiltinESMExports();
});

/** Calls a function before each folder is created, and waits a while, so that close() can remove the one of an ended server. */
function beforeFolders(call: () => void): void {
  fs.mkdir = (async (...args: Parameters<typeof mkdir>) => {
    call();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return mkdir(...args);
  }) as typeof mkdir;
  syncBuiltinESMExports();
}

test("closing during a restart leaves no server and no folder", { tags: "redis-server" }, async () => {
  const engine = await startPrivateServer(findServer()!);
  const redis = new RawClient(engine.connect());
  const [, path] = (await redis.call("CONFIG", "GET", "unixsocket")) as [string, string];
  const closed = new Promise<void>((resolve) => {
    beforeFolders(() => resolve(engine.close()));
  });
  redis.stream.write("SHUTDOWN NOSAVE\r\n");
  await closed;
  await expect(new RawClient(engine.connect()).call("PING")).rejects.toThrow(/ENOENT|ECONNREFUSED|closed/);
  expect(existsSync(dirname(path))).toBe(false);
});
