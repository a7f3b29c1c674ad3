// A process with one client that runs jobs on request, so that no client's code is optimized together with another's.
import { type BenchClient, built } from "../client/bench-client.js";
import { serveParent } from "../util/child.js";
import { type Job, runJob } from "./jobs.js";

const [name, endpoint] = process.argv.slice(2) as [string, string];
const { default: client } = (await import(built(`clients/${name}.js`))) as { default: BenchClient };
const connected = client.connect({ ...JSON.parse(endpoint), keepAlive: true });

serveParent((job: Job) => runJob(job, connected));
process.send!({ ready: true });
