import type { Endpoint } from "../../bench-client.js";
import { built } from "../built.js";
import type { OpenClient } from "./client.js";
import { type Job, run } from "./jobs.js";

// A process with one client that runs jobs on request, so that no client's code is optimized together with another's.

const [client] = process.argv.slice(2);
const { open } = (await import(built(`perf/worker/clients/${client}.js`).href)) as {
  open: OpenClient;
};
let work: ReturnType<OpenClient>;

process.on("disconnect", () => process.exit());
process.on("message", async (message: { endpoint: Endpoint } | { job: Job }) => {
  try {
    if ("endpoint" in message) {
      work = open(message.endpoint);
      process.send!({ ready: true });
    } else process.send!({ took: await run(message.job, work) });
  } catch (error) {
    process.send!({ error: String(error instanceof Error ? error.stack : error) });
  }
});
process.send!({ loaded: true });
