import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { dutyCycle } from "../../../testbed/src/instance/throttle.js";

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
