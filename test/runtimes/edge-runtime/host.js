import { readFileSync } from "node:fs";
import { EdgeRuntime } from "edge-runtime";

// Runs a bundle in Vercel's edge runtime, and prints what it answers to the setup.
const runtime = new EdgeRuntime({ initialCode: readFileSync(process.env.BUNDLE, "utf8") });
const request = { method: "POST", body: process.env.SETUP };
const response = await runtime.dispatchFetch("http://localhost/", request);
const text = await response.text();
if (!response.ok) throw new Error(`The function failed: ${text}`);
console.log(text);
// What its own fetch keeps open is not ours to wait for.
process.exit();
