import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type InstanceOptions, startInstance } from "warmline-testbed";
import { dutyCycle } from "../../../testbed/src/instance/throttle.js";
import { forTest } from "../../support/lifetime.js";

const handler = fileURLToPath(new URL("./handlers/spin.mjs", import.meta.url));

/** Share of a processor that a function got while it was busy for half a second. */
async function shareOf(
  options: Partial<InstanceOptions>,
): Promise<{ share: number; kind: string | undefined }> {
  const instance = await startInstance({ handler, timeoutMs: 20_000, initTimeoutMs: 20_000, ...options });
  try {
    const { result } = await instance.invoke({ ms: 500 });
    return { share: (result as { share: number }).share, kind: instance.throttle };
  } finally {
    await instance.stop();
  }
}

describe("an instance with a share of a processor", () => {
  test.each(["auto", "duty cycle"] as const)("no instance gets more than its share: %s", async (throttle) => {
    const { share, kind } = await shareOf({ cpu: 0.1, throttle });
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.3);
    expect(kind).toMatch(throttle === "auto" ? /quota|duty cycle/ : /^duty cycle$/);
  });

  test("an instance without a share has no throttle", async () => {
    expect((await shareOf({})).kind).toBeUndefined();
  });

  test("a throttled instance can be frozen and thawed, and continues", async () => {
    const instance = forTest(
      await startInstance({ handler, cpu: 0.5, throttle: "duty cycle", timeoutMs: 20_000 }),
    );
    await instance.freeze();
    const invocation = instance.invoke({ ms: 20 });
    const first = await Promise.race([invocation, new Promise((resolve) => setTimeout(resolve, 300))]);
    expect(first).toBeUndefined();
    await instance.thaw();
    expect((await invocation).error).toBeUndefined();
  });
});

const SPIN = `
const [begun, used] = [performance.now(), process.cpuUsage()];
while (performance.now() - begun < 500);
const { user, system } = process.cpuUsage(used);
console.log((user + system) / 1_000 / (performance.now() - begun));
`;

test("a duty cycle holds if the system does not report how long a process ran, as on macOS", async () => {
  const throttle = dutyCycle(0.1, () => undefined);
  const child = spawn(process.execPath, ["-e", SPIN], { stdio: ["ignore", "pipe", "inherit"] });
  throttle.begin(child.pid!);
  try {
    const [share] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    expect(Number(share)).toBeGreaterThan(0);
    expect(Number(share)).toBeLessThan(0.4);
  } finally {
    await throttle.remove();
    child.kill("SIGKILL");
  }
});
