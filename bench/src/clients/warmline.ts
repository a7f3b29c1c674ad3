import { Redis } from "warmline";
import type { BenchClient } from "../client/bench-client.js";
import { connectWarmline } from "../client/warmline-client.js";

export default {
  name: "warmline",
  label: "warmline",
  package: "warmline",
  order: 1,
  standard: true,
  protocol: "http",
  connect: connectWarmline(Redis),
  faults: [
    {
      name: "warmline",
      label: "warmline",
      function: { handler: "faults-warmline", env: {} },
    },
    {
      name: "warmline-deadline",
      label: "warmline, deadline",
      function: { handler: "faults-warmline", env: { BENCH_DEADLINE: "1" } },
    },
    {
      name: "warmline-once",
      label: "warmline, exactly-once",
      function: { handler: "faults-warmline", env: { BENCH_DEADLINE: "1", BENCH_WRITES: "exactly-once" } },
    },
  ],
} satisfies BenchClient;
