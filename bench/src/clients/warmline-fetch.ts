import { Redis } from "warmline/fetch";
import type { BenchClient } from "../client/bench-client.js";
import { overFetch } from "../client/over-fetch.js";
import { connectWarmline } from "../client/warmline-client.js";

export default {
  name: "warmline-fetch",
  label: "warmline/fetch",
  package: "warmline",
  note: "warmline/fetch is the entry for platforms without sockets. On Node it uses Node's fetch. With keep-alive off the bench adds the header Connection: close to its requests.",
  order: 2,
  reference: true,
  protocol: "http",
  connect: overFetch(connectWarmline(Redis)),
} satisfies BenchClient;
