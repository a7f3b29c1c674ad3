import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { startInstance } from "warmline-testbed";
import { bench, schemaErrors } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";

// AWS's runtime client builds native code, so only this suite installs it, into a separate folder.

const MANIFESTS = fileURLToPath(new URL("./lambda-ric/", import.meta.url));

/** Returns a folder with AWS's runtime client. Building it takes two minutes of a processor, so it stays in the cache. */
function installRic(): string {
  const lock = readFileSync(join(MANIFESTS, "package-lock.json"));
  const { arch, versions } = process;
  const key = createHash("sha256").update(lock).update(`${arch} ${versions.modules}`).digest("hex");
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "warmline", "aws-lambda-ric");
  const folder = join(cache, key.slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, "build-"));
  cpSync(MANIFESTS, temporary, { recursive: true });
  // Node's own headers, where they came with it, spare a download.
  const nodedir = dirname(dirname(process.execPath));
  const headers = existsSync(join(nodedir, "include/node/node.h")) ? { npm_config_nodedir: nodedir } : {};
  // Compiling without optimisation takes a quarter less time, and the speed of this client is not tested.
  const build = { MAKEFLAGS: "-j2", CFLAGS: "-O0", CXXFLAGS: "-O0" };
  const env = { ...process.env, ...headers, ...build };
  try {
    execFileSync("npm", ["ci"], { cwd: temporary, env, stdio: "pipe" });
    renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

describe("AWS's own runtime client", { tags: "lambda-ric" }, () => {
  const folder = newFolder("lambda-ric");
  let ric: string;

  beforeAll(() => {
    ric = join(installRic(), "node_modules/aws-lambda-ric");
  }, 600_000);

  test("AWS's own runtime client runs a handler and reports its errors as the testbed's program does", async () => {
    const handler = fileURLToPath(new URL("../repo/testbed/handlers/spin.mjs", import.meta.url));
    const { version } = JSON.parse(readFileSync(join(ric, "package.json"), "utf8"));
    const instance = await startInstance({
      handler,
      runtime: { program: join(ric, "bin/index.mjs"), version },
    });
    try {
      const { result, requestMs } = await instance.invoke({ ms: 20 });
      expect(result).toEqual({ share: expect.any(Number) });
      expect(requestMs).toBeGreaterThanOrEqual(20);
      expect((await instance.invoke(null)).error?.errorType).toBe("TypeError");
      await instance.freeze();
      const invocation = instance.invoke({ ms: 1 });
      await instance.thaw();
      expect((await invocation).error).toBeUndefined();
    } finally {
      await instance.stop();
    }
  }, 30_000);

  test("keepalive --quick passes its checks on AWS's runtime client", async () => {
    const few = ["--clients", "warmline,agent", "--rounds", "1", "--invocations", "4", "--seed", "3"];
    const args = ["keepalive", "--quick", "--only", ...few, "--json", "ric.json", "--report", "ric.html"];
    const { code, stderr } = await bench(folder, args, { WARMLINE_LAMBDA_RIC: ric });
    expect(code, stderr).toBe(0);
    const result = JSON.parse(readFileSync(join(folder, "ric.json"), "utf8"));
    expect(schemaErrors(result)).toEqual([]);
    expect(result.machine.runtime).toMatch(/^aws-lambda-ric 3\./);
    const opened = (client: string) =>
      result.data
        .filter((cell: any) => cell.client === client)
        .map((cell: any) => cell.opened.values.reduce((sum: number, each: number) => sum + each, 0));
    expect(opened("warmline")).toEqual([1, 1, 4, 4]);
    expect(opened("agent")).toEqual([1, 4, 4, 4]);
  }, 180_000);
});

test("a folder without aws-lambda-ric is named in one sentence", async () => {
  const { code, stderr } = await bench(tmpdir(), ["keepalive", "--quick", "--only"], {
    WARMLINE_LAMBDA_RIC: "/nowhere",
  });
  expect(code).toBe(2);
  expect(stderr).toBe("There is no bin/index.mjs of aws-lambda-ric in /nowhere (WARMLINE_LAMBDA_RIC).\n");
});
