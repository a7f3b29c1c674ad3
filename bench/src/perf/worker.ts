// A process with one client that runs jobs on request, so that no client's code is optimized together with another's.
import { type BenchClient, built, type ConnectedClient, type Endpoint } from "../client/bench-client.js";
import { serveParent } from "../util/serve-parent.js";
import { type Job, runJob } from "./jobs.js";

const { default: client } = (await import(built(`clients/${process.argv[2]}.js`))) as {
  default: BenchClient;
};
let connected: ConnectedClient;

serveParent(async (message: { endpoint: Endpoint } | { job: Job }): Promise<object> => {
  if ("job" in message) return { took: await runJob(message.job, connected) };
  connected = client.connect({ ...message.endpoint, keepAlive: true });
  return { ready: true };
});
process.send!({ loaded: true });
