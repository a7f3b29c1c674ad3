import { Redis } from "warmline";

// A page's script that writes while a response is lost.
const { url, token, writes } = await (await fetch("/setup")).json();
const redis = new Redis({ url, token, writes, retry: false });
const report = [];
for (const name of ["get", "incr", "incr", "get"]) {
  report.push(await redis[name]("n").catch((error) => String(error)));
}
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
