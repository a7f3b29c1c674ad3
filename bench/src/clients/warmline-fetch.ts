import { Redis } from "warmline/fetch";
import type { BenchClient } from "../client/bench-client.js";
import { connectWarmline } from "../client/warmline-client.js";

export default {
  name: "warmline-fetch",
  label: "warmline/fetch",
  package: "warmline",
  note: "warmline/fetch is the entry for platforms without sockets. On Node it uses Node's fetch.",
  order: 2,
  reference: true,
  protocol: "http",
  alwaysKeepsAlive: true,
  connect: connectWarmline(Redis),
} satisfies BenchClient;
