// The program of a fresh process. It imports a client's bundle, runs a first command, and prints the times. In the phases
// "init" and "ping" the client is created in an init phase, as outside a function's handler. In "ping" the init phase also
// waits for a PING. The event is due `gap` ms after the init phase. This file imports nothing that a client may need, so that
// a client's import loads all of it.
import { writeSync } from "node:fs";
import type { BenchClient } from "../client/bench-client.js";

const [bundle, endpoint, phase, gap] = process.argv.slice(2) as [string, string, string, string];

const cpu = process.cpuUsage();
const began = performance.now();
const { default: client } = (await import(bundle)) as { default: BenchClient };
const importMs = performance.now() - began;
const connected = client.connect({ ...JSON.parse(endpoint), keepAlive: true });

async function timed(at = performance.now()): Promise<number> {
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
  const gapMs = Number(gap);
  const dueAt = performance.now() + gapMs;
  const init = dueAt - gapMs - began;
  // The event is delivered in a later turn, as the response of the Runtime API. It counts from the time at which it is due, so
  // that work of the init phase that is left for that turn is not free.
  await new Promise((deliver) => (gapMs > 0 ? setTimeout(deliver, gapMs) : setImmediate(deliver)));
  const first = await timed(dueAt);
  const warm: number[] = [];
  for (let at = 0; at < 25; at++) warm.push(await timed());
  report({ init, first, totalMs: init + first, warmMs: warm.slice(5).sort((a, b) => a - b)[10] });
}
process.exit();
