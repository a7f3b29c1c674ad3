// A process that serves several invocations at a time. Each calls cached functions; the results are sent to the parent as
// [name, key, version, began, ended], with times of the machine's monotonic clock in ms.
import { Redis } from "warmline";
import { mulberry32 } from "../model/random.mjs";
import { createFunctions } from "./functions.mjs";

const { url, dbUrl, token, seed, keys, module } = JSON.parse(process.argv[2]);
const { cached } = await import(module);
const redis = new Redis({ url, token, timeout: 400 });
const db = new Redis({ url: dbUrl, token });

const now = () => Number(process.hrtime.bigint()) / 1e6;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const random = mulberry32(seed);
const pick = (list) => list[Math.floor(random() * list.length)];

let runs = 0;
let failed = 0;
let reads = [];
const onRun = () => {
  runs++;
};
const functions = createFunctions(cached, redis, db, {
  random,
  waitUntil: seed % 2 ? (refresh) => refresh.catch(() => {}) : undefined,
  onRun,
});

let running = true;
process.on("message", () => {
  running = false;
});
async function invoke() {
  while (running) {
    const [name, call] = pick(Object.entries(functions));
    const key = pick(keys);
    const began = now();
    try {
      const version = await call(key);
      reads.push([name, key, version, began, now()]);
    } catch {
      failed++;
    }
    await pause(random() < 0.1 ? random() * 100 : random() * 5);
  }
}
function flush() {
  process.send({ reads, runs, failed });
  reads = [];
}
const flushing = setInterval(flush, 200);
await Promise.all([invoke(), invoke(), invoke(), invoke(), invoke(), invoke()]);
clearInterval(flushing);
flush();
process.disconnect();
