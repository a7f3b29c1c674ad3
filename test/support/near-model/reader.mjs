// A function's process: reads keys through a near cache in one invocation after another, and sends what it read to the
// parent: [mode, key, value, began, ended], the times by the machine's monotonic clock in ms.
import { Redis } from "warmline";
import { mulberry32 } from "../model/random.mjs";

const { url, token, seed, keys, maxStale, autoPipelining, nearModule } = JSON.parse(process.argv[2]);
const { near } = await import(nearModule);
const redis = new Redis({
  url,
  token,
  near: near({ match: "model:*", maxStale }),
  enableAutoPipelining: autoPipelining,
  timeout: 1_000,
});
const verified = redis.with({ near: "verify" });

const now = () => Number(process.hrtime.bigint()) / 1e6;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const random = mulberry32(seed);
const pick = (list) => list[Math.floor(random() * list.length)];

let reads = [];
async function read(mode, wanted, run) {
  const began = now();
  try {
    const values = await run();
    const ended = now();
    wanted.forEach((key, at) => {
      reads.push([mode, key, values[at], began, ended]);
    });
  } catch {
    reads.push(["failed"]);
  }
}

const one = (client, mode) => {
  const key = pick(keys);
  return read(mode, [key], async () => [await client.get(key)]);
};
const kinds = [
  () => one(redis, "stale"),
  () => one(redis, "stale"),
  () => one(verified, "verify"),
  () => Promise.all([one(redis, "stale"), one(redis, "stale"), one(verified, "verify"), one(redis, "stale")]),
  () => {
    const wanted = [pick(keys), pick(keys)];
    return read("stale", wanted, () => redis.mget(...wanted));
  },
  () => {
    const wanted = [pick(keys), pick(keys), pick(keys)];
    const pipeline = redis.pipeline();
    for (const key of wanted) pipeline.get(key);
    return read("stale", wanted, () => pipeline.exec());
  },
  () => redis.ping().catch(() => {}),
];

let running = true;
process.on("message", () => {
  running = false;
});
// Several invocations at a time, as in a process that serves several requests.
async function invoke() {
  while (running) {
    await pick(kinds)();
    await pause(random() < 0.1 ? random() * 100 : random() * 10);
  }
}
const flush = setInterval(() => {
  process.send({ reads });
  reads = [];
}, 200);
await Promise.all([invoke(), invoke(), invoke(), invoke()]);
clearInterval(flush);
process.send({ reads, stats: redis.stats().near });
process.disconnect();
