// Loaded into the gateway: the longest processor time that its main thread takes for one iteration of the event loop. A busy
// machine has no part in it, unlike in a latency. SIGUSR2 has it written to a file, in ms, and begins anew.
const { openSync, readSync, writeFileSync } = require("node:fs");

const file = openSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, "r");
const text = Buffer.alloc(64);
const cpuTime = () => Number.parseInt(text.toString("latin1", 0, readSync(file, text, 0, 64, 0)), 10) / 1e6;

let last = cpuTime();
let longest = 0;
setImmediate(function turn() {
  const now = cpuTime();
  longest = Math.max(longest, now - last);
  last = now;
  setImmediate(turn);
});
process.on("SIGUSR2", () => {
  writeFileSync(process.env.TURN_PROBE_FILE, String(longest));
  longest = 0;
});
