// The program of a fresh process. It imports a client's bundle, creates the client, runs a first command, and prints the times.
// Its phases:
// - "at once": the first command follows immediately, without an init phase.
// - "init": import and creation are the init phase, like code outside a function's handler. The event is due `gap` ms later.
// - "ping": like "init", but the init phase also waits for a PING.
// This file imports no module that a client may need, so that a client's import loads all of its modules.
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
  // The event arrives in a later turn of the event loop, like a response of Lambda's Runtime API. Its latency counts from the
  // time at which it is due, so that it includes work that the init phase left for that turn.
  await new Promise((deliver) => (gapMs > 0 ? setTimeout(deliver, gapMs) : setImmediate(deliver)));
  const first = await timed(dueAt);
  const warm: number[] = [];
  for (let at = 0; at < 25; at++) warm.push(await timed());
  report({ init, first, totalMs: init + first, warmMs: warm.slice(5).sort((a, b) => a - b)[10] });
}
process.exit();
