import { done } from "./done.mjs";
import { handler as add } from "./recipes/queue.mjs";
import { handler as run } from "./recipes/schedule.mjs";

const ids = [];
for (const order of [1, 1, 2, 3]) ids.push(await add({ order }));
const worked = [];
let failed = false;
const jobs = await run(({ data }) => {
  if (data.order === 2 && !failed) {
    failed = true;
    throw new Error("once");
  }
  worked.push(data.order);
});
const { sent, worker } = await import("./recipes/worker.mjs");
await add({ order: 4 });
while (sent.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
await worker.close();
done({ ids, jobs, worked, sent });
