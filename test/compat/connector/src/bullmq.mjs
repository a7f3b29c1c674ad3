// Jobs with priorities, delays, retries and events, by a worker that waits for them.
import { Queue, QueueEvents, Worker } from "bullmq";
import { done, options } from "./connect.mjs";

const connection = { ...options, maxRetriesPerRequest: null };
const queue = new Queue("mail", { connection });
const events = new QueueEvents("mail", { connection });
await events.waitUntilReady();
let failures = 0;
const worker = new Worker(
  "mail",
  async ({ name, data }) => {
    if (name === "flaky" && failures++ === 0) throw new Error("once");
    return `${name} ${data.to}`;
  },
  { connection },
);
const jobs = [
  await queue.add("plain", { to: "a" }),
  await queue.add("late", { to: "b" }, { delay: 300 }),
  await queue.add("flaky", { to: "c" }, { attempts: 2, backoff: 50 }),
  ...(await queue.addBulk([
    { name: "bulk", data: { to: "d" } },
    { name: "bulk", data: { to: "e" }, opts: { priority: 2 } },
  ])),
];
const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 10_000)));
const counts = await queue.getJobCounts("completed", "failed", "waiting", "delayed");
await worker.close();
await events.close();
await queue.close();
done({ results, counts, failures });
