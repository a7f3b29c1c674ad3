import { Redis } from "warmline";
import type { BenchClient } from "../client/bench-client.js";
import { connectWarmline } from "../client/warmline-client.js";

const handler = "faults-warmline";

export default {
  name: "warmline",
  label: "warmline",
  package: "warmline",
  order: 1,
  standard: true,
  protocol: "http",
  connect: connectWarmline(Redis),
  faults: [
    { name: "warmline", label: "warmline", handler, env: {} },
    { name: "warmline-plain", label: "warmline, no numbers", plain: true, handler, env: {} },
    {
      ...{ name: "warmline-once", label: "warmline, exactly-once", plain: true },
      ...{ handler, env: { BENCH_WRITES: "exactly-once" } },
    },
  ],
} satisfies BenchClient;
