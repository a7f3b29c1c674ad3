import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CliProcess, post } from "../integration/cli/cli-process.js";

test("the embedded engine has its last snapshot after SIGKILL", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "warmline-snapshot-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const start = async () => {
    const args = ["--port", "0", "--token", "t", "--engine", "embedded", "--persist", folder];
    const cli = new CliProcess(args);
    onTestFinished(async () => {
      await cli.stop();
    });
    const [, url] = await cli.printed(/^warmline-gateway ready (\S+)$/m);
    return { cli, run: (...words: string[]) => post(url!, "t", words).then(({ body }) => body) };
  };
  const { cli, run } = await start();
  const [, file] = await cli.printed(/^data: (.*) \(written every 10 s while it changes, and at the end\)$/m);
  expect(file).toBe(join(folder, "embedded.snapshot"));
  await run("SET", "before", "v");
  const writtenAt = () => (existsSync(file!) ? statSync(file!).mtimeMs : 0);
  await expect.poll(writtenAt, { timeout: 60_000 }).toBeGreaterThan(0);
  cli.child.kill("SIGKILL");
  await cli.ended;
  const again = await start();
  expect(await again.run("GET", "before")).toEqual({ result: "v" });
  expect(await again.cli.stop()).toBe(0);
  expect(existsSync(join(folder, "gateway.lock"))).toBe(false);
});
