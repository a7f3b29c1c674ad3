// A function's process: reads keys through a near cache in one invocation after another, and sends what it read to the
// parent: [mode, key, value, began, ended], the times by the machine's monotonic clock in ms.
import { Redis } from "warmline";
import { mulberry32 } from "../model/random.mjs";

const { url, token, seed, keys, ownKey, maxStale, autoPipelining, nearModule } = JSON.parse(process.argv[2]);
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
  // In flight while the key is written, and not checked.
  () => redis.get(ownKey).catch(() => {}),
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

/** Values of the own key that a read after its last write may return: also those of writes with an unknown outcome. */
const unknown = new Set();
let ownReads = 0;
const ownViolations = [];
// Others only remove the key.
async function writeOwn() {
  for (let version = 1; running; version++) {
    const value = `own${version}`;
    try {
      await redis.set(ownKey, value);
      for (const client of [redis, verified, redis]) {
        const seen = await client.get(ownKey);
        ownReads++;
        if (seen !== value && seen !== null && !unknown.has(seen)) ownViolations.push([value, seen]);
      }
    } catch {
      unknown.add(value);
    }
    await pause(random() * 10);
  }
}
const flush = setInterval(() => {
  process.send({ reads });
  reads = [];
}, 200);
await Promise.all([invoke(), invoke(), invoke(), invoke(), writeOwn()]);
clearInterval(flush);
process.send({ reads, stats: { ...redis.stats().near, ownReads }, ownViolations });
process.disconnect();
