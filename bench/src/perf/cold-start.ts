// The program of a fresh process. It imports a client's bundle, runs a first command, and prints the times. In the phases
// "init" and "ping" the client is created in an init phase, as outside a function's handler. In "ping" the init phase also
// waits for a PING. The event arrives after `gap` ms.
import { writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { BenchClient } from "../bench-client.js";

const [bundle, endpoint, phase, gap] = process.argv.slice(2) as [string, string, string, string];

const cpu = process.cpuUsage();
const began = performance.now();
const { default: client } = (await import(bundle)) as { default: BenchClient };
const importMs = performance.now() - began;
const connected = client.connect({ ...JSON.parse(endpoint), keepAlive: true });

async function timed(): Promise<number> {
  const at = performance.now();
  await connected.get("greeting");
  return performance.now() - at;
}

function report(numbers: object): void {
  const { user, system } = process.cpuUsage(cpu);
  writeSync(1, JSON.stringify({ importMs, cpuMs: (user + system) / 1_000, ...numbers }));
}

if (phase === "at once") {
  await connected.get("greeting");
  report({ totalMs: performance.now() - began });
} else {
  if (phase === "ping") await connected.ping();
  const init = performance.now() - began;
  // The event is delivered in a later turn, as the response of the Runtime API.
  await wait(Number(gap));
  const first = await timed();
  const warm: number[] = [];
  for (let at = 0; at < 25; at++) warm.push(await timed());
  report({ init, first, totalMs: init + first, warmMs: warm.slice(5).sort((a, b) => a - b)[10] });
}
process.exit();
