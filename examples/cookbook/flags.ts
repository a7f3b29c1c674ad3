import { createHash } from "node:crypto";
import { Redis } from "warmline";

/** Shares of users, in percent, by the name of the flag. */
type Flags = Record<string, number>;

const redis = Redis.fromEnv({ timeout: 500 });
const MAX_AGE = 5_000; // ms for which an instance keeps the flags that it has read
let flags: Promise<Flags> = Promise.resolve({});
let readAt = Number.NEGATIVE_INFINITY;

/** Turns a flag on for a share of users: 0 for none, 100 for all. Other instances follow within MAX_AGE. */
export async function setFlag(name: string, percent: number): Promise<void> {
  await redis.hset("flags", { [name]: percent });
  readAt = Number.NEGATIVE_INFINITY;
}

/** Whether a flag is on for a user. Every instance has the same result for a user, who keeps it as the share grows. */
export async function isOn(name: string, user: string): Promise<boolean> {
  const share = (await currentFlags())[name] ?? 0;
  const hash = createHash("sha256").update(`${name}:${user}`).digest();
  return hash.readUInt32BE() % 100 < share;
}

/** If Redis can't be reached, the flags stay as they were; off, if they were never read. */
function currentFlags(): Promise<Flags> {
  if (Date.now() - readAt > MAX_AGE) {
    readAt = Date.now();
    const last = flags;
    flags = redis.hgetall<Flags>("flags").then(
      (all) => all ?? {},
      () => last,
    );
  }
  return flags;
}
