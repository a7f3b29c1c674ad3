// Jobs with a delay and a retry, and a job that is removed.
import Queue from "bull";
import { done, options } from "./connect.mjs";

const queue = new Queue("video", { redis: options });
let failures = 0;
queue.process("encode", 2, async ({ data }) => {
  if (data.id === 2 && failures++ === 0) throw new Error("once");
  return data.id * 10;
});
const jobs = [
  await queue.add("encode", { id: 1 }),
  await queue.add("encode", { id: 2 }, { attempts: 2, backoff: 50 }),
  await queue.add("encode", { id: 3 }, { delay: 200 }),
];
const results = await Promise.all(jobs.map((job) => job.finished()));
const removed = await queue.add("encode", { id: 4 }, { delay: 60_000 });
await removed.remove();
const { completed, delayed, failed } = await queue.getJobCounts();
await queue.close();
done({ results, completed, delayed, failed, failures });
