import { Redis } from "warmline";

/** A message of the queue: a part of a job, or the end of a job whose parts have all finished. */
export type Message = { job: string; part: string } | { job: string; end: true };

// Each of these scripts may run twice with the same effect as once.
const redis = Redis.fromEnv({ writes: "at-least-once" });
const QUEUE = "jobs";
// The braces place these keys in the cluster slot of the queue.
const startedKey = (job: string) => `started:{${QUEUE}}:${job}`;
const partsKey = (job: string) => `parts:{${QUEUE}}:${job}`;

const start = redis.createScript<number>(`
if not redis.call("SET", KEYS[3], 1, "NX", "EX", 86400) then return 0 end
for i = 1, #ARGV, 2 do
  redis.call("SADD", KEYS[2], ARGV[i])
  redis.call("XADD", KEYS[1], "*", "job", ARGV[i + 1])
end
return #ARGV / 2`);

/** Adds each part to the queue, once per job within a day. Returns the number of messages. */
export async function startJob(job: string, parts: string[]): Promise<number> {
  if (parts.length === 0) throw new RangeError(`job ${job}: it has no parts, so it would never end`);
  const messages = parts.flatMap((part): [string, Message] => [part, { job, part }]);
  return start.exec([QUEUE, partsKey(job), startedKey(job)], messages);
}

const finish = redis.createScript<number>(`
if redis.call("SREM", KEYS[2], ARGV[1]) == 0 or redis.call("SCARD", KEYS[2]) > 0 then return 0 end
redis.call("XADD", KEYS[1], "*", "job", ARGV[2])
return 1`);

/** Records that a part has finished. The last part adds the end of the job to the queue, once. */
export async function finishPart(job: string, part: string): Promise<void> {
  await finish.exec([QUEUE, partsKey(job)], [part, { job, end: true } satisfies Message]);
}
