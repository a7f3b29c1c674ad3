import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { startInstance } from "warmline-testbed";
import { bench, schemaErrors } from "../support/bench.js";

// AWS's runtime client builds native code, so only this suite installs it, into a separate folder.

const MANIFESTS = fileURLToPath(new URL("./lambda-ric/", import.meta.url));

describe("AWS's own runtime client", { tags: "lambda-ric" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "warmline-lambda-ric-"));
  const ric = join(folder, "node_modules/aws-lambda-ric");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    cpSync(MANIFESTS, folder, { recursive: true });
    // Node's own headers, where they came with it, spare a download.
    const nodedir = dirname(dirname(process.execPath));
    const headers = existsSync(join(nodedir, "include/node/node.h")) ? { npm_config_nodedir: nodedir } : {};
    // Compiling without optimisation takes a quarter less time, and the speed of this client is not tested.
    const build = { MAKEFLAGS: "-j2", CFLAGS: "-O0", CXXFLAGS: "-O0" };
    execFileSync("npm", ["ci"], {
      cwd: folder,
      env: { ...process.env, ...headers, ...build },
      stdio: "pipe",
    });
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

  test("AWS's runtime client runs the code that is deployed to AWS", async () => {
    const build = join(folder, "build");
    execFileSync(process.execPath, [
      fileURLToPath(new URL("../../bench/aws/package.mjs", import.meta.url)),
      build,
    ]);
    const gateway = await createGateway({ port: 0, engine: "embedded", token: "t" });
    const { version } = JSON.parse(readFileSync(join(ric, "package.json"), "utf8"));
    const instance = await startInstance({
      handler: join(build, "index.mjs"),
      runtime: { program: join(ric, "bin/index.mjs"), version },
      env: {
        BENCH_CLIENT: join(build, "clients/warmline.js"),
        BENCH_ENDPOINT: JSON.stringify({ url: gateway.url, token: "t" }),
        BENCH_KEEPALIVE: "1",
        BENCH_LIFETIME: "reused",
      },
    });
    try {
      await instance.invoke({ command: "set", keys: ["greeting"] });
      expect((await instance.invoke({})).result).toEqual({ statusCode: 200, body: "hello" });
      const counted = await instance.invoke({ command: "incr", keys: ["counter"] });
      expect(counted.result).toEqual({ statusCode: 200, body: 1 });
    } finally {
      await instance.stop();
      await gateway.close();
    }
  }, 30_000);

  test("keepalive --quick passes its checks on AWS's runtime client", async () => {
    const args = [
      "keepalive",
      "--quick",
      "--only",
      "--seed",
      "3",
      "--json",
      "ric.json",
      "--report",
      "ric.html",
    ];
    const { code, stderr } = await bench(folder, args, { WARMLINE_LAMBDA_RIC: ric });
    expect(code, stderr).toBe(0);
    const result = JSON.parse(readFileSync(join(folder, "ric.json"), "utf8"));
    expect(schemaErrors(result)).toEqual([]);
    expect(result.machine.runtime).toMatch(/^aws-lambda-ric 3\./);
    const opened = (client: string) =>
      result.data
        .filter((cell: any) => cell.client === client)
        .map((cell: any) => cell.opened.values.reduce((sum: number, each: number) => sum + each, 0));
    expect(opened("warmline")).toEqual([5, 5, 80, 80]);
    expect(opened("agent")).toEqual([5, 80, 80, 80]);
  }, 180_000);
});

test("a folder without aws-lambda-ric is named in the error", async () => {
  const { code, stderr } = await bench(tmpdir(), ["keepalive", "--quick", "--only"], {
    WARMLINE_LAMBDA_RIC: "/nowhere",
  });
  expect(code).toBe(1);
  expect(stderr).toContain("WARMLINE_LAMBDA_RIC: there is no aws-lambda-ric in /nowhere");
});
