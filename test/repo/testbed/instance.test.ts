import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { InstanceInitError, type InstanceOptions, startInstance } from "warmline-testbed";
import { isRunning } from "../../support/is-running.js";
import { forTest } from "../../support/lifetime.js";
import { pause } from "./raw.js";

const at = (name: string): string => fileURLToPath(new URL(`./handlers/${name}`, import.meta.url));

const start = async (options: Partial<InstanceOptions> = {}) =>
  forTest(await startInstance({ handler: at("counter.mjs"), ...options }));

async function initError(options: Partial<InstanceOptions>): Promise<InstanceInitError> {
  const error = await start(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InstanceInitError);
  return error as InstanceInitError;
}

describe("invocations", () => {
  test("invocations run one after another in one process that is loaded once", async () => {
    const { invoke, initMs, loadMs } = await start();
    const first = await invoke({ n: 1 });
    const second = await invoke({ n: 2 });
    expect(first.result).toMatchObject({ count: 1, event: { n: 1 } });
    expect(second.result).toMatchObject({ count: 2, event: { n: 2 } });
    expect(first.error).toBeUndefined();
    expect(first.requestId).not.toBe(second.requestId);
    expect(initMs).toBeGreaterThan(loadMs!);
    expect(loadMs).toBeGreaterThan(0);
  });

  test("invocations have Lambda's context and environment, and no variable of this process", async () => {
    process.env.WARMLINE_TESTBED_SECRET = "x";
    const { invoke } = await start({ env: { GREETING: "hi" }, memoryMb: 512, timeoutMs: 5_000 });
    const { result, requestId } = (await invoke()) as { result: any; requestId: string };
    expect(result.context).toMatchObject({ awsRequestId: requestId, memoryLimitInMB: "512" });
    expect(result.context.functionName).toBe(result.env.AWS_LAMBDA_FUNCTION_NAME);
    expect(result.remaining).toBeGreaterThan(4_000);
    expect(result.remaining).toBeLessThanOrEqual(5_000);
    expect(result.env.GREETING).toBe("hi");
    expect(result.env.WARMLINE_TESTBED_SECRET).toBeUndefined();
    delete process.env.WARMLINE_TESTBED_SECRET;
  });

  test("a first event is already waiting when the init phase ends, and later invocations follow it", async () => {
    const { first, invoke } = await start({ firstEvent: { n: 1 } });
    const { result } = (await first)!;
    expect(result).toMatchObject({ count: 1, event: { n: 1 } });
    // The function has its own time alone: that of the init phase is not added.
    expect((result as { remaining: number }).remaining).toBeLessThanOrEqual(3_000);
    expect((await invoke({ n: 2 })).error).toBeUndefined();
    expect((await start()).first).toBeUndefined();
  });
});

describe("failures are reported as Lambda does", () => {
  test("a throw is an error with its type, and the instance lives on", async () => {
    const { invoke } = await start();
    const failed = await invoke({ throw: "bad input" });
    expect(failed.error).toMatchObject({ errorType: "TypeError", errorMessage: "bad input" });
    expect(failed.error?.trace?.[0]).toContain("bad input");
    expect((await invoke()).result).toMatchObject({ count: 2 });
  });

  test("a handler that cannot settle any more ends the process", async () => {
    const { invoke } = await start();
    expect((await invoke({ stuck: true })).error?.errorType).toBe("Runtime.NodeJsExit");
  });

  test("a timeout ends the process", async () => {
    const instance = await start({ timeoutMs: 100 });
    const { invoke, pid } = instance;
    const { error } = await invoke({ waitMs: 5_000 });
    // At once, so that no other invocation is tried.
    expect(instance.alive).toBe(false);
    expect(error?.errorType).toBe("Sandbox.Timedout");
    expect(error?.errorMessage).toMatch(/Task timed out after 0.10 seconds$/);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test.each([
    ["throws.mjs", "handler", "RangeError", "no such configuration"],
    ["nowhere.mjs", "handler", "Runtime.ImportModuleError", "Cannot find module 'nowhere'"],
    ["counter.mjs", "absent", "Runtime.HandlerNotFound", "counter.absent is undefined or not exported"],
  ])("the init phase fails for %s, %s", async (file, exportName, type, message) => {
    const error = await initError({ handler: at(file), exportName });
    expect(error.errorType).toBe(type);
    expect(error.errorMessage).toContain(message);
  });
});

describe.each(["auto", "signals"] as const)("freeze and thaw, %s", (freezer) => {
  test("nothing runs between freeze and thaw", async () => {
    const { invoke, freeze, thaw, freezer: kind } = await start({ freezer, exportName: "ticking" });
    expect(freezer === "signals" ? ["signals"] : ["cgroup v2", "cgroup v1", "signals"]).toContain(kind);
    const before = (await invoke()).result as number;
    await freeze();
    await pause(800);
    await thaw();
    const after = (await invoke()).result as number;
    // Running, the timer would have fired some 160 times; a busy machine takes its time around the freeze.
    expect(after - before).toBeLessThan(100);
    await pause(300);
    expect(((await invoke()).result as number) - after).toBeGreaterThan(5);
  });

  test("an event waits for the thaw, and a running handler stops in the middle", async () => {
    const { invoke, freeze, thaw } = await start({ freezer });
    await invoke();
    await freeze();
    const begunAt = Date.now();
    const waiting = invoke();
    await pause(150);
    await thaw();
    const { result } = (await waiting) as { result: any };
    expect(result.now - begunAt).toBeGreaterThanOrEqual(150);
    const running = invoke({ waitMs: 300 });
    await pause(5);
    await freeze();
    const settled = await Promise.race([running.then(() => true), pause(500).then(() => false)]);
    expect(settled).toBe(false);
    await thaw();
    expect((await running).error).toBeUndefined();
  });

  test("a frozen instance can be stopped, and nothing stays behind", async () => {
    const { freeze, stop, pid } = await start({ freezer });
    await freeze();
    await stop();
    expect(isRunning(pid)).toBe(false);
    const cgroups = "/sys/fs/cgroup";
    const roots = [cgroups, `${cgroups}/unified`, `${cgroups}/freezer`].filter((path) => existsSync(path));
    const left = roots.flatMap((root) => readdirSync(root)).filter((name) => name.endsWith(`-${pid}`));
    expect(left).toEqual([]);
  });
});
