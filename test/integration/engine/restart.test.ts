import { existsSync } from "node:fs";
import type * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { findServer } from "../../../gateway/src/engine/native/find-server.js";
import { startPrivateServer } from "../../../gateway/src/engine/native/private-server.js";
import { RawClient } from "./raw-client.js";

/** Called before the folder of a server that is restarted is created. */
let onRestart = () => {};
vi.mock("node:fs/promises", async (original) => {
  const actual = await original<typeof fs>();
  const mkdir = async (...args: Parameters<typeof fs.mkdir>) => {
    onRestart();
    // Until the call of close() has removed the folder of the server that has ended.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return actual.mkdir(...args);
  };
  return { ...actual, mkdir };
});

test("closing during a restart leaves no server and no folder", { tags: "redis-server" }, async () => {
  const engine = await startPrivateServer(findServer()!);
  const redis = new RawClient(engine.connect());
  const [, path] = (await redis.call("CONFIG", "GET", "unixsocket")) as [string, string];
  const closed = new Promise<void>((resolve) => {
    onRestart = () => resolve(engine.close());
  });
  redis.stream.write("SHUTDOWN NOSAVE\r\n");
  await closed;
  await expect(new RawClient(engine.connect()).call("PING")).rejects.toThrow(/ENOENT|ECONNREFUSED|closed/);
  expect(existsSync(dirname(path))).toBe(false);
});
