import { readFileSync } from "node:fs";
import { EdgeRuntime, runServer } from "edge-runtime";

// Serves a bundled edge function, as Vercel does, with the environment that it is given.
const env = { WARMLINE_URL: process.env.WARMLINE_URL, WARMLINE_TOKEN: process.env.WARMLINE_TOKEN };
const runtime = new EdgeRuntime({
  extend: (context) => Object.assign(context, { process: { env } }),
  initialCode: `${readFileSync(process.argv[2], "utf8")}
addEventListener("fetch", (event) => event.respondWith(edgeFunction.default(event.request)));`,
});
const server = await runServer({ runtime, host: "127.0.0.1", port: 0 });
console.log(server.url);
