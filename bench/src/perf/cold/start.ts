import { writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { OpenCold } from "./cold-client.js";

// The program of a fresh process: imports a client's bundle, sends a first command, and says what that took. In the
// phase "init" the import and what can be made ready come before, as in a function's init phase, and the command and
// warm ones after it are the handler's.

const [bundle, url, token, phase] = process.argv.slice(2) as [string, string, string, "at once" | "init"];

const cpu = process.cpuUsage();
const began = performance.now();
const { open } = (await import(bundle)) as { open: OpenCold };
const imported = performance.now();
const client = open({ url, token }, phase === "init");

async function timed(): Promise<number> {
  const at = performance.now();
  await client.command();
  return performance.now() - at;
}

function report(numbers: object): void {
  const { user, system } = process.cpuUsage(cpu);
  writeSync(1, JSON.stringify({ importMs: imported - began, cpuMs: (user + system) / 1_000, ...numbers }));
}

if (phase === "init") {
  await client.ready();
  const initMs = performance.now() - began;
  await wait(20);
  const firstMs = await timed();
  const warm: number[] = [];
  for (let at = 0; at < 25; at++) warm.push(await timed());
  report({ initMs, firstMs, warmMs: warm.slice(5).sort((a, b) => a - b)[10] });
} else {
  await client.command();
  report({ totalMs: performance.now() - began });
}
process.exit();
