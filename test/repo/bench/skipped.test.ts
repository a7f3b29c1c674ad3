import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bench, schemaErrors } from "../../support/bench.js";
import { newFolder } from "../../support/new-folder.js";

const folder = newFolder("bench");

/** A machine on whose PATH there is nothing but node and a shell. */
function withoutRedis(...args: string[]) {
  return bench(folder, [...args, "--seed", "1", "--json", "out.json", "--report", "out.html"], {
    PATH: folder,
  });
}
symlinkSync(process.execPath, join(folder, "node"));
symlinkSync("/bin/sh", join(folder, "sh"));

test("clients that need redis-server are skipped by name without one", { timeout: 60_000 }, async () => {
  const clients = ["--clients", "warmline,ioredis,node-redis"];
  const { code, stderr } = await withoutRedis("cost", "--invocations", "2", "--rtt", "0", ...clients);
  expect(code, stderr).toBe(0);
  const result = JSON.parse(readFileSync(join(folder, "out.json"), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  expect(result.settings.clients).toEqual(["warmline"]);
  expect(result.notes).toContainEqual(
    expect.stringMatching(/^Skipped: ioredis \(TCP\), node-redis \(TCP\): needs redis-server/),
  );
});

test.each(["time-wait", "gateway"])("%s names the missing redis-server in one line", async (scenario) => {
  expect(await withoutRedis(scenario)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`^${scenario} cannot run here: it needs redis-server.*\\n$`)),
  });
});

test("a reader that ends early ends the bench without an error", async () => {
  const cli = resolve(import.meta.dirname, "../../../bench/dist/cli.js");
  const { stderr } = await promisify(execFile)("sh", ["-c", `"${process.execPath}" "${cli}" --list | true`]);
  expect(stderr).toBe("");
});
