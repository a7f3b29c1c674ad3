import { Miniflare } from "miniflare";

// Runs a bundled Worker with the bindings that it is given, until it is told to end.
const miniflare = new Miniflare({
  modules: true,
  scriptPath: process.argv[2],
  compatibilityDate: process.argv[3],
  bindings: { WARMLINE_URL: process.env.WARMLINE_URL, WARMLINE_TOKEN: process.env.WARMLINE_TOKEN },
  host: "127.0.0.1",
  port: 0,
});
process.once("SIGTERM", () => miniflare.dispose());
console.log(String(await miniflare.ready));
