import * as warmline from "warmline";
import { runChecks } from "../checks/run.js";

// A page's script: fetches the setup from the page's own server and hands the report back to it.
const setup = await (await fetch("/setup")).json();
const report = await runChecks(warmline, setup).catch((error) => ({ failed: String(error?.stack ?? error) }));
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
